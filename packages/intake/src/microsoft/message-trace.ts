import type { Outcome, Severity } from '@tenantscope/contract';
import { type Activity, noResource } from '../activity/activity.ts';
import type { ActivityFormat } from '../activity/activity-format.ts';
import { noContext } from '../activity/event-context.ts';
import { RowReader } from '../activity/row-reader.ts';
import { toPascalCase } from '../field/case.ts';
import { toEpochMs } from '../field/time.ts';
import type { JsonObject } from '../json/value.ts';
import { type SplitRecord, toSplitRecord } from '../message/split-records.ts';
import { sourceShapes } from '../source/source-shapes.ts';

/** Message traces of Exchange Online: one record per recipient of a message. Graph writes the members in lower case. */
export const exchangeMessageTrace: ActivityFormat = {
  family: 'microsoft365.message-trace',
  shape: sourceShapes['exchange.message-trace'],
  unwrap,
  normalise,
};

/**
 * The report repeats the window of the query and the position in its result: a trace that overlapping queries return is
 * one record.
 */
function unwrap(record: JsonObject, hasDuplicateNames: boolean, text: Buffer): SplitRecord {
  const { StartDate, EndDate, Index, ...content } = record;
  return { ...toSplitRecord(record, hasDuplicateNames, text), content };
}

function normalise(record: JsonObject): Activity {
  const row = new RowReader(record);
  const status = row.text('Status', 'status');
  const action = `MessageTrace${toPascalCase(status ?? '')}`;
  const verdict = statuses.get(status?.toLowerCase() ?? '');
  const sender = row.text('SenderAddress', 'senderAddress');
  const isOwn = sender !== null && readDomain(sender) === row.text('Organization')?.toLowerCase();
  const actor = { id: sender, name: sender, type: isOwn ? 'user' : 'unknown' } as const;
  const messageId = row.text('MessageId', 'messageId');
  const recipient = row.text('RecipientAddress', 'recipientAddress');
  const traceId = row.text('MessageTraceId', 'messageTraceId', 'id');
  const time = readReceived(record);
  row.markShown(time.timeMember, 'Organization', 'StartDate', 'EndDate', 'Index');
  return {
    ...time,
    action,
    verdict: verdict?.severity ?? null,
    outcome: verdict?.outcome ?? null,
    actor,
    actorIp: row.address('FromIP', 'fromIP'),
    resource: messageId === null ? noResource : { id: messageId, name: row.text('Subject', 'subject'), type: 'email' },
    workload: 'Exchange',
    sourceType: 'microsoft365',
    sourceName: 'MessageTrace',
    clientApp: null,
    device: { id: null, name: null, isManaged: null },
    application: { clientId: null, displayName: null },
    externalEventId: traceId,
    recordType: null,
    context: {
      ...noContext,
      outcomeReason: status,
      correlationId: traceId,
      targets: recipient === null ? [] : [{ id: recipient, name: recipient, type: 'recipient' }],
      threat: verdict?.threat === undefined ? null : { verdict: verdict.threat, level: null, name: null, source: null },
      details: row.listDetails([]),
    },
  };
}

/** The first time that can be read; where there is none, the first member. */
function readReceived(record: JsonObject): { time: JsonObject[string]; timeMember: string } {
  const readable = received.find((name) => toEpochMs(record[name]) !== null);
  const timeMember = readable ?? received.find((name) => record[name] !== undefined) ?? 'Received';
  return { time: record[timeMember], timeMember };
}

function readDomain(address: string): string {
  return address.slice(address.lastIndexOf('@') + 1).toLowerCase();
}

const received = ['Received', 'receivedDateTime', 'received'];

interface Verdict {
  readonly outcome: Outcome;
  readonly severity?: Severity;
  readonly threat?: string;
}

/** Pending, GettingStatus and None say nothing about the outcome yet. */
const statuses = new Map<string, Verdict>([
  ['delivered', { outcome: 'success' }],
  ['expanded', { outcome: 'success' }],
  ['failed', { outcome: 'failure' }],
  ['quarantined', { outcome: 'failure', severity: 'low', threat: 'quarantined' }],
  ['filteredasspam', { outcome: 'failure', severity: 'low', threat: 'spam' }],
]);
