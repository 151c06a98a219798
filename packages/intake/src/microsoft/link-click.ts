import type { ActionResult } from '../field/action-result.ts';
import { firstText, type JsonObject } from '../json/value.ts';
import { recordTypes } from './record-type.ts';

/** Whether Safe Links let the user open a link; null while it is examined. */
export function readClickResult(record: JsonObject): ActionResult | null {
  const action = readClickAction(record);
  return action === null ? null : (results.get(action) ?? null);
}

export function isBlockedClick(record: JsonObject, recordType: number | null): boolean {
  return recordType === recordTypes.ThreatIntelligenceUrl && readClickResult(record) === 'failure';
}

/** Whether the user went on from the page that blocks the link. */
export function isBlockOverridden(record: JsonObject): boolean {
  return overrides.has(readClickAction(record) ?? '');
}

/** A number in the schema; a name in some exports. */
function readClickAction(record: JsonObject): string | null {
  return firstText(record.URLClickAction, record.UrlClickAction)?.toLowerCase() ?? null;
}

/** 3 is the page that waits for the result of an examination. */
const results = new Map<string, ActionResult>([
  ['2', 'failure'],
  ['blockpage', 'failure'],
  ['4', 'success'],
  ['blockpageoverride', 'success'],
  ['5', 'success'],
  ['pendingdetonationpageoverride', 'success'],
]);
const overrides: ReadonlySet<string> = new Set(['4', 'blockpageoverride']);
