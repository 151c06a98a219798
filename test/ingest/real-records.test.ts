import { existsSync, readFileSync } from 'node:fs';
import { type Message, readActivity } from '@tenantscope/intake';
import { connectReadModels, readLogRecord } from '@tenantscope/store/read';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { activityMessage } from '../installation/activity-records.ts';
import { type Broker, connectBroker } from '../installation/broker.ts';
import {
  type DatabaseInspector,
  openDatabaseInspector,
  type StoredDeadLetter,
  type StoredLogRow,
} from '../installation/database-inspector.ts';
import { eventually } from '../installation/eventually.ts';
import { type Installation, startInstallation } from '../installation/installation.ts';
import { createRandom } from '../torture/random.ts';

/** Published records of third parties. They are not part of the repository. */
const folder = new URL('../../../shared/real-data/', import.meta.url);
const isThere = existsSync(new URL('index.json', folder));
if (!isThere) console.log('real records are skipped: there is no ../shared/real-data next to the checkout');

const format = 'o365.management-activity';
const perSend = 200;

interface IndexedFile {
  path: string;
  format: string;
  records: number;
  distinctWithTimeAndOperation: number;
  expected?: string;
  expectedFormat?: string;
}

interface Published extends IndexedFile {
  lines: string[];
  tenantId: string;
}

const linesOf = (path: string): string[] =>
  readFileSync(new URL(path.replace(/^dev\//, ''), folder), 'utf8')
    .trimEnd()
    .split('\n');

describe.skipIf(!isThere)('published records of the Management Activity API', { tags: ['shared-records'] }, () => {
  const indexed = isThere
    ? (JSON.parse(readFileSync(new URL('index.json', folder), 'utf8')) as { files: IndexedFile[] }).files
    : [];
  const files = indexed.filter((file) => file.format === format);
  let installation: Installation;
  let broker: Broker;
  let inspector: DatabaseInspector;
  let published: Published[];

  beforeAll(async () => {
    installation = await startInstallation();
    inspector = await openDatabaseInspector(installation.database.superuser);
    broker = await connectBroker(installation.environment.TENANTSCOPE_KAFKA_BROKERS ?? '');
    published = await Promise.all(
      files.map(async (file) => {
        const name = file.path.slice(file.path.lastIndexOf('/') + 1);
        // Without a Microsoft tenant: the files contain records of several.
        const tenant = await installation.admin.tenants.create({ name, organizationId: null, azureTenantId: null });
        return { ...file, lines: linesOf(file.path), tenantId: tenant.id };
      }),
    );
    await installation.startIngest({ TZ: 'America/New_York' });
    await deliver((lines) => lines);
  });
  afterAll(async () => {
    await inspector?.[Symbol.asyncDispose]();
    await broker?.[Symbol.asyncDispose]();
    await installation?.[Symbol.asyncDispose]();
  });

  /** Publishes every line of every file and waits until the last one is processed. */
  async function deliver(inOrder: (lines: readonly string[]) => readonly string[]): Promise<void> {
    const partition = 0; // one lane, whose end is the end of all
    const messages = published.flatMap(({ tenantId, lines }) =>
      inOrder(lines).map((line) => activityMessage(tenantId, line)),
    );
    for (let from = 0; from < messages.length; from += perSend) {
      await broker.append(installation.activityTopic, partition, messages.slice(from, from + perSend));
    }
    const { high } = await broker.offsets(installation.activityTopic, partition);
    await eventually('all records are processed', 60_000, async () => {
      const lanes = await installation.admin.lanes.list();
      return lanes.some(
        (lane) =>
          lane.topic === installation.activityTopic && lane.partition === partition && BigInt(lane.nextOffset) >= high,
      );
    });
  }

  async function readStored(): Promise<{
    rows: Map<string, StoredLogRow[]>;
    deadLetters: Map<string | null, StoredDeadLetter[]>;
  }> {
    const rows = new Map(
      await Promise.all(published.map(async ({ tenantId }) => [tenantId, await inspector.rows(tenantId)] as const)),
    );
    return { rows, deadLetters: Map.groupBy(await inspector.deadLetters(), ({ tenantId }) => tenantId) };
  }

  test('every record becomes exactly one row or one dead letter', async () => {
    const { rows, deadLetters } = await readStored();
    for (const { path, tenantId, lines, records, distinctWithTimeAndOperation } of published) {
      const own = rows.get(tenantId) ?? [];
      const aside = deadLetters.get(tenantId) ?? [];
      const deadLetterValues = new Set(aside.map(({ value }) => value?.toString() ?? ''));
      const became = lines.filter((line) => !deadLetterValues.has(line));
      const ids = new Set(became.map((line) => rowIdOf(tenantId, line)));
      // Records with names in lower case, which the index does not count.
      const inLowerCase = new Set(lines.filter((line) => line.includes('"creationtime":')));
      expect({ path, records: lines.length, rows: own.length }).toEqual({
        path,
        records,
        rows: (distinctWithTimeAndOperation ?? 0) + inLowerCase.size,
      });
      expect(new Set(own.map(({ id }) => id)), path).toEqual(ids);
      expect(aside.length, path).toBe(lines.length - became.length);
    }
  });

  test('time, action, id and address agree with other parsers of the same records', async () => {
    const { rows } = await readStored();
    const differing: string[] = [];
    let compared = 0;
    for (const { expected, expectedFormat, tenantId, lines } of published) {
      if (expected === undefined || expectedFormat !== 'elastic-ecs') continue;
      const documents = new Map(rows.get(tenantId)?.map(({ id, document }) => [id, document]));
      for (const [index, text] of linesOf(expected).entries()) {
        const theirs = JSON.parse(text) as Ecs | null;
        const ours = documents.get(rowIdOf(tenantId, lines[index] ?? '') ?? '');
        if (theirs === null || ours === undefined) continue;
        const expected = {
          occurredAt: new Date(theirs['@timestamp']).toISOString(),
          action: theirs.event.action,
          externalEventId: theirs.event.id,
          actorIp: theirs.client?.ip ?? theirs.source?.ip,
        };
        for (const [member, value] of Object.entries(expected)) {
          if (value !== undefined && ours[member] !== value) differing.push(`${index} ${member}: ${value}`);
        }
        compared += 1;
      }
    }
    expect(differing).toEqual(renamedByThem);
    expect(compared).toBeGreaterThan(150);
  });

  test('the stored text of every row is that of its record, in at most 300 bytes', async () => {
    await using models = await connectReadModels(installation.database.roles.api, { name: 'test', maxConnections: 2 });
    const { rows } = await readStored();
    let [stored, compared] = [0, 0];
    for (const { tenantId, lines } of published) {
      const texts = new Map(lines.toReversed().map((line) => [rowIdOf(tenantId, line), unwrap(line)] as const));
      const own = rows.get(tenantId) ?? [];
      stored += own.length;
      // A read takes milliseconds: of large files one row in five, with the first and the last of many blocks.
      for (const { id, document } of own.filter((_, index) => own.length < 500 || index % 5 === 0)) {
        const record = await readLogRecord(models, { tenantId, id, timeoutMs: 10_000 });
        expect(JSON.parse(record?.document ?? '')).toEqual(document);
        expect(record?.raw?.toString()).toBe(texts.get(id));
        compared += 1;
      }
    }
    expect(compared).toBeGreaterThan(500);
    expect(await readRawBytes()).toBeLessThan(300 * stored);
  });

  /** With indexes, tuple headers and everything else on disk. */
  async function readRawBytes(): Promise<number> {
    const { rows: sizes } = await inspector.client.query<{ bytes: number }>(
      "select sum(pg_total_relation_size(relid))::float8 as bytes from pg_partition_tree('models.audit_log_raw') where isleaf",
    );
    return sizes[0]?.bytes ?? Number.NaN;
  }

  test('a second, shuffled delivery adds and changes no row', async () => {
    const before = await readStored();
    const lots = createRandom('second delivery');
    await deliver((lines) => lots.shuffle(lines));
    const after = await readStored();
    expect(after.rows).toEqual(before.rows);
  });
});

interface Ecs {
  '@timestamp': string;
  event: { action: string; id?: string };
  client?: { ip?: string };
  source?: { ip?: string };
}

/** Two operations with other names, and one whose trailing space is not part of ours. */
const renamedByThem = [
  '16 action: modified-user-account',
  '36 action: Update application – Certificates and secrets management ',
  '37 action: Update application – Certificates and secrets management ',
  '188 action: added-users-to-group',
];

/** The id that a record must have for every collector and time; undefined when it becomes no row. */
function rowIdOf(tenantId: string, line: string): string | undefined {
  const { key, value, headers } = activityMessage(tenantId, line);
  const message: Message = { key: Buffer.from(key), value, headers };
  const outcomes = readActivity(message, {
    findTenant: () => ({ azureTenantId: null }),
    nowMs: Date.now(),
    maxValueBytes: 1_048_576,
    onlyElement: null,
  });
  return outcomes.find((outcome) => outcome.kind === 'log')?.row.id;
}

/** The record alone: exports have it as JSON text in a member. */
function unwrap(line: string): string {
  const { AuditData } = JSON.parse(line) as { AuditData?: string };
  return AuditData ?? line;
}
