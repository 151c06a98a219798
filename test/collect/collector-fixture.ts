import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ListedCollector } from '@tenantscope/store/admin';
import { expect } from 'vitest';
import { type DatabaseInspector, openDatabaseInspector } from '../installation/database-inspector.ts';
import { eventually } from '../installation/eventually.ts';
import { type Installation, startInstallation } from '../installation/installation.ts';

export type ListedStream = ListedCollector['streams'][number];

/** A tenant with a collector, as an operator creates it. Disposing removes the collector, so that it does not request a server that has ended. */
export interface TestCollector extends AsyncDisposable {
  readonly tenantId: string;
  /** A key for the tenant's logs. */
  readonly apiKey: string;
  readonly collectorId: string;
  readonly secretFile: string;
  /** As the command line lists it; without a name the first one. */
  readStream(name?: string): Promise<ListedStream | undefined>;
  readPosition(stream: string): Promise<unknown>;
  /** Changes the stored position, for times that a test cannot wait for. Only while the collector is paused. */
  editPosition(stream: string, path: string, value: unknown): Promise<void>;
  /** Moves its creation and its start back, for times that a test cannot wait for; returns the start. Only while the collector is paused. */
  moveBack(days: number): Promise<Date>;
  pause(): Promise<void>;
  resume(): Promise<void>;
  /** Waits until every stream has a complete run without a failure that ended later than this call. */
  waitForCompletion(): Promise<void>;
  /** Waits for the log rows and requires exactly these, by the provider's ids. */
  expectRows(ids: Iterable<string>): Promise<void>;
}

/** An installation with ingest; the tests start collecting processes. */
export interface CollectorFixture extends AsyncDisposable {
  readonly installation: Installation;
  readonly inspector: DatabaseInspector;
  createCollector(provider: string, secret: string, options: readonly string[]): Promise<TestCollector>;
}

export async function startCollectorFixture(): Promise<CollectorFixture> {
  await using stack = new AsyncDisposableStack();
  const directory = await mkdtemp(join(tmpdir(), 'tenantscope-collect-'));
  stack.defer(() => rm(directory, { recursive: true, force: true }));
  const installation = stack.use(await startInstallation());
  const inspector = stack.use(await openDatabaseInspector(installation.database.superuser));
  await installation.startIngest();
  const owned = stack.move();
  return {
    installation,
    inspector,
    async createCollector(provider, secret, options) {
      const { id: tenantId, secret: apiKey } = await installation.createTenant();
      const secretFile = join(directory, `secret-${tenantId}`);
      await writeFile(secretFile, secret, { mode: 0o600 });
      const { id: collectorId } = await installation.cli<{ id: string }>(
        ...['collector', 'create', provider, '--tenant', tenantId, '--secret-file', secretFile, '--interval', '1'],
        ...options,
      );
      return { ...describeCollector(installation, inspector, tenantId, collectorId), apiKey, secretFile };
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

function describeCollector(
  installation: Installation,
  { client, rows, rowCount }: DatabaseInspector,
  tenantId: string,
  collectorId: string,
): Omit<TestCollector, 'apiKey' | 'secretFile'> {
  const listStreams = async (): Promise<readonly ListedStream[]> =>
    (await installation.admin.collectors.list(null)).find((one) => one.id === collectorId)?.streams ?? [];
  return {
    tenantId,
    collectorId,
    readStream: async (name) => (await listStreams()).find(({ stream }) => name === undefined || stream === name),
    async readPosition(stream) {
      const found = await client.query<{ position: unknown }>(
        'select position from control.collector_stream where collector_id = $1 and stream = $2',
        [collectorId, stream],
      );
      return found.rows[0]?.position;
    },
    async editPosition(stream, path, value) {
      await client.query(
        'update control.collector_stream set position = jsonb_set(position, $3::text[], $4::jsonb) where collector_id = $1 and stream = $2',
        [collectorId, stream, path.split('.'), JSON.stringify(value)],
      );
    },
    async moveBack(days) {
      const moved = await client.query<{ startAt: Date }>(
        `update control.collector set created_at = created_at - make_interval(days => $2), start_at = start_at - make_interval(days => $2)
          where id = $1 returning start_at as "startAt"`,
        [collectorId, days],
      );
      return moved.rows[0]?.startAt ?? new Date(Number.NaN);
    },
    async pause() {
      await installation.cli('collector', 'pause', collectorId);
      await eventually('no run', 20_000, async () => (await listStreams()).every(({ isRunning }) => !isRunning));
    },
    resume: async () => void (await installation.cli('collector', 'resume', collectorId)),
    async waitForCompletion() {
      const startedAtMs = Date.now();
      await eventually('a complete run of each stream', 60_000, async () => {
        const streams = await listStreams();
        const isComplete = ({ completedAt, failures }: ListedStream): boolean =>
          failures === 0 && completedAt != null && Date.parse(completedAt) > startedAtMs;
        return streams.length > 0 && streams.every(isComplete);
      });
    },
    async expectRows(ids) {
      const expected = [...new Set(ids)].toSorted();
      await eventually(`${expected.length} rows`, 40_000, async () => (await rowCount(tenantId)) >= expected.length);
      const found = (await rows(tenantId)).map(({ document }) => String(document.externalEventId));
      expect(found.toSorted()).toEqual(expected);
    },
    [Symbol.asyncDispose]: async () => void (await installation.admin.collectors.setState(collectorId, 'removed')),
  };
}
