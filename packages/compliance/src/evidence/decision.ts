import type { JsonObject } from '@tenantscope/proof';
import { toldText, toldTime, toldWord } from './told-value.ts';

/** What was decided about an agent or an app, by whom and when. */
export function decisionOf(told: Readonly<Record<string, unknown>> | null): JsonObject | null {
  if (told === null) return null;
  const outcomes = ['approved', 'restricted', 'blocked', 'accepted', 'reviewed'] as const;
  return { outcome: toldWord(told.outcome, outcomes, null), by: toldText(told.by), at: toldTime(told.at) };
}
