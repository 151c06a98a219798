import { setTimeout as sleep } from 'node:timers/promises';
import { readAdminUrls } from '@tenantscope/cli/config';
import { connectAdmin } from '@tenantscope/store/admin';
import { stateDirectory } from '../checkout.ts';
import { buildConsolePages } from '../console-pages.ts';
import { resolveDataDirectory } from '../data-directory.ts';
import { lockDirectory, unlockDirectory } from '../directory-lock.ts';
import { findFreePort, isPortFree } from '../ports.ts';
import { buildProductBundle, sourcePrograms } from '../product-bundle.ts';
import { provisionDatabase } from '../provision.ts';
import { type RunningService, serviceNames } from '../service.ts';
import { startServices } from '../services.ts';
import { type Application, type EnvironmentVariables, runApplication, runMigrations } from './application.ts';
import { startCollectingOnDemand } from './collecting.ts';
import { startConsoleDevServer } from './console-dev-server.ts';
import { publishDemoActivity, setUpDemo } from './demo.ts';
import { createDemoSnapshots } from './demo-snapshots.ts';
import { createEnvironment } from './environment.ts';
import type { StartOptions } from './options.ts';
import { waitForApi } from './readiness.ts';
import { type DemoSettings, loadSavedSettings } from './saved-settings.ts';
import { watchSources } from './source-watcher.ts';
import { formatStartMessage } from './start-message.ts';
import { createStateFile, removeState, writeEnvironment } from './state-file.ts';
import { type SupervisedProcess, superviseProcess } from './supervisor.ts';
import { writeLine } from './terminal.ts';

const readyTimeoutMs = 60_000;
const portTimeoutMs = 5_000;

/** Starts everything and resolves when the API serves requests. Each part is disposed with `running`, the last one first. */
export async function startProduct(options: StartOptions, running: AsyncDisposableStack): Promise<void> {
  const startedAtMs = performance.now();
  const { port } = options;
  await lockCheckout(running);
  await waitForPort(port);
  const directory = await resolveDataDirectory(options.directory);
  await lockDirectory(directory);
  const settings = await loadSavedSettings(directory);
  const { ports } = settings;

  // With --watch a process runs its sources, which change.
  const programs = options.watch ? sourcePrograms : await buildProductBundle();
  const services = running.use(await startServices({ directory, ports }));
  const serviceList = serviceNames.map((name) => services[`${name}Service`]);
  const logFiles = serviceList.map(({ logFile }) => logFile).join(' ');
  writeLine('start', `services ready after ${secondsSince(startedAtMs)}; logs: ${logFiles}`);
  const urls = await provisionDatabase(services.postgres, { name: 'tenantscope' });
  const environment = createEnvironment({ ...settings, services, urls, port, consolePort: ports.console });
  await writeEnvironment(environment);
  writeLine('migrate', await runMigrations(programs.program('cli'), environment));

  const processes: SupervisedProcess[] = [];
  const state = createStateFile(processes);
  for (const service of serviceList)
    if (service.pid !== null) processes.push(superviseService(service, service.pid, state.update));
  running.defer(() => {
    for (const each of processes) each.release();
  });
  const applications: Application[] = [];
  running.defer(async () => {
    await Promise.all(applications.map((application) => application[Symbol.asyncDispose]()));
  });
  const start = (name: Application['name'], healthPort: number, extra: Record<string, string> = {}): Promise<void> => {
    const variables = { ...environment, ...extra, TENANTSCOPE_HEALTH_PORT: String(healthPort) };
    const application = runApplication(name, programs.program(name), variables, state.update);
    applications.push(application);
    processes.push(application);
    return waitUntilReady(name, healthPort);
  };

  // With --watch the development server listens on the console's port and forwards to the console on another one.
  const consolePort = options.watch ? await findFreePort() : ports.console;
  const [, , demo] = await Promise.all([
    start('api', ports.apiHealth),
    start('ingest', ports.ingestHealth),
    options.demo ? setUpDemo(environment, settings, directory) : null,
    options.watch
      ? startConsoleDevServer({ port: ports.console, consolePort }).then((server) => running.use(server))
      : buildConsolePages(),
  ]);
  // After the demonstration's history, which the snapshots must include.
  await Promise.all([
    start('jobs', ports.jobsHealth),
    start('console', ports.consoleHealth, {
      TENANTSCOPE_CONSOLE_PORT: String(consolePort),
      ...(demo === null ? {} : { TENANTSCOPE_CONSOLE_DEMO_ORGANIZATION: demo.organizationId }),
    }),
  ]);
  const baseUrl = `http://127.0.0.1:${port}/api/v1`;
  if (demo !== null) await startDemo(environment, demo, baseUrl, running);
  const collecting = startCollectingOnDemand(environment, async () => {
    await start('collect', ports.collectHealth);
    await state.update();
  });
  running.use(await collecting);
  if (options.watch) running.use(watchSources(applications));
  const consoleUrl = environment.TENANTSCOPE_CONSOLE_URL ?? '';
  await state.publish({
    baseUrl,
    mcpUrl: `${baseUrl}/mcp`,
    consoleUrl,
    keys: demo?.keys ?? {},
    tenants: demo?.tenants ?? [],
    services: { kafka: services.kafka, postgres: urls.owner, redis: services.redis },
  });
  writeLine('start', `started in ${secondsSince(startedAtMs)}`);
  const organizations = demo === null ? await listOrganizations(environment) : [];
  console.log(formatStartMessage(baseUrl, consoleUrl, demo, organizations));
}

async function startDemo(
  environment: EnvironmentVariables,
  demo: DemoSettings,
  baseUrl: string,
  running: AsyncDisposableStack,
): Promise<void> {
  await createDemoSnapshots(environment, demo);
  await waitForApi(baseUrl, demo.keys.tenant);
  const stop = new AbortController();
  running.defer(() => stop.abort());
  publishDemoActivity(environment, demo, stop.signal).catch((cause: Error) => writeLine('demo', cause.message));
}

async function listOrganizations(environment: EnvironmentVariables) {
  await using admin = await connectAdmin(readAdminUrls(environment), 'cli:start');
  return await admin.organizations.list();
}

/** Allows one run in a checkout, since its state files describe one. */
async function lockCheckout(running: AsyncDisposableStack): Promise<void> {
  await lockDirectory(stateDirectory).catch((cause: Error) => {
    throw new Error(`npm start is already running in this checkout (${cause.message}); stop it first`);
  });
  running.defer(() => unlockDirectory(stateDirectory));
  await removeState();
  running.defer(removeState);
}

/** An API that was just killed may still use its port for a short time. */
async function waitForPort(port: number): Promise<void> {
  for (const deadline = Date.now() + portTimeoutMs; !(await isPortFree(port)); await sleep(100)) {
    if (Date.now() > deadline) {
      throw new Error(`port ${port} of 127.0.0.1 is in use; choose another: npm start -- --port ${port + 1}`);
    }
  }
}

function superviseService(service: RunningService, pid: number, onChange: () => Promise<void>): SupervisedProcess {
  const describeRun = (currentPid: number) => ({
    pid: currentPid,
    ended: service.ended().then(() => 'exited'),
  });
  const restart = async () => {
    await service.restart();
    return describeRun(service.pid ?? 0);
  };
  return superviseProcess(service.name, describeRun(pid), restart, onChange);
}

async function waitUntilReady(name: string, healthPort: number): Promise<void> {
  const probe = `http://127.0.0.1:${healthPort}/readyz`;
  for (const deadline = Date.now() + readyTimeoutMs; ; await sleep(50)) {
    const response = await fetch(probe).catch(() => null);
    if (response?.ok) return writeLine(name, `ready; health and metrics: http://127.0.0.1:${healthPort}`);
    if (Date.now() > deadline) {
      const reason = (await response?.text()) ?? 'no response';
      throw new Error(`${name} is not ready after ${readyTimeoutMs / 1000} s: ${reason}`);
    }
  }
}

function secondsSince(startMs: number): string {
  return `${((performance.now() - startMs) / 1000).toFixed(1)} s`;
}
