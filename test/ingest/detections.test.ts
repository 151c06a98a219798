import type { AuditLogEvent } from '@tenantscope/contract';
import { buildRecord, type Detection, detections, findsRow, meetsAll } from '@tenantscope/docs';
import { formatLogRow, readActivity } from '@tenantscope/intake';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { activityMessage } from '../installation/activity-records.ts';
import { readAllRows } from '../installation/all-rows.ts';
import { type ApiClient, createApiClient } from '../installation/api-client.ts';
import { eventually } from '../installation/eventually.ts';
import { type Installation, startInstallation } from '../installation/installation.ts';

// The published detections, as a SIEM runs them: records through Kafka, rows by the filters of the API.

let installation: Installation;
let caller: ApiClient;
let tenantId: string;
/** What the records must become, by the id of the row. */
let expected: ReadonlyMap<string, AuditLogEvent>;

/** The tenant that the records name. */
const azureTenantId = '7d3c2b1a-4f5e-4a6b-8c9d-0e1f2a3b4c5d';
const kinds = ['match', 'other'] as const;

beforeAll(async () => {
  installation = await startInstallation();
  await installation.startIngest();
  const { baseUrl } = await installation.startApi();
  const tenant = await installation.admin.tenants.create({ name: 'Contoso', organizationId: null, azureTenantId });
  tenantId = tenant.id;
  const key = { name: 'siem', scopes: ['logs:read' as const], owner: { tenantId }, expiresAt: null };
  caller = createApiClient(baseUrl, (await installation.admin.keys.create(key)).secret);
  expected = new Map(
    detections.flatMap((detection) => kinds.map((kind) => readRow(detection, kind))).map((row) => [row.id, row]),
  );
  await installation.publisher.publish(
    installation.activityTopic,
    detections.flatMap((detection) => kinds.map((kind) => buildMessage(detection, kind))),
  );
  await eventually(
    'all records are served',
    60_000,
    async () => (await readAllRows(caller, '/logs')).length >= expected.size,
  );
});
afterAll(() => installation?.[Symbol.asyncDispose]());

function buildMessage(detection: Detection, kind: 'match' | 'other') {
  return activityMessage(tenantId, buildRecord(detection, kind), detection.format);
}

function readRow(detection: Detection, kind: 'match' | 'other'): AuditLogEvent {
  const message = buildMessage(detection, kind);
  const outcomes = readActivity(
    { ...message, key: Buffer.from(message.key) },
    {
      findTenant: () => ({ azureTenantId }),
      nowMs: Date.UTC(2026, 10, 21),
      maxValueBytes: 1_048_576,
      onlyElement: null,
    },
  );
  const row = outcomes.find((outcome) => outcome.kind === 'log');
  if (row?.kind !== 'log') throw new Error(JSON.stringify(outcomes));
  return JSON.parse(formatLogRow(row.row)) as AuditLogEvent;
}

test('every record of the detections is one row', async () => {
  const ids = (await readAllRows(caller, '/logs')).map(({ id }) => id);
  expect(expected.size).toBe(2 * detections.length);
  expect(ids.toSorted()).toEqual([...expected.keys()].toSorted());
});

test('every detection finds exactly the rows of the records that it is about', async () => {
  for (const detection of detections) {
    const rows = await readAllRows(caller, '/logs', detection.query as Record<string, string>);
    const found = rows.filter((row) => meetsAll(row, detection.where)).map(({ id }) => id);
    const matching = [...expected.values()].filter((row) => findsRow(detection, row)).map(({ id }) => id);
    expect(found.toSorted(), detection.id).toEqual(matching.toSorted());
    expect(found, detection.id).toContain(readRow(detection, 'match').id);
    expect(found, detection.id).not.toContain(readRow(detection, 'other').id);
  }
});
