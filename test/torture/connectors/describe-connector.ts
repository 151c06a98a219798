import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { eventually } from '../../installation/eventually.ts';
import { createRandom, isLong } from '../random.ts';
import { type ConnectorFixture, type ReadTenant, startConnectorFixture } from './connector-fixture.ts';
import { type ConnectorCommand, type ConnectorProcess, startConnector } from './connector-process.ts';
import { type FaultProxy, faults, startFaultProxy } from './fault-proxy.ts';

/** Where a connector reads, and where it writes. */
export interface Run {
  readonly url: string;
  readonly key: string;
  /** Its own, empty at first. */
  readonly directory: string;
}

/** A row that the connector delivered, in the order of delivery. */
export interface Delivered {
  readonly id: string;
  /** Of a detection. */
  readonly version?: number;
}

export interface Connector {
  readonly name: string;
  /** `logs` and `detections`, or one of them. */
  readonly list: 'logs' | 'detections';
  /** How its page describes its delivery. */
  readonly delivery: 'exactly once' | 'at least once';
  /** The most rows that a kill repeats. */
  readonly repeatedByKill: number;
  /** Whether it waits as long as Retry-After requests; null if it does not read the header and waits longer than that of the test. */
  readonly waitsForRetryAfter: boolean | null;
  /** Reads once and ends, to be started again by a schedule; its results can be read only then. */
  readonly readsOnce: boolean;
  /** Returns what `configure` needs, or throws an error that explains how to install it. */
  prepare(): Promise<string>;
  /** Writes its files; returns its command. */
  configure(program: string, run: Run): Promise<ConnectorCommand>;
  readDelivered(program: string, run: Run): Promise<readonly Delivered[]>;
}

const startMs = 900_000;
const testMs = 600_000;
const kills = 6;

/** Runs connectors with the files of packages/connectors against an installation that ingests, through a server that spoils responses. */
export function describeConnectors(title: string, connectors: readonly Connector[]): void {
  describe.runIf(isLong)(title, { tags: ['torture'] }, () => {
    const stack = new AsyncDisposableStack();
    let fixture: ConnectorFixture;

    beforeAll(async () => {
      fixture = await startConnectorFixture(stack);
    }, startMs);
    afterAll(() => stack.disposeAsync());

    test.each(connectors)(
      '$name delivers every row of $list $delivery, through faults and kills',
      {
        timeout: startMs + testMs,
      },
      async (connector) => {
        const program = await connector.prepare();
        const tenant = await fixture.createTenant();
        await using proxy = await startFaultProxy(fixture.baseUrl, connector.readsOnce ? 2 : 3);
        const directory = join(fixture.directory, `${connector.name}.${connector.list}`.replaceAll(' ', '-'));
        await mkdir(directory);
        const run = { url: proxy.url, key: tenant.key, directory };
        const command = await connector.configure(program, run);
        await using started = startConnector(command, directory);
        const writing = tenant.startWriting();
        await killRepeatedly(started, proxy, connector);
        await writing.stop();
        await waitUntilDelivered(connector, { program, run, tenant, started, proxy });
        await started.pause('SIGKILL');
        const delivered = await connector.readDelivered(program, run);
        const repeated = await compare(connector, tenant, delivered);
        console.log(
          `${connector.name}, ${connector.list}: ${JSON.stringify({ delivered: delivered.length, repeated, faults: proxy.counts(), early: proxy.earlyRequests() })}`,
        );
        for (const fault of faults) expect(proxy.counts()[fault], fault).toBeGreaterThan(0);
        if (connector.waitsForRetryAfter === false) expect(proxy.earlyRequests()).toBeGreaterThan(0);
        else expect(proxy.earlyRequests()).toBe(0);
        if (connector.delivery === 'exactly once') expect(repeated).toBe(0);
        else expect(repeated).toBeLessThanOrEqual(kills * connector.repeatedByKill);
      },
    );
  });
}

async function killRepeatedly(
  started: ConnectorProcess,
  proxy: FaultProxy,
  { name, readsOnce }: Connector,
): Promise<void> {
  const random = createRandom(`kills of ${name}`);
  for (let kill = 0; kill < kills; kill++) {
    // While it reads: a connector needs up to half a minute to begin.
    const requests = proxy.targets().length;
    await eventually(`${name} sends a request`, 180_000, async () => proxy.targets().length > requests).catch(
      (error: Error) => {
        throw new Error(`${error.message}\n${started.output()}`);
      },
    );
    await sleep(random.between(0, readsOnce ? 18_000 : 5_000));
    await started.pause('SIGKILL');
    proxy.forgetRetryAfter();
    started.resume();
  }
}

interface Delivery {
  readonly program: string;
  readonly run: Run;
  readonly tenant: ReadTenant;
  readonly started: ConnectorProcess;
  readonly proxy: FaultProxy;
}

async function waitUntilDelivered(connector: Connector, delivery: Delivery): Promise<void> {
  const { program, run, tenant, started, proxy } = delivery;
  let lastFailure: unknown;
  await eventually(`${connector.name} has delivered everything`, 120_000, async () => {
    await sleep(3_000);
    if (connector.readsOnce) await started.pause(null);
    lastFailure = await connector
      .readDelivered(program, run)
      .then((delivered) => compare(connector, tenant, delivered))
      .then(
        () => null,
        (error: unknown) => error,
      );
    if (connector.readsOnce) started.resume();
    return lastFailure === null && faults.every((fault) => proxy.counts()[fault] > 0);
  }).catch((error: Error) => {
    console.log(`${connector.name}, ${connector.list}: ${String(lastFailure)}, ${JSON.stringify(proxy.counts())}`);
    throw new Error(
      `${error.message}: ${String(lastFailure)}\n${started.output()}\n${proxy.targets().slice(-20).join('\n')}`,
    );
  });
}

/** Throws if a row is missing or unknown, or a state is not the last one; returns how many rows were delivered again. */
async function compare(connector: Connector, tenant: ReadTenant, delivered: readonly Delivered[]): Promise<number> {
  const stored = await tenant.stored();
  if (connector.list === 'logs') {
    const ids = new Set(delivered.map(({ id }) => id));
    const missing = stored.logs.filter((id) => !ids.has(id));
    expect({ missing: missing.length, ids: ids.size }).toEqual({ missing: 0, ids: stored.logs.length });
    return delivered.length - ids.size;
  }
  const last = new Map(delivered.map(({ id, version }) => [id, version]));
  expect(last).toEqual(stored.detections);
  return delivered.length - new Set(delivered.map(({ id, version }) => `${id}:${version}`)).size;
}
