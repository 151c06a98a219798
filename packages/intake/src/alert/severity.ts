import { type AlertSeverity, alertSeverities } from '@tenantscope/contract';

/** Letter case varies between feeds: `High` and `HIGH` are high. A word that is none of ours is `unknown`. */
export function alertSeverityOf(word: string | null): AlertSeverity | null {
  return word === null ? null : (alertSeverities.find((severity) => severity === word.toLowerCase()) ?? 'unknown');
}
