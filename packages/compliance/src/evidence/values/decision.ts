import type { JsonObject } from '@tenantscope/proof';
import { toEnumValue, toIsoTime, toText } from './reported-value.ts';

/** The decision about an agent or an app, by whom and when. */
export function toDecision(reported: Readonly<Record<string, unknown>> | null): JsonObject | null {
  if (reported === null) return null;
  const outcomes = ['approved', 'restricted', 'blocked', 'accepted', 'reviewed'] as const;
  return {
    outcome: toEnumValue(reported.outcome, outcomes, null),
    by: toText(reported.by),
    at: toIsoTime(reported.at),
  };
}
