import { setTimeout as sleep } from 'node:timers/promises';
import { createKafkaClient, waitForBroker } from '@tenantscope/publish';
import { describeKafkaError, type KafkaConnection } from '@tenantscope/runtime';
import type { Admin, ListedLane, RequestedSkip } from '@tenantscope/store/admin';
import { CommandError, usageError } from '../../command-error.ts';
import { withAdmin } from '../../connections/admin-connection.ts';
import { readClusterConnection } from '../../connections/connection-settings.ts';
import type { CommandContext } from '../../context.ts';
import { parseInteger } from '../../input/option-parsers.ts';
import type { CommandResult } from '../../output/command-result.ts';
import { formatCount } from '../../output/count.ts';
import { findListedLanes, formatLane, type LaneName, type LaneOptions, parseLane } from './lanes.ts';

export interface SkipOptions extends LaneOptions {
  readonly to: string;
  readonly reason: string;
  readonly wait: string;
}

const pollMs = 500;

/**
 * Requests that ingestion skips the records of a stopped or stalled lane up to an offset, and waits until it has. Ingestion keeps them as dead letters;
 * without a running one the request waits for it.
 */
export async function skipLane(text: string, options: SkipOptions, context: CommandContext): Promise<CommandResult> {
  const { cluster } = options;
  const { topic, partition } = parseLane(text);
  const name = formatLane({ cluster, topic, partition });
  const toOffset = parseOffset(options.to);
  const reason = parseReason(options.reason);
  const waitMs = 1_000 * parseInteger(options.wait, '--wait', { from: 0, to: 3_600 });
  const connection = findConnection(cluster, context);
  return withAdmin(context.environment, async (admin) => {
    const lane = findHaltedLane(await admin.lanes.listAvailable(), { cluster, topic, partition });
    if (toOffset <= lane.nextOffset)
      throw new CommandError(`${name} is at offset ${lane.nextOffset}; --to must be greater`);
    const end = await readLogEnd(connection, topic, partition);
    if (toOffset > end) throw new CommandError(`the log of ${name} ends at offset ${end}; --to must not be greater`);
    const id = await admin.lanes.requestSkip(lane, { toOffset, reason });
    if (id === null) throw new CommandError(`a skip of ${name} is already requested; see "tenantscope lanes list"`);
    const skip = await waitForSkip(admin, id, waitMs);
    if (skip.refusal !== null) throw new CommandError(`ingestion refused the skip of ${name}: ${skip.refusal}`);
    const { records, batches, completedAt } = skip;
    const document = {
      cluster,
      topic,
      partition,
      fromOffset: lane.nextOffset,
      toOffset,
      completedAt,
      records,
      batches,
    };
    return { document, text: describeSkip(name, lane.nextOffset, toOffset, skip) };
  });
}

/** The end of the log bounds the skip, so the command needs the cluster's variables too. */
function findConnection(cluster: string, { environment }: CommandContext): KafkaConnection {
  const connection = readClusterConnection(environment, cluster);
  if (connection !== undefined) return connection;
  throw usageError(`--cluster ${cluster} is not declared here; name it in TENANTSCOPE_KAFKA_CLUSTERS, as for ingest`);
}

/** A recreated topic has several lanes; the one that ingestion wrote or ticked last is read. */
function findHaltedLane(lanes: Parameters<typeof findListedLanes>[0], name: LaneName): ListedLane {
  const found = findListedLanes(lanes, name);
  const halted = found.filter(({ state }) => state === 'stopped' || state === 'tripped' || state === 'stalled');
  const [lane] = halted.toSorted((one, other) => ((one.writtenAt ?? '') < (other.writtenAt ?? '') ? 1 : -1));
  if (lane === undefined)
    throw new CommandError(
      `${formatLane(name)} is ${found[0]?.state}; only a stopped, tripped or stalled lane can be skipped`,
    );
  return lane;
}

async function readLogEnd(connection: KafkaConnection, topic: string, partition: number): Promise<number> {
  const kafka = createKafkaClient({ ...connection, clientId: 'tenantscope-lanes' }).admin();
  try {
    await waitForBroker(connection.brokers, 5_000, kafka.connect());
    const offsets = await kafka.fetchTopicOffsets(topic);
    const found = offsets.find((one) => one.partition === partition);
    if (found === undefined) throw new CommandError(`the topic ${topic} has no partition ${partition}`);
    return Number(found.high);
  } catch (error) {
    throw error instanceof CommandError ? error : new CommandError(describeKafkaError(error, { ...connection, topic }));
  } finally {
    await kafka.disconnect();
  }
}

async function waitForSkip(admin: Admin, id: string, waitMs: number): Promise<RequestedSkip> {
  for (const deadline = performance.now() + waitMs; ; await sleep(pollMs)) {
    const skip = await admin.lanes.readSkip(id);
    if (skip.completedAt !== null || performance.now() >= deadline) return skip;
  }
}

function describeSkip(
  name: string,
  from: number,
  to: number,
  { completedAt, records, batches }: RequestedSkip,
): string {
  const range = `offsets ${from} to ${to - 1} of ${name}`;
  if (completedAt === null) return `Requested: ${range}. Ingestion executes it when it runs and reads the lane.`;
  const retained = `${formatCount(records ?? 0, 'record')} and ${formatCount(batches ?? 0, 'undecodable batch', 'undecodable batches')} are dead letters`;
  return `Skipped ${range}; ${retained}. The lane continues at ${to}.`;
}

function parseOffset(text: string): number {
  const offset = /^\d{1,16}$/.test(text) ? Number(text) : Number.NaN;
  if (!Number.isSafeInteger(offset)) throw usageError('--to must be an offset, for example 1200');
  return offset;
}

function parseReason(text: string): string {
  const trimmed = text.trim();
  if (trimmed.length === 0 || trimmed.length > 1_000) throw usageError('--reason must have 1 to 1,000 characters');
  return trimmed;
}
