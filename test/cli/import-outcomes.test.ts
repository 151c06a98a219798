import { randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { activityMessage, activityRecord } from '../installation/activity-records.ts';
import { eventually } from '../installation/eventually.ts';
import { startIngestInstallation } from '../installation/ingest-installation.ts';
import { type CommandResult, run, start } from './command-line.ts';

const { installation, broker, ingest, topic } = await startIngestInstallation();
const { environment } = installation;
const directory = await mkdtemp(join(tmpdir(), 'tenantscope-import-'));
afterAll(() => rm(directory, { recursive: true, force: true }));

const format = 'o365.management-activity';

async function writeLines(lines: readonly string[]): Promise<string> {
  const path = join(directory, `${randomUUID()}.ndjson`);
  await writeFile(path, `${lines.join('\n')}\n`);
  return path;
}

const line = (number: number, azureTenantId: string, more: object = {}): string =>
  JSON.stringify(activityRecord(number, { OrganizationId: azureTenantId, ...more }));

const command = (...args: string[]): Promise<CommandResult> => run(args, { environment });
const importFile = (tenant: string, ...args: string[]) =>
  command('import', '--tenant', tenant, '--format', format, '--json', ...args);

test('an import reports rows, duplicates and dead letters by reason, which are all of its lines', async () => {
  const { id, azureTenantId } = await installation.createTenant();
  const good = Array.from({ length: 1_500 }, (_, number) => line(number, azureTenantId));
  const lines = [
    ...good,
    String(good[3]), // twice in the file
    'not json',
    '{"Operation":"truncated',
    line(1, azureTenantId, { CreationTime: undefined }),
  ];
  const file = await writeLines(lines);
  const first = await importFile(id, file);
  expect(JSON.parse(first.stdout)).toMatchObject({
    tenantId: id,
    published: 1_504,
    messages: 1_504,
    records: 1_504,
    rows: 1_500,
    duplicates: 1,
    deadLetters: { INVALID_JSON: 2, MISSING_TIMESTAMP: 1 },
    isComplete: true,
    isSettled: true,
  });
  const { importId } = JSON.parse(first.stdout);
  expect(first.status).toBe(1);
  expect(first.stderr).toBe(
    `tenantscope: 3 dead letters; look at them: tenantscope dead-letters summary --import ${importId}\n`,
  );
  const again = await importFile(id, file);
  expect(JSON.parse(again.stdout)).toMatchObject({ messages: 1_504, rows: 0, duplicates: 1_501 });
  const shown = await command('imports', 'show', importId);
  expect(shown.stdout).toContain('rows                 1,500');
});

test('records of another producer in the same partition are not counted', async () => {
  const { id, azureTenantId } = await installation.createTenant();
  const file = await writeLines(Array.from({ length: 3_000 }, (_, number) => line(number, azureTenantId)));
  const importing = importFile(id, file);
  const claims = [undefined, 'no import', `${randomUUID()}/1`];
  for (let number = 0; number < 60; number++) {
    const message = activityMessage(id, activityRecord(10_000 + number, { OrganizationId: azureTenantId }));
    const claim = claims[number % claims.length];
    const headers = claim === undefined ? message.headers : { ...message.headers, 'tenantscope-import': claim };
    await broker.producer.send({ topic, messages: [{ ...message, headers }] });
  }
  expect(JSON.parse((await importing).stdout)).toMatchObject({ messages: 3_000, rows: 3_000, duplicates: 0 });
});

test('counts stay exact when ingest is killed while it reads an import', async () => {
  const { id, azureTenantId } = await installation.createTenant();
  const lines = Array.from({ length: 20_000 }, (_, number) =>
    number % 10 === 0 ? `wrong line ${number}` : line(number, azureTenantId),
  );
  const { child, ran } = start(['import', '--tenant', id, '--format', format, '--json', await writeLines(lines)], {
    environment,
  });
  child.stdin.end();
  await eventually('some lines are settled', 30_000, async () => {
    const [stored] = (await installation.admin.imports.list({ limit: 1, tenantId: id })).found;
    const read = stored && (await installation.admin.imports.readOutcome(stored));
    return (read?.outcome.messages ?? 0) > 0;
  });
  ingest.child.kill('SIGKILL');
  await installation.startIngest();
  const { stdout } = await ran;
  expect(JSON.parse(stdout)).toMatchObject({
    published: 20_000,
    messages: 20_000,
    rows: 18_000,
    duplicates: 0,
    deadLetters: { INVALID_JSON: 2_000 },
    isSettled: true,
  });
}, 120_000);
