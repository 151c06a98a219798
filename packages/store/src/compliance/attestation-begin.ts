/** SQL for the time from which a state of an attestation counts instead of the one before it: when it is attested, or withdrawn before that. */
export const attestationBeginsAt = (of: string): string =>
  `least((${of}.facts->>'attestedAt')::timestamptz, (${of}.facts->>'withdrawnAt')::timestamptz)`;
