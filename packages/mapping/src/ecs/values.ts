import { isAddress, isEmail } from '../texts.ts';

/** Numbers of severities, as the ingest pipeline of the connector for Elastic has them. */
const severities: Readonly<Record<string, number>> = { informational: 1, low: 25, medium: 50, high: 75, critical: 100 };

export const rateSeverity = (severity: string | null): number | null => severities[severity ?? ''] ?? null;

export const severityNote = '`severity`: informational 1, low 25, medium 50, high 75, critical 100';

/** Each text once, in order. */
export const listTexts = (texts: readonly (string | null | undefined)[]): string[] => [
  ...new Set(texts.filter((text) => typeof text === 'string' && text !== '') as string[]),
];

export const addressOrNull = (text: string | null): string | null => (isAddress(text) ? text : null);

export const emailOrNull = (text: string | null): string | null => (isEmail(text) ? text : null);
