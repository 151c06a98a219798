import { ledgerTopic, topicName } from '@tenantscope/contract';
import { type LedgerMessage, openLedgerTopic } from '@tenantscope/publish';
import { defaultCell, describeKafkaError } from '@tenantscope/runtime';
import {
  ChangedAfterRestore,
  ControlNotRestored,
  connectRestore,
  LostMoves,
  type Restore,
  UnknownTable,
} from '@tenantscope/store/restore';
import { CommandError, usageError } from '../../command-error.ts';
import { currentOperator, withAdmin } from '../../connections/admin-connection.ts';
import { readTopicPrefixes } from '../../connections/cell-topics.ts';
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
    const { measured, unmeasured } = await measureLanes(
      kafka,
      options.group ?? `${kafka.topicPrefix}.ingest`,
      lanes,
    ).catch(reportKafkaError(kafka));
    const { own, foreign, end } = await stageLedger(kafka, restore, options.withoutLedger ? null : topicEnd);
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
      .finish(evidence, {
        rejectsLostMoves: options.withoutMovedTenants !== true,
        ...(options.withoutLedger && { skipsLedgerTo: end }),
      })
      .catch(reportRefusal);
    const withLedger = !options.withoutLedger;
    return describeRestore({ server, ...finished, lanes: measured, unmeasured, withLedger, foreign });
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
  const prefixes = await withAdmin(environment, (admin) => readTopicPrefixes(admin, kafka.topicPrefix));
  const topicPrefix = prefixes.get(cell);
  if (topicPrefix === undefined)
    throw new CommandError(
      `the control database has no cell ${cell}: if it was restored too, run "tenantscope restore finish" for the cell default first; otherwise "tenantscope migrate" creates the cell`,
    );
  return { urls: { owner: database.owner, controlOwner, cell }, kafka: { ...kafka, topicPrefix } };
}

const sum = (lanes: readonly MeasuredLane[], count: (lane: MeasuredLane) => number) =>
  lanes.reduce((total, lane) => total + count(lane), 0);

function reportRefusal(error: unknown): never {
  const isRefusal = [ChangedAfterRestore, ControlNotRestored, LostMoves, UnknownTable].some(
    (each) => error instanceof each,
  );
  throw isRefusal ? new CommandError((error as Error).message) : error;
}

const reportKafkaError =
  ({ connection }: KafkaSettings) =>
  (error: unknown): never => {
    throw new CommandError(describeKafkaError(error, { brokers: connection.brokers }));
  };

interface StagedLedger {
  /** Messages of the topic that are entries of these databases, and those that are not. */
  readonly own: number;
  readonly foreign: number;
  /** The offset after the last one. */
  readonly end: bigint;
}

/** Throws where the topic lacks entries that the databases, which have it up to `topicEnd`, may lack. Null: it is accepted whatever it has. */
async function stageLedger(kafka: KafkaSettings, restore: Restore, topicEnd: bigint | null): Promise<StagedLedger> {
  const { connection, topicPrefix } = kafka;
  const topic = topicName(topicPrefix, ledgerTopic);
  const groupPrefix = `${topicPrefix}.ledger`;
  await using ledger = openLedgerTopic({ ...connection, clientId: 'tenantscope-restore', topic, groupPrefix });
  const { start, end } = await ledger.readBounds().catch(reportKafkaError(kafka));
  if (topicEnd !== null && topicEnd < start)
    throw new CommandError(
      `the ledger has deleted entries that the database lacks: it knows the topic ${topic} up to offset ${topicEnd}, which begins at ${start}; restore a newer backup, or see --without-ledger`,
    );
  let messages = 0;
  let own = 0;
  for await (const piece of readPieces(
    ledger.read(start, end),
    topicEnd === null ? () => {} : reportKafkaError(kafka),
  )) {
    messages += piece.length;
    own += await restore.stage(piece);
  }
  if (topicEnd !== null && end < topicEnd && own === 0)
    throw new CommandError(
      `the ledger is lost: the database knows the topic ${topic} up to offset ${topicEnd}, which ends at ${end} and has no entry of it; repair Kafka, or see --without-ledger`,
    );
  return { own, foreign: messages - own, end };
}

/** Failures of the topic alone, not of what is done with a piece. */
async function* readPieces(
  pieces: AsyncIterable<readonly LedgerMessage[]>,
  report: (error: unknown) => void,
): AsyncGenerator<readonly LedgerMessage[]> {
  try {
    yield* pieces;
  } catch (error) {
    report(error);
  }
}
