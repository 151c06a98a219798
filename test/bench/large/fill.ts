import { createRandom, type DemoRecord, demoHistory, demoTenants, type Random } from '@tenantscope/demo';
import { createPreparer, type Preparer } from '@tenantscope/ingest/preparer';
import { encodeHeaders } from '@tenantscope/ingest/record-headers';
import { readActivity, toEventType } from '@tenantscope/intake';
import { openPool } from '@tenantscope/store/connection';
import {
  createPartitionCache,
  type LaneIdentity,
  type LogMerging,
  type PartitionCache,
  readLanes,
  readTenantPrincipals,
  writeLogBatch,
} from '@tenantscope/store/ingest';
import type pg from 'pg';
import { createLogMerging } from '../../installation/log-merging.ts';
import { runStatement } from '../installation.ts';
import { writeAllBlocks } from './blocks.ts';
import { type FillRun, historyDays, type LargeDatabase, lanePartitions, largeShare } from './database.ts';
import { createTemplates, drawZipf, type RecordTemplate, renderRecord } from './record-templates.ts';

const batchRows = 1_000;
const templateRecords = 6_000;
/** Of the records that are split: always the same, whenever a fill is continued. */
const templateEndMs = Date.UTC(2026, 5, 30);
const maxValueBytes = 1_048_576;
const minuteMs = 60_000;
const dayMs = 1_440 * minuteMs;
const progressMs = 15_000;

/**
 * Writes the rows that are missing, batch after batch through the product's normaliser and writer, with the stamps that their places in the history
 * have. The lanes count the batches, so an interrupted fill is continued.
 */
export async function fillLog(database: LargeDatabase, log: (line: string) => void): Promise<void> {
  if (database.state.isComplete) return;
  const startedMs = performance.now();
  const usedUs = processorTimeUs();
  const rows = await writeMissingRows(database, log);
  const seconds = secondsSince(startedMs);
  const nodeUs = processorTimeUs() - usedUs;
  const blocks = await writeBlocks(database);
  const vacuumedMs = performance.now();
  // As partitions whose time has passed are vacuumed, and never written again.
  await runStatement(database.superuser, 'vacuum (freeze, analyze)');
  await runStatement(database.superuser, 'checkpoint');
  const vacuumSeconds = secondsSince(vacuumedMs);
  const run = { endedAt: new Date().toISOString(), rows, seconds, nodeUs, ...blocks, vacuumSeconds };
  await database.saveState({ filled: [...database.state.filled, run], isComplete: true });
}

async function writeBlocks(
  database: LargeDatabase,
): Promise<Pick<FillRun, 'blockRows' | 'blockSeconds' | 'blockNodeUs'>> {
  const pool = openPool(database.roles.ingest, { name: 'blocks', maxConnections: 1, queryTimeoutMs: 120_000 });
  const startedMs = performance.now();
  const usedUs = processorTimeUs();
  const blockRows = await writeAllBlocks(pool).finally(() => pool.end());
  const blockSeconds = Math.round((performance.now() - startedMs) / 100) / 10;
  return { blockRows, blockSeconds, blockNodeUs: processorTimeUs() - usedUs };
}

const secondsSince = (startedMs: number): number => Math.round((performance.now() - startedMs) / 1_000);

function processorTimeUs(): number {
  const { user, system } = process.cpuUsage();
  return user + system;
}

/** Returns the number of rows written: some records are several rows. */
async function writeMissingRows(database: LargeDatabase, log: (line: string) => void): Promise<number> {
  const { rows, tenantIds } = database.state;
  const pool = openPool(database.roles.ingest, { name: 'fill', maxConnections: 4, queryTimeoutMs: 120_000 });
  await using preparer = createPreparer(2, { maxRecordBytes: maxValueBytes }, (error) => {
    throw error;
  });
  try {
    preparer.setTenants(new Map(tenantIds.map((id) => [id, { azureTenantId: null }])));
    await loadPrincipals(preparer, pool, tenantIds[0] as string);
    const templates = createAllTemplates(log);
    const partitions = await createPartitionCache(pool);
    const merging = createLogMerging();
    const fill: Fill = { database, pool, preparer, templates, partitions, merging, headers: new Map() };
    const lanes = await findLanes(fill);
    const present = lanes.reduce((sum, { nextBatch }) => sum + nextBatch, 0) * batchRows;
    const startedMs = performance.now();
    let written = 0;
    const report = () => {
      const rate = Math.round(written / ((performance.now() - startedMs) / 1_000));
      log(`${database.name}: ${present + written} of ${rows} rows, ${rate} rows/s`);
    };
    const timer = setInterval(report, progressMs);
    const count = (inserted: number) => {
      written += inserted;
    };
    await Promise.all(lanes.map((lane) => fillLane(fill, lane, count))).finally(() => clearInterval(timer));
    report();
    return written;
  } finally {
    await pool.end();
  }
}

interface Fill {
  readonly database: LargeDatabase;
  readonly pool: pg.Pool;
  readonly preparer: Preparer;
  readonly templates: readonly RecordTemplate[];
  readonly partitions: PartitionCache;
  readonly merging: LogMerging;
  readonly headers: Map<string, Buffer>;
}

interface FilledLane {
  readonly lane: LaneIdentity;
  nextBatch: number;
}

async function loadPrincipals(preparer: Preparer, pool: pg.Pool, tenantId: string): Promise<void> {
  for await (const principals of readTenantPrincipals(pool, tenantId))
    preparer.changePrincipals({ kind: 'load', tenantId, principals, isLast: false });
  preparer.changePrincipals({ kind: 'load', tenantId, principals: [], isLast: true });
}

/** Of the demo companies' records those whose copies become rows at the requested time. */
function createAllTemplates(log: (line: string) => void): RecordTemplate[] {
  const all = demoTenants.flatMap((tenant) => {
    const records: DemoRecord[] = [
      ...demoHistory({
        tenant,
        endMs: templateEndMs,
        days: 14,
        seed: 'large',
        count: templateRecords / demoTenants.length,
      }),
    ];
    return createTemplates(tenant.company, records);
  });
  const usable = all.filter((template, index) => isUsable(template, index, templateEndMs));
  log(`templates: ${usable.length} of ${all.length} records, the others have no time that can be changed`);
  return usable;
}

function isUsable(template: RecordTemplate, seed: number, atMs: number): boolean {
  const population = { users: 100, files: 100, addresses: 100 };
  const value = Buffer.from(renderRecord(template, population, createRandom(`template/${seed}`), atMs));
  const headers = { ce_specversion: '1.0', ce_type: toEventType(template.format), ce_tenantid: probeTenantId };
  const outcomes = readActivity(
    { key: null, value, headers },
    { findTenant: () => ({ azureTenantId: null }), nowMs: Date.now(), maxValueBytes, onlyElement: null },
  );
  const [row] = outcomes.flatMap((outcome) => (outcome.kind === 'log' ? [outcome.row] : []));
  return (
    row !== undefined && outcomes.every(({ kind }) => kind !== 'rejected') && Math.abs(row.occurredAtMs - atMs) < 1_000
  );
}

const probeTenantId = '00000000-0000-4000-8000-000000000000';

async function findLanes({ database, pool }: Fill): Promise<FilledLane[]> {
  const identities = Array.from({ length: lanePartitions }, (_, partition) => ({
    clusterId: 'bench',
    topicId: database.state.topicId,
    partition,
  }));
  const positions = await readLanes({ pool, schema: 'models' }, identities);
  return positions.map((lane) => ({ lane, nextBatch: Number(lane.nextOffset) / batchRows }));
}

/** Batches alternate between the lanes. While one is written the next is prepared. */
async function fillLane(fill: Fill, filled: FilledLane, onWritten: (count: number) => void): Promise<void> {
  const batches = Math.ceil(fill.database.state.rows / batchRows / lanePartitions);
  const client = await fill.pool.connect();
  try {
    let next = prepareBatch(fill, filled);
    while (filled.nextBatch < batches) {
      const { rows, alerts, stampMs } = await next;
      const fromOffset = BigInt(filled.nextBatch * batchRows);
      filled.nextBatch += 1;
      next = prepareBatch(fill, filled);
      await client.query(`set bench.clock = '${new Date(stampMs).toISOString()}'`);
      const batch = { lane: filled.lane, fromOffset, toOffset: fromOffset + BigInt(batchRows), rows, alerts };
      const outcome = await writeLogBatch(
        client,
        { pool: fill.pool, schema: 'models' },
        fill.partitions,
        fill.merging,
        {
          ...batch,
          deadLetters: [],
          settledReplays: [],
        },
      );
      if (outcome.kind !== 'written') throw new Error(`a batch was not written: ${outcome.kind}`);
      onWritten(outcome.inserted);
    }
    await next;
  } finally {
    client.release(true);
  }
}

async function prepareBatch(fill: Fill, { lane, nextBatch }: FilledLane) {
  const { state } = fill.database;
  const position = nextBatch * lanePartitions + lane.partition;
  const share = Math.min(1, ((position + 1) * batchRows) / state.rows);
  const stampMs = Math.floor(state.endsAtMs - historyDays * dayMs * (1 - share));
  const random = createRandom(`large/${position}`);
  const records = Array.from({ length: batchRows }, (_, index) => createRecord(fill, random, stampMs, index));
  const { rows, alerts, rejected } = await fill.preparer.prepare(records);
  if (rejected.length > 0) throw new Error(`a record was rejected: ${rejected[0]?.reason}, ${rejected[0]?.detail}`);
  return { rows, alerts, stampMs };
}

function createRecord({ database, templates, headers }: Fill, random: Random, stampMs: number, index: number) {
  const { tenantIds, population } = database.state;
  const number = random.next() < largeShare ? 0 : drawZipf(random, tenantIds.length - 1);
  const tenantId = tenantIds[number] as string;
  const template = templates[Math.floor(random.next() * templates.length)] as RecordTemplate;
  const occurredAtMs = Math.floor(stampMs - drawDelayMs(random));
  return {
    offset: BigInt(index),
    producedAtMs: stampMs,
    key: Buffer.from(tenantId),
    value: Buffer.from(renderRecord(template, population, random, occurredAtMs)),
    headers: findHeaders(headers, tenantId, template.format),
  };
}

/** Most records arrive within the hour, one in a hundred up to a week late. */
function drawDelayMs(random: Random): number {
  const kind = random.next();
  const longest = kind < 0.9 ? 60 * minuteMs : kind < 0.99 ? dayMs : 7 * dayMs;
  return minuteMs + random.next() * longest;
}

function findHeaders(cache: Map<string, Buffer>, tenantId: string, format: RecordTemplate['format']): Buffer {
  const key = `${tenantId}/${format}`;
  let encoded = cache.get(key);
  if (encoded === undefined) {
    encoded = encodeHeaders([
      ['ce_specversion', '1.0'],
      ['ce_type', toEventType(format)],
      ['ce_tenantid', tenantId],
      ['content-type', 'application/json'],
    ]);
    cache.set(key, encoded);
  }
  return encoded;
}
