import { randomUUID } from 'node:crypto';
import { type Message, readActivity } from '@tenantscope/intake';
import { connectReadModels, type ReadModels, readLogRecord } from '@tenantscope/store/read';
import { expect } from 'vitest';
import { activityMessage } from '../../installation/activity-records.ts';
import { createTopics } from '../../installation/create-topics.ts';
import type { DatabaseInspector, StoredDeadLetter } from '../../installation/database-inspector.ts';
import { eventually } from '../../installation/eventually.ts';
import { type IngestInstallation, startIngestInstallation } from '../../installation/ingest-installation.ts';
import { type RecordFile, recordFiles } from './shipped-records.ts';

/** A topic that is bound to a format and a tenant of its own. */
export interface BoundTopic {
  readonly format: string;
  readonly topic: string;
  readonly tenantId: string;
}

export interface ShipperFixture {
  readonly brokers: string;
  bind(format: string): Promise<BoundTopic>;
  /**
   * Waits until these records are rows of the log or security alerts, and requires exactly the rows, ids and raw texts that
   * they have without a shipper.
   */
  expectRowsOf(bound: BoundTopic, records: readonly string[]): Promise<void>;
  deadLetters(bound: BoundTopic): Promise<StoredDeadLetter[]>;
}

type Documents = ReadonlyMap<string, Record<string, unknown>>;

const rowsWithinMs = 60_000;

/** An installation that has read the bare records of all files from topics of their own. It ends with the stack. */
export async function startShipperFixture(owner: AsyncDisposableStack): Promise<ShipperFixture> {
  const running = await startIngestInstallation(owner);
  const models = await connectReadModels(running.installation.database.roles.api, { name: 'test', maxConnections: 2 });
  const topics: string[] = [];
  owner.defer(async () => {
    await models[Symbol.asyncDispose]();
    await running.broker.admin.deleteTopics({ topics }).catch(() => {});
  });

  async function bind(format: string): Promise<BoundTopic> {
    const { installation, broker } = running;
    const topic = `shipper-${randomUUID()}`;
    await createTopics(broker.admin, [{ topic, numPartitions: 2 }]);
    topics.push(topic);
    const { id: tenantId } = await installation.createTenant();
    await installation.cli('source', 'create', '--topic', topic, '--format', format, '--tenant', tenantId);
    return { format, topic, tenantId };
  }

  const bare = new Map<string, Documents>();
  for (const file of recordFiles) bare.set(file.format, await readBareRows(running, await bind(file.format), file));
  return {
    brokers: running.installation.environment.TENANTSCOPE_KAFKA_BROKERS ?? '',
    bind,
    async expectRowsOf(bound, records) {
      const found = await readRows(running, bound, records);
      const expected = bare.get(bound.format);
      expect(found).toEqual(new Map(records.map((record) => [record, expected?.get(record)])));
      // Of an alert the raw record is part of its detail.
      if (!isAlert(bound)) await expectRawTexts(models, bound, records);
    },
    deadLetters: async ({ topic }) =>
      (await running.inspector.deadLetters()).filter((deadLetter) => deadLetter.topic === topic),
  };
}

async function readBareRows(running: IngestInstallation, bound: BoundTopic, file: RecordFile): Promise<Documents> {
  const messages = file.records.map((record) => ({ value: Buffer.from(record) }));
  await running.broker.append(bound.topic, 0, messages);
  return readRows(running, bound, file.records);
}

/** The rows of the tenant by their records, without what differs between tenants. A row of no record is an error. */
async function readRows(
  { inspector }: IngestInstallation,
  bound: BoundTopic,
  records: readonly string[],
): Promise<Documents> {
  const { topic, tenantId } = bound;
  const read = isAlert(bound) ? readAlerts : readLogRows;
  const isComplete = async () => (await countRows(inspector, bound)) >= records.length;
  await eventually(`${records.length} rows of ${topic}`, rowsWithinMs, isComplete);
  const ids = new Map(records.map((record) => [computeRowId(bound, record), record]));
  const documents = await read(inspector, tenantId);
  return new Map(documents.map(([id, document]) => [ids.get(id) ?? `no record has the id ${id}`, document]));
}

type IdentifiedDocument = readonly [id: string, document: Record<string, unknown>];

const isAlert = ({ format }: BoundTopic) => format.includes('.alert');

async function countRows(inspector: DatabaseInspector, bound: BoundTopic): Promise<number> {
  const { tenantId } = bound;
  return isAlert(bound) ? (await readAlerts(inspector, tenantId)).length : inspector.rowCount(tenantId);
}

async function readLogRows(inspector: DatabaseInspector, tenantId: string): Promise<IdentifiedDocument[]> {
  return (await inspector.rows(tenantId)).map(({ id, document }) => {
    const { id: _, tenantId: __, discoveredAt: ___, ...shared } = document;
    return [id, shared];
  });
}

async function readAlerts({ client }: DatabaseInspector, tenantId: string): Promise<IdentifiedDocument[]> {
  const { rows } = await client.query<{ id: string; document: string; detail: string }>(
    'select id, document, detail from models.security_alert where tenant_id = $1',
    [tenantId],
  );
  // Once each, before any text of the record.
  const hideTenant = (text: string) =>
    text.replace(/"updatedAt":"[^"]*"/, '"updatedAt":""').replace(`"tenantId":"${tenantId}"`, '"tenantId":""');
  return rows.map(({ id, document, detail }) => [id, { document: hideTenant(document), detail: hideTenant(detail) }]);
}

async function expectRawTexts(models: ReadModels, bound: BoundTopic, records: readonly string[]): Promise<void> {
  for (const record of records) {
    const id = computeRowId(bound, record) ?? '';
    const row = await readLogRecord(models, { tenantId: bound.tenantId, id, timeoutMs: 10_000 });
    expect(row?.raw?.toString()).toBe(record);
  }
}

/** The id that the record has without an installation. */
function computeRowId(bound: BoundTopic, record: string): string | undefined {
  const { tenantId, format } = bound;
  if (isAlert(bound)) {
    const { id, alertId } = JSON.parse(record) as { id?: string; alertId?: string };
    return id ?? alertId;
  }
  const { key, value, headers } = activityMessage(tenantId, record, format);
  const message: Message = { key: Buffer.from(key), value, headers };
  const outcomes = readActivity(message, {
    findTenant: () => ({ azureTenantId: null }),
    nowMs: Date.now(),
    maxValueBytes: 1_048_576,
    onlyElement: null,
  });
  return outcomes.find((outcome) => outcome.kind === 'log')?.row.id;
}
