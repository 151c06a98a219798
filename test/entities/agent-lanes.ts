import { randomUUID } from 'node:crypto';
import { normaliserVersion, readActivity } from '@tenantscope/intake';
import { withConnection } from '@tenantscope/store/connection';
import {
  type AuditLogRow,
  createPartitionCache,
  type EntityChange,
  type LaneIdentity,
  type Ledger,
  openEpoch,
  openLanes,
  prepareRows,
  readLanes,
  writeEntityChanges,
  writeLaneStep,
  writeLogBatch,
} from '@tenantscope/store/ingest';
import type pg from 'pg';
import { activityMessage } from '../installation/activity-records.ts';
import { createLogMerging, mergeParts } from '../installation/log-merging.ts';
import type { TestDatabase } from '../services/database.ts';
import { openTestPool } from '../services/pool.ts';

/** An interaction with an AI agent. */
export interface Interaction {
  readonly agentId?: string;
  readonly agentName?: string | undefined;
  readonly atMs: number;
  /** Distinguishes records that are equal otherwise. */
  readonly number?: number;
}

/** Lanes of two ingest processes: one lane each of the audit log, which remembers what it wrote, and of entities. */
export interface AgentLanes extends AsyncDisposable {
  readonly ledger: Ledger;
  /** Writes a batch, again after a conflict, and returns its outcome. `beforeCommit` runs in the open transaction. */
  writeInteractions(
    process: 0 | 1,
    tenantId: string,
    interactions: readonly Interaction[],
    beforeCommit?: () => Promise<void>,
  ): Promise<string>;
  writeParts(process: 0 | 1, parts: readonly EntityChange[]): Promise<string>;
}

export async function openAgentLanes(database: Pick<TestDatabase, 'roles'>): Promise<AgentLanes> {
  const ledger = {
    pool: openTestPool(database.roles.ingest, { max: 6 }),
    schema: 'models',
  } as const;
  const partitions = await createPartitionCache(ledger.pool);
  await openEpoch(ledger);
  const open = (source: string) =>
    openLanes(ledger, { clusterId: 'test', topicId: randomUUID(), topic: source, source, partitions: [0, 1] });
  const lanes = {
    activity: await open('raw.activity.v1'),
    entity: await open('entity.v1'),
    rawEntity: await open('raw.entity.v1'),
  };
  const processes = [createLogMerging(), createLogMerging()] as const;
  const advance = async (lane: LaneIdentity) => {
    const [position] = await readLanes(ledger, [lane]);
    const fromOffset = position?.nextOffset ?? 0n;
    return { lane, fromOffset, toOffset: fromOffset + 1n, settledReplays: [] };
  };
  return {
    ledger,
    async writeInteractions(process, tenantId, interactions, beforeCommit) {
      const step = await advance(lanes.activity[process] as LaneIdentity);
      const rows = prepareRows(
        interactions.map((one) => readRow(tenantId, one)),
        normaliserVersion,
      );
      const batch = { ...step, rows, alerts: [], deadLetters: [] };
      for (;;) {
        const { kind } = await withConnection(ledger.pool, (client) =>
          writeLogBatch(
            beforeCommit ? pauseBeforeCommit(client, beforeCommit) : client,
            ledger,
            partitions,
            processes[process],
            batch,
          ),
        );
        if (kind !== 'again') return kind;
      }
    },
    async writeParts(process, parts) {
      return writeLaneStep(
        ledger,
        await advance(lanes.entity[process] as LaneIdentity),
        async (client, { stampMs }) => {
          await writeEntityChanges(client, parts, () => new Date(stampMs).toISOString(), mergeParts);
          return [];
        },
      );
    },
    [Symbol.asyncDispose]: () => ledger.pool.end(),
  };
}

function readRow(tenantId: string, { agentId, agentName, atMs, number = 0 }: Interaction): AuditLogRow {
  const record = {
    CreationTime: new Date(atMs).toISOString().slice(0, 19),
    Id: `interaction-${number}`,
    Operation: 'CopilotInteraction',
    RecordType: 261,
    UserType: 0,
    UserId: 'ada@example.com',
    Workload: 'Copilot',
    AgentId: agentId,
    AgentName: agentName,
    CopilotEventData: { AppHost: 'Word', ThreadId: 't' },
  };
  const { key, value, headers } = activityMessage(tenantId, record);
  const context = {
    findTenant: () => ({ azureTenantId: null }),
    findApp: () => undefined,
    findPrincipal: () => null,
    nowMs: Date.now(),
    maxValueBytes: 1e6,
    onlyElement: null,
  };
  const [outcome] = [...readActivity({ key: Buffer.from(key), value, headers }, context)];
  if (outcome?.kind !== 'log') throw new Error(JSON.stringify(outcome));
  return outcome.row;
}

/** The same connection, but the commit waits. */
function pauseBeforeCommit(client: pg.PoolClient, beforeCommit: () => Promise<void>): pg.PoolClient {
  const query = async (...parameters: unknown[]): Promise<unknown> => {
    if (parameters[0] === 'commit') await beforeCommit();
    return Reflect.apply(client.query, client, parameters);
  };
  return new Proxy(client, {
    get: (target, member) => (member === 'query' ? query : Reflect.get(target, member, target)),
  });
}
