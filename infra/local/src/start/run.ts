import { setTimeout as sleep } from 'node:timers/promises';
import { connectAdmin } from '@tenantscope/store';
import { stateDirectory } from '../checkout.ts';
import { claim, release } from '../claim.ts';
import { buildConsolePages } from '../console-pages.ts';
import { isFree } from '../ports.ts';
import { provisionDatabase } from '../provision.ts';
import { reachablePlace } from '../reachable-place.ts';
import { type RunningService, serviceNames } from '../service.ts';
import { startServices } from '../services.ts';
import { type Application, type Environment, runApplication, runTool } from './application.ts';
import { playDemo, publishPresent } from './demo.ts';
import { environmentOf } from './environment.ts';
import { greeting } from './greeting.ts';
import { type KeptAlive, keepAlive } from './keep-alive.ts';
import { readKept } from './kept.ts';
import type { StartOptions } from './options.ts';
import { say } from './screen.ts';
import { standSnapshots } from './snapshots.ts';
import { openState, removeState, writeEnvironment } from './state.ts';
import { untilServed } from './taken-in.ts';

const readyTimeoutMs = 60_000;
const portTimeoutMs = 5_000;

/** Brings everything up and resolves when a caller can use it. Each part is disposed with `running`, the last one first. */
export async function run(options: StartOptions, running: AsyncDisposableStack): Promise<void> {
  const begunMs = performance.now();
  const { port } = options;
  await claimCheckout(running);
  await untilFree(port);
  const directory = await reachablePlace(options.directory);
  await claim(directory);
  const kept = await readKept(directory);

  const services = running.use(await startServices({ directory, ports: kept.ports }));
  const kinds = serviceNames.map((name) => services[`${name}Service`]);
  say(
    'start',
    `services answer after ${secondsSince(begunMs)}; their logs: ${kinds.map(({ logFile }) => logFile).join(' ')}`,
  );
  const urls = await provisionDatabase(services.postgres, { name: 'tenantscope' });
  const environment = environmentOf({ ...kept, services, urls, port, consolePort: kept.ports.console });
  await writeEnvironment(environment);
  say('migrate', await runTool(['migrate'], environment));

  const processes: KeptAlive[] = [];
  const state = openState(processes);
  for (const service of kinds)
    if (service.pid !== null) processes.push(watchService(service, service.pid, state.changed));
  running.defer(() => {
    for (const each of processes) each.release();
  });
  const applications: Application[] = [];
  running.defer(async () => {
    await Promise.all(applications.map((application) => application[Symbol.asyncDispose]()));
  });
  const begin = (name: string, healthPort: number, more: Record<string, string> = {}): Promise<void> => {
    const own = { ...environment, ...more, TENANTSCOPE_HEALTH_PORT: String(healthPort) };
    const application = runApplication(name, own, state.changed);
    applications.push(application);
    processes.push(application);
    return untilReady(name, healthPort);
  };

  const [, , demo] = await Promise.all([
    begin('api', kept.ports.apiHealth),
    begin('ingest', kept.ports.ingestHealth),
    options.demo ? playDemo(environment, kept, directory) : null,
    buildConsolePages(),
  ]);
  // Snapshots are of all that the demonstration tells, not of its beginning.
  await Promise.all([
    begin('jobs', kept.ports.jobsHealth),
    begin('console', kept.ports.consoleHealth, {
      TENANTSCOPE_CONSOLE_SECRET: process.env.TENANTSCOPE_CONSOLE_SECRET || kept.consoleSecret,
      ...(demo === null ? {} : { TENANTSCOPE_CONSOLE_DEMO_ORGANIZATION: demo.organizationId }),
    }),
  ]);
  if (demo !== null) await standSnapshots(environment, demo);
  const baseUrl = `http://127.0.0.1:${port}/api/v1`;
  if (demo !== null) {
    await untilServed(baseUrl, demo.keys.tenant);
    const end = new AbortController();
    const present = publishPresent(environment, demo, end.signal);
    running.defer(() => end.abort());
    present.catch((cause: Error) => say('demo', cause.message));
  }
  await state.publish({
    baseUrl,
    mcpUrl: `${baseUrl}/mcp`,
    consoleUrl: environment.TENANTSCOPE_CONSOLE_URL ?? '',
    keys: demo?.keys ?? {},
    tenants: demo?.tenants ?? [],
    services: { kafka: services.kafka, postgres: urls.owner, redis: services.redis },
  });
  say('start', `up after ${secondsSince(begunMs)}`);
  const organizations = demo === null ? await organizationsOf(environment) : [];
  console.log(greeting(baseUrl, environment.TENANTSCOPE_CONSOLE_URL ?? '', demo, organizations));
}

async function organizationsOf(environment: Environment) {
  const { TENANTSCOPE_ADMIN_DATABASE_URL: models = '', TENANTSCOPE_ADMIN_CONTROL_DATABASE_URL: control = '' } =
    environment;
  await using admin = await connectAdmin({ models, control }, 'start');
  return await admin.organizations.list();
}

/** One run in a checkout: its state files tell of one. */
async function claimCheckout(running: AsyncDisposableStack): Promise<void> {
  await claim(stateDirectory).catch((cause: Error) => {
    throw new Error(`npm start is running in this checkout already (${cause.message}); stop it first`);
  });
  running.defer(() => release(stateDirectory));
  await removeState();
  running.defer(removeState);
}

/** An API that was just killed may take a moment to go. */
async function untilFree(port: number): Promise<void> {
  for (const deadline = Date.now() + portTimeoutMs; !(await isFree(port)); await sleep(100)) {
    if (Date.now() > deadline) {
      throw new Error(`port ${port} of 127.0.0.1 is taken; choose another: npm start -- --port ${port + 1}`);
    }
  }
}

function watchService(service: RunningService, pid: number, changed: () => Promise<void>): KeptAlive {
  const life = (now: number) => ({ pid: now, ended: service.ended().then(() => 'ended') });
  const again = async () => {
    await service.restart();
    return life(service.pid ?? 0);
  };
  return keepAlive(service.name, life(pid), again, changed);
}

async function untilReady(name: string, healthPort: number): Promise<void> {
  const probe = `http://127.0.0.1:${healthPort}/readyz`;
  for (const deadline = Date.now() + readyTimeoutMs; ; await sleep(50)) {
    const answer = await fetch(probe).catch(() => null);
    if (answer?.ok) return say(name, `is ready; health and metrics at http://127.0.0.1:${healthPort}`);
    if (Date.now() > deadline) {
      throw new Error(
        `${name} is not ready after ${readyTimeoutMs / 1000} s: ${(await answer?.text()) ?? 'no answer'}`,
      );
    }
  }
}

function secondsSince(startMs: number): string {
  return `${((performance.now() - startMs) / 1000).toFixed(1)} s`;
}
