import { ledgerTopic, topicName } from '@tenantscope/contract';
import { type LedgerMessage, openLedgerTopic } from '@tenantscope/publish';
import { defaultCell, describeKafkaError } from '@tenantscope/runtime';
import { connectRestore, type LedgerEntry, listMovesAfter, type Restore } from '@tenantscope/store/restore';
import { CommandError, usageError } from '../../command-error.ts';
import { currentOperator, withAdmin } from '../../connections/admin-connection.ts';
import { readTopicPrefixOf } from '../../connections/cell-topics.ts';
import { type KafkaSettings, readKafkaSettings, readMigrationUrls } from '../../connections/connection-settings.ts';
import { withDatabaseErrors } from '../../connections/database-errors.ts';
import type { Environment } from '../../connections/environment.ts';
import type { CommandContext } from '../../context.ts';
import type { CommandResult } from '../../output/command-result.ts';
import { describeRestore } from './restore-report.ts';
import { type MeasuredLane, measureLanes } from './restored-lanes.ts';

export interface RestoreOptions {
  readonly withoutLedger?: boolean;
  readonly withoutMovedTenants?: boolean;
  readonly group?: string;
  readonly cell: string;
}

/** The last step of a restore. A second run changes nothing. */
export async function finishRestore(options: RestoreOptions, { environment }: CommandContext): Promise<CommandResult> {
  const { urls, kafka, controlOwner } = await selectCell(options.cell, environment);
  return withDatabaseErrors(urls.owner, 'TENANTSCOPE_OWNER_DATABASE_URL', async () => {
    await using restore = await connectRestore(urls);
    const { server, hasOpenEpoch, topicEnd, lanes } = await restore.readState();
    const { messages, measured } = await readFromKafka(kafka, async () => ({
      messages: options.withoutLedger ? [] : await readLedger(kafka, topicEnd),
      measured: await measureLanes(kafka, options.group ?? `${kafka.topicPrefix}.ingest`, lanes),
    }));
    const ledger = await restore.selectOwn(messages);
    const foreign = messages.length - ledger.length;
    if (hasOpenEpoch && (await countMissing(restore, ledger)) === 0)
      return {
        document: { server, finished: false },
        text: 'Nothing to finish: the database has the whole ledger, and its epoch is open.',
      };
    if (options.withoutMovedTenants !== true) await rejectLostMoves(controlOwner, options.cell, lanes);
    const finished = await finish(restore, ledger, {
      operator: currentOperator(),
      ledger: options.withoutLedger ? 'not applied' : `${ledger.length} entries read`,
      foreignMessages: foreign,
      messagesReadAgain: sum(measured, ({ readAgain }) => readAgain),
      messagesLost: sum(measured, ({ lost }) => lost),
    });
    return describeRestore({ server, ...finished, lanes: measured, withLedger: !options.withoutLedger, foreign });
  });
}

/** Of a further cell the ledger is in its own topics, and has nothing of the control database. */
async function selectCell(cell: string, environment: Environment) {
  const all = readMigrationUrls(environment);
  const kafka = readKafkaSettings(environment);
  if (cell === defaultCell)
    return { urls: { owner: all.owner, controlOwner: all.controlOwner }, kafka, controlOwner: all.controlOwner };
  const database = all.cells.find(({ name }) => name === cell);
  if (database === undefined) throw usageError(`TENANTSCOPE_CELLS does not name the cell ${cell}`);
  const topicPrefix = await withAdmin(environment, (admin) => readTopicPrefixOf(admin, { cell }, kafka.topicPrefix));
  const urls = { owner: database.owner, controlOwner: null };
  return { urls, kafka: { ...kafka, topicPrefix }, controlOwner: all.controlOwner };
}

/** A tenant that was moved to the cell after the backup: its rows came from the other cell, and neither Kafka nor the ledger gives them back. */
async function rejectLostMoves(
  controlOwner: string,
  cell: string,
  lanes: readonly { readonly settledMs: number }[],
): Promise<void> {
  // Without a lane it is older than every move.
  const stateMs = lanes.length === 0 ? Number.NEGATIVE_INFINITY : Math.min(...lanes.map(({ settledMs }) => settledMs));
  const lost = await listMovesAfter(controlOwner, cell, stateMs);
  if (lost.length === 0) return;
  const moves = lost.map(({ tenantId, switchedAt }) => `${tenantId} was moved to this cell at ${switchedAt}`);
  throw new CommandError(
    `the database is older than moves of tenants, and has not their rows: ${moves.join('; ')}; restore a newer backup, or see --without-moved-tenants`,
  );
}

const sum = (lanes: readonly MeasuredLane[], count: (lane: MeasuredLane) => number) =>
  lanes.reduce((total, lane) => total + count(lane), 0);

function countMissing(restore: Restore, ledger: readonly LedgerEntry[]): Promise<number> {
  return restore.countMissing(ledger).catch(reportChange);
}

function finish(restore: Restore, ...parameters: Parameters<Restore['finish']>): ReturnType<Restore['finish']> {
  return restore.finish(...parameters).catch(reportChange);
}

function reportChange(error: unknown): never {
  if (error instanceof Error && error.name === 'ChangedAfterRestore') throw new CommandError(error.message);
  throw error;
}

async function readFromKafka<Value>({ connection }: KafkaSettings, work: () => Promise<Value>): Promise<Value> {
  return work().catch((error: unknown) => {
    if (error instanceof CommandError) throw error;
    throw new CommandError(describeKafkaError(error, { brokers: connection.brokers }));
  });
}

async function readLedger({ connection, topicPrefix }: KafkaSettings, topicEnd: bigint): Promise<LedgerMessage[]> {
  const topic = topicName(topicPrefix, ledgerTopic);
  const groupPrefix = `${topicPrefix}.ledger`;
  await using ledger = openLedgerTopic({ ...connection, clientId: 'tenantscope-restore', topic, groupPrefix });
  const { start, end } = await ledger.readBounds();
  if (topicEnd < start)
    throw new CommandError(
      `the ledger has deleted entries that the database lacks: it knows the topic ${topic} up to offset ${topicEnd}, which begins at ${start}; restore a newer backup, or see --without-ledger`,
    );
  return await ledger.read(start, end);
}
