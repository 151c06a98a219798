import {
  activityFormats,
  formatLogRow,
  type Json,
  type JsonObject,
  type Message,
  mergeEntity,
  readActivity,
  readRecords,
  toEventType,
} from '@tenantscope/intake';

/** The document that the service makes of a record, or the reason for which it rejects it. */
export type ReadResult = { readonly document: JsonObject } | { readonly rejection: string };

/** Reads a record as its topic does: a log row, an alert without its raw data, or an entity. */
export function readDocument(format: string, record: string): ReadResult {
  if (activityFormats.some((each) => each === format)) return readRow(format, record);
  const [entityFormat, object] = format.startsWith(collectedEntity) ? unwrapEntity(format, record) : [];
  return entityFormat !== undefined && object !== undefined
    ? readEntity(entityFormat, object)
    : readAlert(format, record);
}

function readRow(format: string, record: string): ReadResult {
  const outcomes = readActivity(message(format, record), readingContext);
  for (const outcome of outcomes) {
    if (outcome.kind === 'log') return { document: JSON.parse(formatLogRow(outcome.row)) as JsonObject };
    if (outcome.kind === 'rejected') return { rejection: outcome.reason };
  }
  return { rejection: 'no row' };
}

function readAlert(format: string, record: string): ReadResult {
  for (const outcome of readRecords('rawAlert', message(format, record), readingContext)) {
    if (outcome.kind === 'rejected') return { rejection: outcome.reason };
    if (outcome.kind !== 'state') continue;
    const { id, members, detailMembers } = outcome.state;
    const { rawData: _, ...document } = JSON.parse(`{${members},${detailMembers}}`) as Record<string, Json>;
    return { document: { id, ...document } };
  }
  return { rejection: 'no alert' };
}

function readEntity(format: string, object: string): ReadResult {
  for (const outcome of readRecords('rawEntity', message(format, object), readingContext)) {
    if (outcome.kind === 'rejected') return { rejection: outcome.reason };
    if (outcome.kind !== 'part') continue;
    const merged = mergeEntity(outcome.part.entityKind, [outcome.part]);
    if (merged === null) continue;
    const document = JSON.parse(`{${merged.members},${merged.detailMembers}}`) as Record<string, Json>;
    return { document: { id: outcome.part.id, ...document } };
  }
  return { rejection: 'no entity' };
}

/** This collector puts an object of Microsoft Graph into an envelope of its own, its id next to it. */
function unwrapEntity(format: string, record: string): readonly [format: string, object: string] {
  const { azure_ad, user, device } = JSON.parse(record) as Record<string, Record<string, unknown> | undefined>;
  const graphFormat = format === `${collectedEntity}users` ? 'graph.user' : 'graph.device';
  return [graphFormat, JSON.stringify({ id: (user ?? device)?.id, ...azure_ad })];
}

function message(format: string, record: string): Message {
  const headers = {
    ce_specversion: '1.0',
    ce_type: toEventType(format),
    ce_tenantid: '0f9d5a3e-6b1c-4d7e-8a2f-3c4b5d6e7f80',
    ce_time: '2026-11-20T08:00:00.000Z',
  };
  return { key: null, value: Buffer.from(record), headers };
}

const collectedEntity = 'elastic.entityanalytics.';
const readingContext = {
  findTenant: () => ({ azureTenantId: null }),
  nowMs: Date.UTC(2030, 0, 1),
  maxValueBytes: 16_777_216,
  onlyElement: null,
};
