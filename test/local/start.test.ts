import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { apiConfig } from '@tenantscope/api/config';
import { collectConfig } from '@tenantscope/collect/config';
import { consoleConfig } from '@tenantscope/console/config';
import { ingestConfig } from '@tenantscope/ingest/config';
import { jobsConfig } from '@tenantscope/jobs/config';
import { checkout, findFreePort, isProcessAlive } from '@tenantscope/local';
import { listVariables } from '@tenantscope/runtime';
import { afterAll, expect, test, vi } from 'vitest';

// All of `npm start` as a new user sees it, in its own directory.
interface State {
  baseUrl: string;
  consoleUrl: string;
  keys: { tenant: string; organization: string };
  tenants: { id: string; name: string }[];
  processes: { name: string; pid: number }[];
}

const directory = await mkdtemp('/var/tmp/tenantscope-start-');
await chmod(directory, 0o711);
const stateFile = join(directory, 'state.json');
const port = await findFreePort();
const runs: ChildProcess[] = [];
afterAll(async () => {
  for (const run of runs) run.kill('SIGKILL');
  await rm(directory, { recursive: true, force: true });
});

test('one command starts all services, one signal stops them, and the next start finds the same data', async () => {
  const first = start();
  const state = await first.up();
  expect((await stat(stateFile)).mode & 0o777).toBe(0o600);
  expect(state.tenants).toHaveLength(3);
  expect(state.processes.map(({ name }) => name).sort()).toEqual([
    'api',
    'console',
    'ingest',
    'jobs',
    'kafka',
    'postgres',
    'redis',
  ]);

  for (const { name, pid } of state.processes) expectExactVariables(name, await readVariables(pid));

  const headers = { authorization: `Bearer ${state.keys.tenant}` };
  const logs = await (await fetch(`${state.baseUrl}/logs?limit=1000`, { headers })).json();
  expect(logs).toMatchObject({ pagination: { hasMore: true } });
  const tenants = await fetch(`${state.baseUrl}/tenants`, { headers: { 'x-api-key': state.keys.organization } });
  expect(await tenants.json()).toMatchObject({ data: [{}, {}, {}] });

  const history = await fetch(`${state.baseUrl}/compliance/snapshots`, { headers });
  const snapshots = (await history.json()) as { data: Record<string, unknown>[] };
  expect(snapshots.data.length).toBeGreaterThanOrEqual(6);
  expect(snapshots.data[0]).toMatchObject({ trigger: 'manual', takenBy: 'start' });
  expect(snapshots.data.at(-1)).toMatchObject({ trigger: 'scheduled', late: true, previousSha256: null });

  // By the host name that passkeys need; the IP address redirects there.
  expect(state.consoleUrl).toMatch(/^http:\/\/localhost:\d+$/);
  const byAddress = state.consoleUrl.replace('localhost', '127.0.0.1');
  const led = await fetch(`${byAddress}/console/keys`, { redirect: 'manual' });
  expect(led.headers.get('location')).toBe(`${state.consoleUrl}/console/keys`);

  const second = start('--port', String(await findFreePort()));
  expect(await second.ended).toBe(1);
  expect(second.readOutput()).toMatch(/is already running in this checkout/);

  const killed = pidOf(state, 'api');
  process.kill(killed, 'SIGKILL');
  await vi.waitFor(async () => expect(pidOf(await readState(), 'api')).not.toBe(killed), 10_000);
  expect(first.readOutput()).toMatch(/api .*exited \(SIGKILL\); restarting in 0.5 s/);
  await vi.waitFor(() => fetch(`${state.baseUrl}/ping`, { headers }), 10_000);

  // No collecting process runs without a collector.
  await createCollector(state.tenants[0]?.id ?? '');
  await vi.waitFor(async () => expect(pidOf(await readState(), 'collect')).toBeGreaterThan(0), 60_000);
  expectExactVariables('collect', await readVariables(pidOf(await readState(), 'collect')));

  const { processes } = await readState();
  first.stop();
  expect(await first.ended).toBe(0);
  expect(processes.filter(({ pid }) => isProcessAlive(pid))).toEqual([]);
  await expect(stat(stateFile)).rejects.toThrow('ENOENT');

  const again = start('--no-demo');
  expect(await again.up()).toMatchObject({ tenants: [] });
  await vi.waitFor(() =>
    expect(again.readOutput()).toMatch(
      /Create the first administrator with a set-up link:\n +npx tenantscope console set-up\n/,
    ),
  );
  expect((await fetch(`${state.baseUrl}/ping`, { headers })).status).toBe(200);
  again.stop();
  expect(await again.ended).toBe(0);
}, 240_000);

test('an unknown option is rejected with the allowed ones', async () => {
  const refused = start('--prot', '1');
  expect(await refused.ended).toBe(2);
  expect(refused.readOutput()).toMatch(/--prot.*--no-demo/s);
});

function start(...args: string[]) {
  const setup = join(checkout, 'infra', 'local', 'setup.mjs');
  const child = spawn(process.execPath, [setup, 'start', '--port', String(port), ...args], {
    env: { ...process.env, ...foreignVariables, TENANTSCOPE_STATE_DIRECTORY: directory },
  });
  runs.push(child);
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (part) => (output += part));
  const ended = once(child, 'close').then(([code]) => code as number);
  return {
    ended,
    readOutput: () => output,
    stop: () => child.kill('SIGTERM'),
    async up(): Promise<State> {
      const failed = ended.then(() => Promise.reject(new Error(output)));
      await Promise.race([failed, vi.waitFor(() => stat(stateFile), { timeout: 120_000, interval: 100 })]);
      return readState();
    },
  };
}

/** Of a server that does not exist: the collecting process reports a failure. */
async function createCollector(tenantId: string): Promise<void> {
  const environment = JSON.parse(await readFile(join(directory, 'environment.json'), 'utf8')) as Record<string, string>;
  const cli = join(checkout, 'apps', 'cli', 'bin', 'tenantscope.mjs');
  const options = ['--url', 'http://127.0.0.1:1', '--secret-file', '/run/secrets/okta'];
  const child = spawn(process.execPath, [cli, 'collector', 'create', 'okta', '--tenant', tenantId, ...options], {
    env: { PATH: process.env.PATH, ...environment },
    stdio: 'ignore',
  });
  expect(await once(child, 'close')).toEqual([0, null]);
}

async function readState(): Promise<State> {
  return JSON.parse(await readFile(stateFile, 'utf8')) as State;
}

function pidOf(state: State, name: string): number {
  return state.processes.find((each) => each.name === name)?.pid ?? 0;
}

/** Variables of the terminal that starts the product and of no process. */
const foreignVariables = {
  AWS_SECRET_ACCESS_KEY: 'secret of the terminal',
  TENANTSCOPE_KEY: 'tscope_live_of_the_terminal',
};

const declared: Record<string, readonly string[]> = {
  api: listVariables(apiConfig),
  collect: listVariables(collectConfig),
  console: listVariables(consoleConfig),
  ingest: listVariables(ingestConfig),
  jobs: listVariables(jobsConfig),
};
/** Written by hand: the secrets of each process. */
const secrets: Record<string, readonly string[]> = {
  api: ['API_DATABASE_URL', 'CURSOR_SECRETS', 'KEYS_DATABASE_URL', 'REDIS_URL', 'SIGNING_KEY'],
  collect: ['COLLECT_DATABASE_URL'],
  console: ['CONSOLE_CONTROL_DATABASE_URL', 'CONSOLE_DATABASE_URL', 'CONSOLE_SECRET'],
  ingest: ['INGEST_CONTROL_DATABASE_URL', 'INGEST_DATABASE_URL'],
  jobs: ['JOBS_CONTROL_DATABASE_URL', 'JOBS_DATABASE_URL', 'REDIS_URL', 'SIGNING_KEY'],
};
const systemVariables = ['PATH', 'HOME', 'TMPDIR', 'LANG', 'LC_ALL', 'TZ'];
const nodeVariables = ['NODE_OPTIONS', 'NODE_EXTRA_CA_CERTS', 'VSCODE_INSPECTOR_OPTIONS'];

async function readVariables(pid: number): Promise<string[]> {
  const text = await readFile(`/proc/${pid}/environ`, 'latin1');
  return text.split('\0').flatMap((entry) => entry.split('=')[0] || []);
}

function expectExactVariables(name: string, variables: readonly string[]): void {
  const own = declared[name];
  // A service sets its process title over its environment: what is left of it is compared.
  if (own === undefined) {
    expect(variables.join(' '), name).not.toMatch(/TENANTSCOPE|AWS_/);
    return;
  }
  expect(
    variables.filter((each) => ![...own, ...systemVariables, ...nodeVariables].includes(each)),
    name,
  ).toEqual([]);
  const found = variables.filter(
    (each) => /_URL$|SECRET|PASSWORD|SIGNING/.test(each) && !/(PUBLIC|CONSOLE)_URL$/.test(each),
  );
  expect(found.map((each) => each.replace('TENANTSCOPE_', '')).sort(), name).toEqual(secrets[name]);
}
