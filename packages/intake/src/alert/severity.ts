import { type AlertSeverity, alertSeverities } from '@tenantscope/contract';

/** Case varies between feeds: `High` and `HIGH` are high. An unlisted value is `unknown`. */
export function toAlertSeverity(word: string | null): AlertSeverity | null {
  return word === null ? null : (alertSeverities.find((severity) => severity === word.toLowerCase()) ?? 'unknown');
}
