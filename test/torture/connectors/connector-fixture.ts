import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { activityMessage, activityRecord } from '../../installation/activity-records.ts';
import { detectionState, recordMessage } from '../../installation/feed-records.ts';
import { type IngestInstallation, startIngestInstallation } from '../../installation/ingest-installation.ts';
import { createRandom } from '../random.ts';

/** A product that ingests while connectors read it. */
export interface ConnectorFixture extends IngestInstallation {
  readonly baseUrl: string;
  /** Files of the connectors. */
  readonly directory: string;
  createTenant(): Promise<ReadTenant>;
}

/** A tenant whose logs and detections grow and change. */
export interface ReadTenant {
  readonly id: string;
  readonly key: string;
  /** Publishes rows and states until it is stopped. */
  startWriting(): { stop(): Promise<void> };
  /** What is stored: ids of log rows, and the version of each detection by id. */
  stored(): Promise<{ readonly logs: readonly string[]; readonly detections: ReadonlyMap<string, number> }>;
}

const firstRows = 2_300;
/** Of a tenant; all of them are on one page. */
export const detectionCount = 120;
const rowsPerTick = 15;
const tickMs = 200;

/** It ends with the stack. */
export async function startConnectorFixture(owner: AsyncDisposableStack): Promise<ConnectorFixture> {
  const directory = await mkdtemp(join(tmpdir(), 'tenantscope-connector-'));
  owner.defer(() => rm(directory, { recursive: true, force: true }));
  const running = await startIngestInstallation(owner);
  const { baseUrl } = await running.installation.startApi();
  return { ...running, baseUrl, directory, createTenant: () => createReadTenant(running) };
}

async function createReadTenant({ installation, inspector, topic }: IngestInstallation): Promise<ReadTenant> {
  const { id } = await installation.createTenant();
  const scopes = ['logs:read', 'detections:read', 'security-alerts:read'] as const;
  const key = { name: 'connector', scopes: [...scopes], owner: { tenantId: id }, expiresAt: null };
  const { secret } = await installation.admin.keys.create(key);
  const detectionTopic = topic.replace('raw.activity.v1', 'detection.v1');
  const versions = new Map<number, number>();
  const random = createRandom('written by connectors');
  let rows = 0;

  const writeRows = (count: number) =>
    installation.publisher.send(
      topic,
      Array.from({ length: count }, () => activityMessage(id, activityRecord(rows++))),
    );
  const writeStates = (numbers: readonly number[]) =>
    installation.publisher.send(
      detectionTopic,
      numbers.map((number) => {
        const version = (versions.get(number) ?? 0) + 1;
        versions.set(number, version);
        return recordMessage('detection.upserted', detectionState(id, number, version));
      }),
    );
  return {
    id,
    key: secret,
    startWriting() {
      let running = true;
      const written = (async () => {
        await writeRows(firstRows);
        await writeStates(Array.from({ length: detectionCount }, (_, number) => number));
        while (running) {
          await writeRows(rowsPerTick);
          const changed = new Set(Array.from({ length: 5 }, () => random.between(0, detectionCount - 1)));
          await writeStates([...changed]);
          await sleep(tickMs);
        }
      })();
      return {
        async stop() {
          running = false;
          await written;
        },
      };
    },
    async stored() {
      const logs = await inspector.client.query<{ id: string }>(
        'select id from models.audit_log where tenant_id = $1',
        [id],
      );
      const states = await inspector.client.query<{ id: string; version: string }>(
        'select id, version from models.detection where tenant_id = $1',
        [id],
      );
      return {
        logs: logs.rows.map((row) => row.id),
        detections: new Map(states.rows.map((row) => [row.id, Number(row.version)])),
      };
    },
  };
}
