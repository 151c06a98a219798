import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  type AuditLogEvent,
  type Detection,
  formatTime,
  type SecurityAlert,
  type TopicName,
} from '@tenantscope/contract';
import { type DemoState, toMessages } from '@tenantscope/demo';
import { sharedRecordsFolder } from '@tenantscope/docs';
import {
  type ActivityFormatName,
  type AlertFormatName,
  alertFormats,
  formatLogRow,
  type Message,
  type RecordState,
  readActivity,
  readRecords,
  toEventType,
} from '@tenantscope/intake';

// Records as lists serve them, without a database.

const tenantId = '0f9d5a3e-6b1c-4d7e-8a2f-3c4b5d6e7f80';
const stampMs = Date.UTC(2030, 0, 1);
const context = {
  findTenant: () => ({ azureTenantId: null }),
  nowMs: stampMs,
  maxValueBytes: 16_777_216,
  onlyElement: null,
};

const toMessage = (format: ActivityFormatName | AlertFormatName, text: string): Message => ({
  key: null,
  value: Buffer.from(text),
  headers: { ce_specversion: '1.0', ce_type: toEventType(format), ce_tenantid: tenantId },
});

/** The rows of a payload; rejected records are left out. */
export const readRows = (format: ActivityFormatName, text: string): AuditLogEvent[] =>
  readActivity(toMessage(format, text), context).flatMap((outcome) =>
    outcome.kind === 'log'
      ? [{ ...(JSON.parse(formatLogRow(outcome.row)) as AuditLogEvent), discoveredAt: formatTime(stampMs) }]
      : [],
  );

export const readAlerts = (format: AlertFormatName, text: string): SecurityAlert[] =>
  readStates('rawAlert', toMessage(format, text)) as SecurityAlert[];

/** The detections and alerts that a record of the demonstration becomes. */
export function readDemoState(state: DemoState): { detections: Detection[]; alerts: SecurityAlert[] } {
  const read = (topic: TopicName) =>
    state.topic === topic ? toMessages(state, tenantId).flatMap((message) => readStates(topic, message as never)) : [];
  return { detections: read('detection') as Detection[], alerts: read('rawAlert') as SecurityAlert[] };
}

const readStates = (topic: 'detection' | 'rawAlert' | TopicName, message: Message): unknown[] =>
  readRecords(topic as 'detection', message, context).flatMap((outcome) =>
    outcome.kind === 'state' && !outcome.state.isPart ? [parseState(outcome.state)] : [],
  );

const parseState = ({ id, version, members }: RecordState): unknown => {
  const head = { id, updatedAt: formatTime(stampMs), version, changeId: `${id}:${version}`, tenantId };
  return JSON.parse(`${JSON.stringify(head).slice(0, -1)},${members}}`);
};

/** Published alerts of others; none where the folder is missing. */
export function readSharedAlerts(): { format: AlertFormatName; line: string }[] {
  const indexPath = join(sharedRecordsFolder, 'index.json');
  if (!existsSync(indexPath)) return [];
  const { files } = JSON.parse(readFileSync(indexPath, 'utf8')) as { files: { path: string; format: string }[] };
  return files.flatMap(({ path, format }) => {
    const name = alertFormats.find((each) => each === format);
    if (name === undefined) return [];
    const lines = readFileSync(join(sharedRecordsFolder, path.replace(/^dev\//, '')), 'utf8').split('\n');
    return lines.filter((line) => line !== '').map((line) => ({ format: name, line }));
  });
}
