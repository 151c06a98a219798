import type { Activity } from '../activity/activity.ts';
import { noResource } from '../activity/activity.ts';
import type { ActivityFormat } from '../activity/activity-format.ts';
import { noContext } from '../activity/event-context.ts';
import { RowReader } from '../activity/row-reader.ts';
import { toEpochMs } from '../field/time.ts';
import { readJson } from '../json/read-json.ts';
import { firstText, isObject, type JsonObject, toText } from '../json/value.ts';
import { isRejection } from '../message/rejection.ts';
import { type SplitRecord, toSplitRecord } from '../message/split-records.ts';
import { sourceShapes } from '../source/source-shapes.ts';
import { noApplication, noDevice, type TableReading, unknownActor } from './table-reading.ts';
import { getTable } from './tables.ts';

/**
 * Rows of the tables of advanced hunting, as the streaming API of Defender XDR exports them: the row in `properties`, its
 * table in `category`. Log Analytics has the same columns without a frame, the table in `Type`.
 */
export const defenderAdvancedHunting: ActivityFormat = {
  // That of Azure Monitor, which exports the same records: one record is one row, whichever format its envelope named.
  family: 'entra',
  shape: sourceShapes['m365d.advanced-hunting'],
  unwrap,
  normalise,
  // `TenantId` of a row of Log Analytics is the workspace.
  readOrganization: (record) => record.tenantId,
};

/** `properties` may come as JSON text; a text that is none stays as it is, since the frame alone is a row too. */
function unwrap(frame: JsonObject, hasDuplicateNames: boolean, text: Buffer): SplitRecord {
  if (typeof frame.properties !== 'string') return toSplitRecord(frame, hasDuplicateNames, text);
  const parsed = readJson(Buffer.from(frame.properties), 'member properties');
  if (isRejection(parsed) || !isObject(parsed.value)) return toSplitRecord(frame, hasDuplicateNames, text);
  const record = { ...frame, properties: parsed.value };
  return toSplitRecord(record, hasDuplicateNames || parsed.hasDuplicateNames, text);
}

function normalise(record: JsonObject): Activity {
  const isFramed = isObject(record.properties);
  const row = new RowReader(isFramed ? (record.properties as JsonObject) : record);
  const category = firstText(record.category, isFramed ? null : record.Type);
  const table = readTableName(category);
  const { workload, read, isListed } = getTable(table ?? '');
  const reading: TableReading = { ...unknownReading, record: row.columns, ...read(row) };
  const action = reading.action ?? row.text('ActionType') ?? table ?? firstText(record.operationName);
  const time = readRowTime(record, row);
  const externalEventId = row.text('ReportId', 'AlertId');
  row.markShown('Timestamp', 'TimeGenerated');
  if (!isFramed) row.markShown('Type', 'category', 'operationName', 'tenantId', 'time');
  return {
    ...time,
    action,
    verdict: reading.upstream,
    outcome: reading.outcome,
    isBlocked: action?.endsWith('Blocked') === true && reading.outcome !== 'success',
    actor: reading.actor,
    actorIp: reading.actorIp,
    resource: reading.resource,
    workload,
    sourceType: 'defender',
    sourceName: table,
    isUnlisted: table !== null && !isListed,
    clientApp: reading.clientApp,
    device: reading.device,
    application: reading.application,
    externalEventId,
    recordType: null,
    record: reading.record,
    context: {
      ...noContext,
      ...reading.context,
      category,
      details: [...(reading.context.details ?? []), ...row.listDetails(expandedColumns)],
    },
  };
}

/** `AdvancedHunting-EmailEvents` → `EmailEvents`. */
function readTableName(category: string | null): string | null {
  return category === null ? null : category.replace(/^AdvancedHunting-/i, '') || null;
}

/** The first time that can be read; where there is none, the first that is there. */
function readRowTime(record: JsonObject, { columns }: RowReader): Pick<Activity, 'time' | 'timeMember'> {
  const candidates = [
    { time: columns.Timestamp, timeMember: 'Timestamp' },
    { time: columns.TimeGenerated, timeMember: 'TimeGenerated' },
    { time: record.time, timeMember: 'time' },
  ];
  const present = candidates.filter(({ time }) => toText(time) !== null);
  return (
    present.find(({ time }) => toEpochMs(time) !== null) ?? present[0] ?? { time: undefined, timeMember: 'Timestamp' }
  );
}

const unknownReading: Omit<TableReading, 'record'> = {
  action: null,
  actor: unknownActor,
  actorIp: null,
  resource: noResource,
  outcome: null,
  upstream: null,
  device: noDevice,
  application: noApplication,
  clientApp: null,
  context: {},
};

/** Columns of JSON text whose members are details of their own, where no reader of the table shows them. */
const expandedColumns = ['AdditionalFields', 'RawEventData'];
