import { randomUUID } from 'node:crypto';
import { formatEvent, formatTime } from '@tenantscope/contract';
import type { AuditLogRow } from '@tenantscope/store/ingest';
import { connectReadModels, type LogsPageQuery, type ReadModels, readLogsPage } from '@tenantscope/store/read';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type DatabaseInspector, openDatabaseInspector } from '../installation/database-inspector.ts';
import { type LaneWriter, logRow, openLaneWriter } from '../installation/lane-writer.ts';
import { serializeMembers } from '../installation/member-lines.ts';
import { createTestDatabase, type TestDatabase } from '../services/database.ts';
import { isLong, seed } from './random.ts';

let database: TestDatabase;
let inspector: DatabaseInspector;
let writer: LaneWriter;
let models: ReadModels;

beforeAll(async () => {
  database = await createTestDatabase();
  inspector = await openDatabaseInspector(database.superuser);
  writer = await openLaneWriter(database, { partitions: 1 });
  models = await connectReadModels(database.roles.api, { name: 'test', maxConnections: 2 });
});
afterAll(async () => {
  await models?.[Symbol.asyncDispose]();
  await writer?.[Symbol.asyncDispose]();
  await inspector?.[Symbol.asyncDispose]();
  await database?.[Symbol.asyncDispose]();
});

/** What COPY gives a meaning to, in the middle of any text without NUL, which PostgreSQL has no value for. */
const text = fc
  .array(
    fc.oneof(
      fc.string({ unit: 'grapheme', maxLength: 20 }),
      fc.string({ unit: 'binary', maxLength: 8 }),
      fc.constantFrom('\\', '\\\\', '\\N', '\\.', '\n\\.\n', '\t', '\n', '\r', '\r\n', '\b\f\v', '\\x41', '\\101'),
      fc.constantFrom('"', '\u2028', '\ufeff', '\u{1f512}', '\u007f', '\u0080', '\uffff', "'", '{}', 'null'),
    ),
    { maxLength: 5 },
  )
  .map((parts) => parts.join('').replaceAll('\0', '').toWellFormed());
const longest = fc.constantFrom(
  'a'.repeat(800),
  '\u{1f512}'.repeat(400),
  '\uffff'.repeat(800),
  'é'.repeat(64),
  'é'.repeat(128),
);
const nullable = fc.option(fc.oneof({ weight: 9, arbitrary: text }, longest), { nil: null });

const columns = fc.record({
  action: text,
  actorId: nullable,
  actorType: nullable,
  actorIp: nullable,
  resourceId: nullable,
  resourceType: nullable,
  workload: nullable,
  sourceType: nullable,
  clientApp: nullable,
  deviceId: nullable,
  applicationId: nullable,
  externalEventId: nullable,
  errorCode: nullable,
  sessionId: nullable,
  correlationId: nullable,
  actorUserId: nullable,
  targetIds: fc.option(fc.array(fc.oneof(text, longest), { maxLength: 4 }), { nil: null }),
  isManagedDevice: fc.option(fc.boolean(), { nil: null }),
  occurredAtMs: fc.integer({ min: Date.UTC(1999, 11, 31), max: Date.UTC(2101, 0, 1) }),
});
const rows = fc.array(fc.record({ columns, members: fc.dictionary(text, text, { maxKeys: 4 }) }), {
  minLength: 1,
  maxLength: 12,
});

const columnNames =
  'action, actor_id, actor_type, actor_ip, resource_id, resource_type, workload, source_type, client_app, device_id, application_id, external_event_id, is_managed_device, ' +
  'error_code, session_id, correlation_id, actor_user_id, target_ids, occurred_at, normaliser_version, ' +
  '(select i.discovered_at = log.discovered_at from models.log_identity i where i.tenant_id = log.tenant_id and i.id = log.id)';

/** A row with these details. */
function createRow(
  tenantId: string,
  given: Parameters<typeof logRow>[1],
  members: Record<string, string>,
): AuditLogRow {
  return {
    ...logRow(tenantId, given),
    memberLines: serializeMembers({ action: given?.action ?? '', details: members }),
  };
}

/** The document of a row, without its stamp. */
const formatRow = ({ id, occurredAtMs, tenantId, memberLines }: AuditLogRow): string =>
  formatEvent({ id, occurredAt: formatTime(occurredAtMs), discoveredAt: '', tenantId }, memberLines);

test('hostile text is the same text, byte for byte, after COPY into the log and out of it', {
  timeout: isLong ? 900_000 : 60_000,
}, async () => {
  await fc.assert(
    fc.asyncProperty(rows, async (given) => {
      const tenantId = randomUUID();
      const written = given.map(({ columns: values, members }) => createRow(tenantId, values, members));
      expect(await writer.write(0, written)).toMatchObject({ kind: 'written' });

      const { rows: stored } = await inspector.client.query<Record<string, unknown>>({
        text: `select id, ${columnNames} from models.audit_log log where tenant_id = $1`,
        values: [tenantId],
        rowMode: 'array',
      } as never);
      const expected = written.map(({ id, occurredAtMs, columns: c }) => [
        id,
        ...[c.action, c.actorId, c.actorType, c.actorIp, c.resourceId, c.resourceType, c.workload, c.sourceType],
        ...[c.clientApp, c.deviceId, c.applicationId, c.externalEventId, c.isManagedDevice],
        ...[c.errorCode, c.sessionId, c.correlationId, c.actorUserId, c.targetIds, new Date(occurredAtMs), 1, true],
      ]);
      expect(new Map(stored.map((row) => [Object.values(row)[0], Object.values(row)]))).toEqual(
        new Map(expected.map((row) => [row[0], row])),
      );
      expect(await readDocuments(tenantId)).toEqual(written.map(formatRow).toSorted());
    }),
    { numRuns: isLong ? 3_000 : 60, seed: Number(seed) },
  );
});

/** The documents of a tenant as a page of the API frames them, without their stamps. */
async function readDocuments(tenantId: string): Promise<string[]> {
  const query: LogsPageQuery = {
    tenantId,
    sort: 'discoveredAtAsc',
    discovered: { fromMs: null, toMs: Date.now() + 3_600_000 },
    occurred: { fromMs: null, toMs: null },
    filters: {},
    after: null,
    limit: 1_000,
    timeoutMs: 5_000,
  };
  const page = await readLogsPage(models, query);
  const body = page.close('}').toString();
  expect(() => JSON.parse(body)).not.toThrow();
  const documents = body.slice(body.indexOf('[') + 1, body.lastIndexOf(']'));
  return documents
    .split(/,(?=\{"id":"[0-9a-f-]{36}","occurredAt":")/)
    .map((document) => document.replace(/(?<="discoveredAt":")[^"]+/, ''))
    .toSorted();
}
