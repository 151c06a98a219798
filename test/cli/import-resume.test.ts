import { randomUUID } from 'node:crypto';
import { mkdtemp, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { activityRecord } from '../installation/activity-records.ts';
import { eventually } from '../installation/eventually.ts';
import { startIngestInstallation } from '../installation/ingest-installation.ts';
import { run, start } from './command-line.ts';

const { installation, broker, topic } = await startIngestInstallation();
const { environment } = installation;
const directory = await mkdtemp(join(tmpdir(), 'tenantscope-import-'));
afterAll(() => rm(directory, { recursive: true, force: true }));

const count = 60_000;

async function writeLines(azureTenantId: string): Promise<string> {
  const file = join(directory, `${randomUUID()}.ndjson`);
  const lines = Array.from({ length: count }, (_, number) =>
    number % 100 === 7 ? `wrong ${number}` : JSON.stringify(activityRecord(number, { OrganizationId: azureTenantId })),
  );
  await writeFile(file, lines.join('\n'));
  return file;
}

const messagesInTopic = async () =>
  (await broker.admin.fetchTopicOffsets(topic)).reduce((sum, { high }) => sum + Number(high), 0);

test.each(['SIGINT', 'SIGKILL'] as const)(
  'an import that %s ends continues where it was, and its counts are exact',
  async (signal) => {
    const { id, azureTenantId } = await installation.createTenant();
    const file = await writeLines(azureTenantId);
    const before = await messagesInTopic();
    const args = ['import', '--tenant', id, '--format', 'o365.management-activity', '--json', file];
    const { child, ran } = start(args, { environment });
    child.stdin.end();
    await eventually('some lines are published', 30_000, async () => (await messagesInTopic()) > before);
    child.kill(signal);
    const { stderr } = await ran;
    const [stored] = (await installation.admin.imports.list({ limit: 1, tenantId: id })).found;
    expect(stored).toMatchObject({ tenantId: id, publishedAt: null });
    const { id: importId, published } = stored as { id: string; published: number };
    expect(published).toBeLessThan(count);
    if (signal === 'SIGINT') {
      expect(stderr).toBe(
        `tenantscope: interrupted; ${published.toLocaleString('en')} records were published; continue: tenantscope import --resume ${importId}\n`,
      );
      // What was counted is what the topic has: the batch in flight was awaited.
      expect((await messagesInTopic()) - before).toBe(published);
    }

    const resumed = await run(['import', '--resume', importId, '--json'], { environment });
    expect(JSON.parse(resumed.stdout)).toMatchObject({
      importId,
      published: count,
      messages: count,
      rows: count * 0.99,
      duplicates: 0,
      deadLetters: { INVALID_JSON: count / 100 },
      isComplete: true,
      isSettled: true,
    });
    expect((await run(['import', '--resume', importId], { environment })).stderr).toMatch(/is published completely/);
  },
  180_000,
);

test('an import whose file has changed is not resumed', async () => {
  const { id, azureTenantId } = await installation.createTenant();
  const file = await writeLines(azureTenantId);
  const { child, ran } = start(['import', '--tenant', id, '--format', 'o365.management-activity', file], {
    environment,
  });
  child.stdin.end();
  const find = async () => (await installation.admin.imports.list({ limit: 1, tenantId: id })).found[0];
  await eventually('the import has begun', 30_000, async () => (await find()) !== undefined);
  child.kill('SIGINT');
  await ran;
  await utimes(file, 1, 1);
  const { status, stderr } = await run(['import', '--resume', (await find())?.id ?? ''], { environment });
  expect({ status, stderr }).toEqual({
    status: 1,
    stderr: `tenantscope: ${file} has changed since; import it again: records that are written are duplicates\n`,
  });
}, 60_000);

/** The broker confirms a limit before it applies it. */
async function limitMessages(maxBytes: number): Promise<void> {
  const configEntries = [{ name: 'max.message.bytes', value: String(maxBytes) }];
  await broker.admin.alterConfigs({ validateOnly: false, resources: [{ type: 2, name: topic, configEntries }] });
  const value = Buffer.alloc(600_000, ' ');
  await eventually('the limit applies', 30_000, async () => {
    const isAccepted = await broker.append(topic, 0, [{ key: 'k', value, headers: {} }]).then(
      () => true,
      () => false,
    );
    return isAccepted === maxBytes > value.length;
  });
}

test('an import that Kafka refuses counts what Kafka has, and continues with the rest', async () => {
  const { id, azureTenantId } = await installation.createTenant();
  const file = join(directory, `${randomUUID()}.ndjson`);
  const line = (number: number, more: object = {}) =>
    JSON.stringify(activityRecord(number, { OrganizationId: azureTenantId, ...more }));
  // The long record does not fit into the request of the others.
  const lines = Array.from({ length: 100 }, (_, number) => line(number));
  await writeFile(file, [...lines, line(100, { Note: 'x'.repeat(690_000) })].join('\n'));
  await limitMessages(400_000);
  const refused = await run(['import', '--tenant', id, '--format', 'o365.management-activity', file], { environment });
  expect(refused.status).toBe(1);
  const [stored] = (await installation.admin.imports.list({ limit: 1, tenantId: id })).found;
  expect(stored).toMatchObject({ tenantId: id, published: 100, publishedAt: null });
  await limitMessages(1_048_588);
  const resumed = await run(['import', '--resume', stored?.id ?? '', '--json'], { environment });
  expect(JSON.parse(resumed.stdout)).toMatchObject({ published: 101, rows: 101, duplicates: 0, isComplete: true });
}, 120_000);
