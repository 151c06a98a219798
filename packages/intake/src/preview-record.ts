import type { TopicName } from '@tenantscope/contract';
import { formatLogRow } from './activity/log-row.ts';
import { readActivity } from './activity/read-activity.ts';
import { readJson } from './json/read-json.ts';
import { isObject, type Json } from './json/value.ts';
import { toPlainJson } from './json/write-json.ts';
import type { Message } from './message/envelope.ts';
import type { ReadingContext } from './message/reading-context.ts';
import type { RecordOutcome } from './message/record-outcome.ts';
import { isRejection } from './message/rejection.ts';
import { readRecords } from './read-records.ts';

/** What a message would become, without writing it. */
export interface RecordPreview {
  /** Rows as lists show them, states and facts of entities. */
  readonly rows: readonly unknown[];
  readonly rejections: readonly { readonly reason: string; readonly detail: string }[];
  /** Paths of the record's members whose values no row shows. */
  readonly leftOver: readonly string[];
}

/** Reads a message of a topic for people: the outcomes of all of its records. Never throws. */
export function previewRecord(
  topic: Exclude<TopicName, 'tenant'>,
  message: Message,
  context: ReadingContext,
): RecordPreview {
  const rows: unknown[] = [];
  const rejections: { reason: string; detail: string }[] = [];
  for (const outcome of topic === 'activity' ? readActivity(message, context) : readRecords(topic, message, context)) {
    if (outcome.kind === 'rejected') rejections.push({ reason: outcome.reason, detail: outcome.detail });
    else if (outcome.kind === 'log') rows.push(JSON.parse(formatLogRow(outcome.row)));
    else if (topic !== 'activity') rows.push(showOutcome(outcome));
  }
  const parsed = message.value === null ? null : readJson(message.value, 'the value');
  const record = parsed === null || isRejection(parsed) ? null : toPlainJson(parsed.value);
  return { rows, rejections, leftOver: rows.length === 0 ? [] : listLeftOver(record, JSON.stringify(rows)) };
}

function showOutcome(outcome: Exclude<RecordOutcome, { kind: 'rejected' }>): unknown {
  if (outcome.kind === 'state')
    return { id: outcome.state.id, ...(JSON.parse(`{${outcome.state.members}}`) as object) };
  if (outcome.kind === 'part') return { id: outcome.part.id, kind: outcome.part.entityKind, ...outcome.part.facts };
  return { id: outcome.id, removed: true };
}

/** The members whose values do not occur in the rows: an approximation that needs no knowledge of formats. Null, empty and boolean values are left out. */
function listLeftOver(record: unknown, shown: string): string[] {
  const found = new Set<string>();
  const addLeftOver = (value: Json | undefined, path: string, depth: number): void => {
    if (found.size >= maxPaths || depth > maxDepth || value === undefined) return;
    if (Array.isArray(value)) for (const item of value) addLeftOver(item, `${path}[]`, depth + 1);
    else if (isObject(value))
      for (const [name, member] of Object.entries(value))
        addLeftOver(member, path === '' ? name : `${path}.${name}`, depth + 1);
    else if (value !== null && value !== '' && typeof value !== 'boolean' && !isShown(value, shown)) found.add(path);
  };
  addLeftOver(record as Json, '', 0);
  return [...found];
}

function isShown(value: Json, shown: string): boolean {
  const text = JSON.stringify(String(value)).slice(1, -1);
  // Times are shown in UTC with milliseconds.
  return shown.includes(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d/.test(text) ? text.slice(0, 19) : text);
}

const maxPaths = 200;
const maxDepth = 32;
