import { describeKafkaError, nameCellVariable } from '@tenantscope/runtime';
import { migrate } from '@tenantscope/store/admin';
import { CommandError } from '../../command-error.ts';
import { readKafkaSettings, readMigrationUrls } from '../../connections/connection-settings.ts';
import { withDatabaseErrors } from '../../connections/database-errors.ts';
import { parseWait, waitForStores } from '../../connections/wait-for-stores.ts';
import type { CommandContext } from '../../context.ts';
import type { CommandResult } from '../../output/command-result.ts';
import { formatCount } from '../../output/count.ts';
import { describeOmittedCell, reportMigrationError, showPlan } from './migration-plan.ts';
import { ensureTopics, type TopicOutcome } from './topics.ts';

export interface MigrateCommandOptions {
  readonly plan?: boolean;
  readonly check?: boolean;
  readonly addPartitions?: boolean;
  readonly wait: string;
}

/** Creates or upgrades the database and the topics for this version. A second run changes nothing. */
export async function migrateAll(options: MigrateCommandOptions, context: CommandContext): Promise<CommandResult> {
  if (options.plan || options.check) return showPlan(options, context);
  const urls = readMigrationUrls(context.environment);
  const kafka = readKafkaSettings(context.environment);
  const waitMs = parseWait(options.wait);
  refuseDefaultPrefix(urls.cells, kafka.topicPrefix);
  const { applied, postponed, cells, omittedCells } = await withDatabaseErrors(
    urls.owner,
    'TENANTSCOPE_OWNER_DATABASE_URL',
    () => waitForStores(waitMs, () => migrate(urls).catch(reportMigrationError)),
  );
  const addPartitions = options.addPartitions ?? false;
  const topics: TopicOutcome[] = [];
  for (const { topicPrefix, hasDirectory } of [
    { topicPrefix: kafka.topicPrefix, hasDirectory: true },
    // The records of tenants and organizations are read from the topics of the cell default alone.
    ...cells.map((cell) => ({ ...cell, hasDirectory: false })),
  ]) {
    const ensure = () => ensureTopics({ ...kafka, topicPrefix }, { addPartitions, hasDirectory });
    const outcomes = await waitForStores(waitMs, ensure).catch((error: unknown) => {
      if (error instanceof CommandError) throw error;
      const at = { brokers: kafka.connection.brokers, topic: `${topicPrefix}.*` };
      throw new CommandError(describeKafkaError(error, at));
    });
    topics.push(...outcomes);
  }
  const lines = [
    applied.length === 0 && postponed.length === 0
      ? 'The database is up to date.'
      : `Database migrations applied: ${applied.join(', ') || 'none'}.`,
    ...postponed.map(
      ({ name, obstacles }) =>
        `Migration ${name} is postponed: ${obstacles.join('; ')}. Run "tenantscope migrate" again later.`,
    ),
    ...omittedCells.map(describeOmittedCell),
    ...topics.map(formatTopicOutcome),
  ];
  return { document: { database: { applied, postponed, omittedCells }, topics }, text: lines.join('\n') };
}

/** The topics of a further cell are its own. */
function refuseDefaultPrefix(
  cells: readonly { readonly name: string; readonly topicPrefix?: string | undefined }[],
  defaultPrefix: string,
): void {
  const wrong = cells.find(({ topicPrefix }) => topicPrefix === defaultPrefix);
  if (wrong === undefined) return;
  const variable = nameCellVariable(wrong.name, 'TENANTSCOPE_CELL_TOPIC_PREFIX');
  throw new CommandError(
    `${variable}: ${defaultPrefix} is that of the cell default (TENANTSCOPE_TOPIC_PREFIX). Nothing was changed.`,
  );
}

function formatTopicOutcome({ name, partitions, planned, outcome }: TopicOutcome): string {
  switch (outcome) {
    case 'created':
      return `Topic ${name}: created with ${formatCount(partitions, 'partition')}.`;
    case 'grown':
      return `Topic ${name}: partitions added, now ${partitions}.`;
    case 'short':
      return `Topic ${name}: ${partitions} of ${planned} planned partitions. Run with --add-partitions to add them where that is safe.`;
    case 'present':
      return `Topic ${name}: up to date, ${formatCount(partitions, 'partition')}.`;
  }
}
