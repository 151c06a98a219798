import { type ObservedProcess, readMetricReference } from '@tenantscope/docs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startCollecting } from '../collect/collect-process.ts';
import { activityMessage, activityRecord } from '../installation/activity-records.ts';
import { eventually } from '../installation/eventually.ts';
import { type Installation, startInstallation } from '../installation/installation.ts';
import { startConsoleProcess } from './console-process.ts';

const stack = new AsyncDisposableStack();
let installation: Installation;
let tenant: Awaited<ReturnType<Installation['createTenant']>>;
let ports: Readonly<Record<ObservedProcess, number>>;

beforeAll(async () => {
  installation = stack.use(await startInstallation());
  tenant = await installation.createTenant();
  const [ingest, jobs, api, collect, console] = await Promise.all([
    installation.startIngest(),
    installation.startJobs(),
    installation.startApi(),
    startCollecting(installation.environment),
    startConsoleProcess(installation.environment),
  ]);
  for (const process of [collect, console]) stack.use(process);
  ports = {
    ingest: ingest.healthPort,
    jobs: jobs.healthPort,
    api: api.healthPort,
    collect: collect.healthPort,
    console: console.healthPort,
  };
  // Records, an unknown tenant, a response, a wrong key: figures with every label.
  await installation.publisher.publish(installation.activityTopic, [
    activityMessage(tenant.id, activityRecord(1)),
    activityMessage('5b0f5c4e-5f8b-4b7e-8f43-0f5a3d0c9b11', activityRecord(2)),
  ]);
  const request = (secret: string) =>
    fetch(`${api.baseUrl}/logs`, { headers: { authorization: `Bearer ${secret}` } }).then((response) =>
      response.text(),
    );
  await eventually('the record is served', 30_000, async () => (await request(tenant.secret)).includes('"id"'));
  await request('wrong');
}, 180_000);
afterAll(() => stack.disposeAsync(), 60_000);

const scrape = async (process: ObservedProcess) => (await fetch(`http://127.0.0.1:${ports[process]}/metrics`)).text();

test.each(['api', 'ingest', 'jobs', 'console', 'collect'] as const)(
  '%s exposes the metrics of the reference, and is ready',
  async (process) => {
    const text = await scrape(process);
    const exposed = [...text.matchAll(/^# TYPE (tenantscope_\w+) (\w+)$/gm)].map(([, name, type]) => `${name} ${type}`);
    const documented = readMetricReference().product.filter(({ processes }) => processes.includes(process));
    expect(exposed.sort()).toEqual(documented.map(({ name, type }) => `${name} ${type}`).sort());
    const cell = process === 'ingest' || process === 'jobs' ? ',cell="default"' : '';
    expect(text).toContain(`tenantscope_ready{process="${process}"${cell}} 1`);
  },
);

test.each(['ingest', 'jobs'] as const)('every series of %s has the name of its cell', async (process) => {
  const series = (await scrape(process)).split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  expect(series.filter((line) => !line.includes('cell="default"'))).toEqual([]);
});

test('no scrape contains the id or the key of a tenant', async () => {
  const texts = await Promise.all((Object.keys(ports) as ObservedProcess[]).map(scrape));
  const ids = [tenant.id, tenant.azureTenantId, tenant.secret, '5b0f5c4e-5f8b-4b7e-8f43-0f5a3d0c9b11'];
  for (const text of texts) for (const id of ids) expect(text).not.toContain(id);
  expect(texts.join('\n')).toMatch(
    /^tenantscope_ingest_dead_letters_total\{[^}]*reason="UNKNOWN_TENANT",cell="default"\} 1$/m,
  );
});
