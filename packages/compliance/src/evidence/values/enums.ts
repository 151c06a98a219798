/** Enums that rows of several sections share. */
export const severities = ['informational', 'low', 'medium', 'high', 'critical'] as const;
export const restrictionLevels = ['monitored', 'noAiAccess', 'noAccess'] as const;
