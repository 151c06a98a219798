import { ledgerTopic, topicName } from '@tenantscope/contract';
import { type LedgerMessage, openLedgerTopic } from '@tenantscope/publish';
import { defaultCell, describeKafkaError } from '@tenantscope/runtime';
import { ChangedAfterRestore, connectRestore, LostMoves, type Restore } from '@tenantscope/store/restore';
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
  const { urls, kafka } = await selectCell(options.cell, environment);
  return withDatabaseErrors(urls.owner, 'TENANTSCOPE_OWNER_DATABASE_URL', async () => {
    await using restore = await connectRestore(urls);
    const { server, hasOpenEpoch, topicEnd, lanes } = await restore.readState();
    const measured = await measureLanes(kafka, options.group ?? `${kafka.topicPrefix}.ingest`, lanes).catch(
      reportKafkaError(kafka),
    );
    const { own, foreign } = options.withoutLedger
      ? { own: 0, foreign: 0 }
      : await stageLedger(kafka, topicEnd, restore);
    if (hasOpenEpoch && (await restore.countMissing().catch(reportRefusal)) === 0)
      return {
        document: { server, finished: false },
        text: 'Nothing to finish: the database has the whole ledger, and its epoch is open.',
      };
    const evidence = {
      operator: currentOperator(),
      ledger: options.withoutLedger ? 'not applied' : `${own} entries read`,
      foreignMessages: foreign,
      messagesReadAgain: sum(measured, ({ readAgain }) => readAgain),
      messagesLost: sum(measured, ({ lost }) => lost),
    };
    const finished = await restore
      .finish(evidence, { rejectsLostMoves: options.withoutMovedTenants !== true })
      .catch(reportRefusal);
    return describeRestore({ server, ...finished, lanes: measured, withLedger: !options.withoutLedger, foreign });
  });
}

/** Of a further cell the ledger is in its own topics, and has nothing of the control database. */
async function selectCell(cell: string, environment: Environment) {
  const all = readMigrationUrls(environment);
  const kafka = readKafkaSettings(environment);
  const { controlOwner } = all;
  if (cell === defaultCell) return { urls: { owner: all.owner, controlOwner, cell }, kafka };
  const database = all.cells.find(({ name }) => name === cell);
  if (database === undefined) throw usageError(`TENANTSCOPE_CELLS does not name the cell ${cell}`);
  const topicPrefix = await withAdmin(environment, (admin) => readTopicPrefixOf(admin, { cell }, kafka.topicPrefix));
  return { urls: { owner: database.owner, controlOwner, cell }, kafka: { ...kafka, topicPrefix } };
}

const sum = (lanes: readonly MeasuredLane[], count: (lane: MeasuredLane) => number) =>
  lanes.reduce((total, lane) => total + count(lane), 0);

function reportRefusal(error: unknown): never {
  if (error instanceof ChangedAfterRestore || error instanceof LostMoves) throw new CommandError(error.message);
  throw error;
}

const reportKafkaError =
  ({ connection }: KafkaSettings) =>
  (error: unknown): never => {
    throw new CommandError(describeKafkaError(error, { brokers: connection.brokers }));
  };

/** How many messages of the topic are entries of these databases, and how many are not. */
async function stageLedger(
  kafka: KafkaSettings,
  topicEnd: bigint,
  restore: Restore,
): Promise<{ own: number; foreign: number }> {
  let messages = 0;
  let own = 0;
  for await (const piece of readLedger(kafka, topicEnd)) {
    messages += piece.length;
    own += await restore.stage(piece);
  }
  return { own, foreign: messages - own };
}

async function* readLedger(kafka: KafkaSettings, topicEnd: bigint): AsyncGenerator<readonly LedgerMessage[]> {
  const { connection, topicPrefix } = kafka;
  const topic = topicName(topicPrefix, ledgerTopic);
  const groupPrefix = `${topicPrefix}.ledger`;
  await using ledger = openLedgerTopic({ ...connection, clientId: 'tenantscope-restore', topic, groupPrefix });
  const { start, end } = await ledger.readBounds().catch(reportKafkaError(kafka));
  if (topicEnd < start)
    throw new CommandError(
      `the ledger has deleted entries that the database lacks: it knows the topic ${topic} up to offset ${topicEnd}, which begins at ${start}; restore a newer backup, or see --without-ledger`,
    );
  try {
    yield* ledger.read(start, end);
  } catch (error) {
    reportKafkaError(kafka)(error);
  }
}
