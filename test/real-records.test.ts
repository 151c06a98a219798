import { existsSync, readFileSync } from 'node:fs';
import { type Message, readActivity } from '@tenantscope/intake';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Broker, connectBroker } from './product/broker.ts';
import { eventually } from './product/eventually.ts';
import { type LetterSeen, type LogRowSeen, type Looking, lookInto } from './product/looking.ts';
import { type Product, product } from './product/product.ts';
import { activityMessage } from './product/records.ts';
import { drawLots } from './torture/lots.ts';

/** Records that others have published. They stay outside the repository. */
const folder = new URL('../../shared/real-data/', import.meta.url);
const isThere = existsSync(new URL('index.json', folder));
if (!isThere) console.log('real records are skipped: there is no ../shared/real-data beside the checkout');

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

describe.skipIf(!isThere)('published records of the Management Activity API', () => {
  const indexed = isThere
    ? (JSON.parse(readFileSync(new URL('index.json', folder), 'utf8')) as { files: IndexedFile[] }).files
    : [];
  const files = indexed.filter((file) => file.format === format);
  let running: Product;
  let broker: Broker;
  let looking: Looking;
  let published: Published[];

  beforeAll(async () => {
    running = await product();
    looking = await lookInto(running.database.superuser);
    broker = await connectBroker(running.environment.TENANTSCOPE_KAFKA_BROKERS ?? '');
    published = await Promise.all(
      files.map(async (file) => {
        const name = file.path.slice(file.path.lastIndexOf('/') + 1);
        // Without a Microsoft tenant: the files hold records of several.
        const tenant = await running.admin.tenants.create({ name, organizationId: null, azureTenantId: null });
        return { ...file, lines: linesOf(file.path), tenantId: tenant.id };
      }),
    );
    await running.startIngest({ TZ: 'America/New_York' });
    await deliver((lines) => lines);
  }, 120_000);
  afterAll(async () => {
    await looking?.[Symbol.asyncDispose]();
    await broker?.[Symbol.asyncDispose]();
    await running?.[Symbol.asyncDispose]();
  }, 60_000);

  /** Publishes every line of every file and waits until the last is passed. */
  async function deliver(inOrder: (lines: readonly string[]) => readonly string[]): Promise<void> {
    const partition = 0; // one lane, whose end is the end of all
    const messages = published.flatMap(({ tenantId, lines }) =>
      inOrder(lines).map((line) => activityMessage(tenantId, line)),
    );
    for (let from = 0; from < messages.length; from += perSend) {
      await broker.append(running.activityTopic, partition, messages.slice(from, from + perSend));
    }
    const { high } = await broker.offsets(running.activityTopic, partition);
    await eventually('all are passed', 60_000, async () => {
      const lanes = await running.admin.lanes.list();
      return lanes.some(
        (lane) =>
          lane.topic === running.activityTopic && lane.partition === partition && BigInt(lane.nextOffset) >= high,
      );
    });
  }

  async function standing(): Promise<{ rows: Map<string, LogRowSeen[]>; letters: Map<string | null, LetterSeen[]> }> {
    const rows = new Map(
      await Promise.all(published.map(async ({ tenantId }) => [tenantId, await looking.rows(tenantId)] as const)),
    );
    return { rows, letters: Map.groupBy(await looking.letters(), ({ tenantId }) => tenantId) };
  }

  test('every record ends as exactly one row or one letter', async () => {
    const { rows, letters } = await standing();
    for (const { path, tenantId, lines, records, distinctWithTimeAndOperation } of published) {
      const own = rows.get(tenantId) ?? [];
      const aside = letters.get(tenantId) ?? [];
      const setAside = new Set(aside.map(({ value }) => value?.toString() ?? ''));
      const became = lines.filter((line) => !setAside.has(line));
      const ids = new Set(became.map((line) => rowIdOf(tenantId, line)));
      expect({ path, records: lines.length, rows: own.length }).toEqual({
        path,
        records,
        rows: distinctWithTimeAndOperation,
      });
      expect(new Set(own.map(({ id }) => id)), path).toEqual(ids);
      expect(aside.length, path).toBe(lines.length - became.length);
    }
  });

  test('what others made of the same records agrees on time, action, id and address', async () => {
    const { rows } = await standing();
    const differing: string[] = [];
    let compared = 0;
    for (const { expected, expectedFormat, tenantId, lines } of published) {
      if (expected === undefined || expectedFormat !== 'elastic-ecs') continue;
      const documents = new Map(rows.get(tenantId)?.map(({ id, document }) => [id, document]));
      for (const [index, text] of linesOf(expected).entries()) {
        const theirs = JSON.parse(text) as Ecs | null;
        const ours = documents.get(rowIdOf(tenantId, lines[index] ?? '') ?? '');
        if (theirs === null || ours === undefined) continue;
        const wanted = {
          occurredAt: new Date(theirs['@timestamp']).toISOString(),
          action: theirs.event.action,
          externalEventId: theirs.event.id,
          actorIp: theirs.client?.ip ?? theirs.source?.ip,
        };
        for (const [member, value] of Object.entries(wanted)) {
          if (value !== undefined && ours[member] !== value) differing.push(`${index} ${member}: ${value}`);
        }
        compared += 1;
      }
    }
    expect(differing).toEqual(renamedByThem);
    expect(compared).toBeGreaterThan(150);
  });

  test('a second, shuffled delivery adds no row and changes none', async () => {
    const before = await standing();
    const lots = drawLots('second delivery');
    await deliver((lines) => lots.shuffle(lines));
    const after = await standing();
    expect(after.rows).toEqual(before.rows);
  }, 120_000);
});

interface Ecs {
  '@timestamp': string;
  event: { action: string; id?: string };
  client?: { ip?: string };
  source?: { ip?: string };
}

/** Two operations that they give other names, and one whose trailing space is no part of ours. */
const renamedByThem = [
  '16 action: modified-user-account',
  '36 action: Update application – Certificates and secrets management ',
  '37 action: Update application – Certificates and secrets management ',
  '188 action: added-users-to-group',
];

/** The id that a record must have, whoever delivers it and when; undefined when it is no row. */
function rowIdOf(tenantId: string, line: string): string | undefined {
  const { key, value, headers } = activityMessage(tenantId, line);
  const message: Message = { key: Buffer.from(key), value, headers };
  const outcomes = readActivity(message, {
    tenantOf: () => ({ azureTenantId: null }),
    nowMs: Date.now(),
    maxValueBytes: 1_048_576,
    onlyElement: null,
  });
  return outcomes.find((outcome) => outcome.kind === 'log')?.row.id;
}
