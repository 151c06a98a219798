import { mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { checkout, findFreePort, requirePrometheus, spawnGuarded } from '@tenantscope/local';
import { eventually } from '../installation/eventually.ts';

/** A Prometheus with the alert rules of the product. */
export interface Prometheus extends AsyncDisposable {
  /** Scrapes this health port for the process, instead of an earlier one, and waits until it has done so. */
  scrape(process: string, healthPort: number): Promise<void>;
  /** Names of the alerts that fire now. */
  firing(): Promise<string[]>;
  /** Waits until all of these fire. */
  expectFiring(...alerts: string[]): Promise<void>;
  /** Waits until none of these fires. */
  expectEnd(...alerts: string[]): Promise<void>;
  /** The value of the only series of the expression; null without one. */
  query(expression: string): Promise<number | null>;
}

interface Alert {
  readonly state: 'pending' | 'firing';
  readonly labels: { readonly alertname: string };
}

interface Target {
  readonly scrapeUrl: string;
  readonly health: 'up' | 'down' | 'unknown';
}

const intervalSeconds = 2;
const firesWithinMs = 90_000;

/** Scrapes every 2 s. The rules are those of the repository without their `for`: minutes of a fault are tested by promtool. */
export async function startPrometheus(): Promise<Prometheus> {
  const { prometheus } = await requirePrometheus();
  const directory = await mkdtemp(join(tmpdir(), 'tenantscope-prometheus-'));
  const targets = new Map<string, number>();
  await writeConfig(directory);
  await writeTargets(directory, targets);
  const address = `127.0.0.1:${await findFreePort()}`;
  const options = { 'config.file': 'prometheus.yml', 'storage.tsdb.path': 'data', 'web.listen-address': address };
  const child = spawnGuarded(
    [prometheus, ...Object.entries(options).map(([name, value]) => `--${name}=${value}`), '--log.level=error'],
    { cwd: directory, stdio: ['ignore', 'inherit', 'inherit'], stopSignal: 'SIGTERM' },
  );
  const gone = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const request = async (path: string) => {
    const response = await fetch(`http://${address}${path}`);
    if (!response.ok) throw new Error(`${path}: ${await response.text()}`);
    return ((await response.json()) as { data: unknown }).data;
  };
  const firing = async () => {
    const { alerts } = (await request('/api/v1/alerts')) as { alerts: readonly Alert[] };
    return alerts.filter(({ state }) => state === 'firing').map(({ labels }) => labels.alertname);
  };
  const query = async (expression: string) => {
    const data = await request(`/api/v1/query?query=${encodeURIComponent(expression)}`);
    const [series] = (data as { result: readonly { value: readonly [number, string] }[] }).result;
    return series === undefined ? null : Number(series.value[1]);
  };
  await eventually('Prometheus is ready', 30_000, async () => (await fetch(`http://${address}/-/ready`)).ok);
  return {
    async scrape(process, healthPort) {
      targets.set(process, healthPort);
      await writeTargets(directory, targets);
      await eventually(`${process} is scraped`, 30_000, async () => {
        const { activeTargets } = (await request('/api/v1/targets?state=active')) as {
          activeTargets: readonly Target[];
        };
        return activeTargets.some(({ scrapeUrl, health }) => scrapeUrl.includes(`:${healthPort}/`) && health === 'up');
      });
    },
    firing,
    query,
    expectFiring: (...alerts) =>
      eventually(`${alerts.join(', ')} fire`, firesWithinMs, async () => {
        const names = await firing();
        return alerts.every((alert) => names.includes(alert));
      }),
    expectEnd: (...alerts) =>
      eventually(`${alerts.join(', ')} end`, firesWithinMs, async () => {
        const names = await firing();
        return !alerts.some((alert) => names.includes(alert));
      }),
    async [Symbol.asyncDispose]() {
      child.kill('SIGTERM');
      await gone;
      await rm(directory, { recursive: true, force: true });
    },
  };
}

async function writeConfig(directory: string): Promise<void> {
  const rules = await readFile(join(checkout, 'infra', 'observability', 'alerts.yaml'), 'utf8');
  await writeFile(join(directory, 'alerts.yaml'), rules.replace(/^ +for: \w+\n/gm, ''));
  const interval = `${intervalSeconds}s`;
  // YAML contains JSON.
  const config = {
    global: { scrape_interval: interval, scrape_timeout: interval, evaluation_interval: interval },
    rule_files: ['alerts.yaml'],
    scrape_configs: [
      { job_name: 'tenantscope', file_sd_configs: [{ files: ['targets.json'], refresh_interval: '1s' }] },
    ],
  };
  await writeFile(join(directory, 'prometheus.yml'), JSON.stringify(config));
}

/** A process keeps its labels when it starts again on another port, as it has a fixed address in an installation. */
async function writeTargets(directory: string, targets: ReadonlyMap<string, number>): Promise<void> {
  const groups = [...targets].map(([process, port]) => ({
    targets: [`127.0.0.1:${port}`],
    labels: { job: `tenantscope-${process}`, instance: process },
  }));
  await writeFile(join(directory, 'new.json'), JSON.stringify(groups));
  await rename(join(directory, 'new.json'), join(directory, 'targets.json'));
}
