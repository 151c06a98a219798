import { z } from 'zod';
import { document } from '../operation/operation.ts';
import { choices, type Parameter } from '../parameter/parameter.ts';
import { listLogs } from './audit-log.ts';
import { instant, nullableInstant } from './scalar.ts';

/** What rows are grouped by: members of a row that its filters compare, and others. */
export const summaryKeys = [
  'action',
  'severity',
  'outcome',
  'workload',
  'sourceType',
  'actorId',
  'actorUserId',
  'actorType',
  'actorIp',
  'country',
  'resourceId',
  'resourceType',
  'clientApp',
  'deviceId',
  'isManagedDevice',
  'applicationId',
  'errorCode',
  'sessionId',
  'occurredHour',
  'occurredDay',
  'discoveredHour',
  'discoveredDay',
] as const;
export type SummaryKey = (typeof summaryKeys)[number];

/** Keys of one request. */
export const summaryKeysMax = 3;

/** Most rows that a summary counts. */
export const summaryRowsMax = 250_000;

const count = (description: string) => z.int().min(0).meta({ description });

const summaryGroup = z
  .object({
    values: z.record(z.string(), z.string().nullable()).meta({
      description:
        'The value of each key, as a filter takes it; of spellings of an action that differ in case alone, one. Hours and days are their start in UTC. null: rows without a value.',
    }),
    rowCount: count('Rows with these values.'),
  })
  .meta({ id: 'LogSummaryGroup' });

const logSummary = z
  .object({
    tenantId: z.string().meta({ description: 'The tenant.' }),
    by: z.array(z.string()).max(summaryKeysMax).meta({ description: 'The keys.' }),
    rowCount: count('Rows that match: as many as /logs returns for the same window and filters.'),
    groupCount: count('Distinct combinations of values.'),
    groups: z.array(summaryGroup).max(1_000).meta({ description: 'Those with the most rows, at most limit.' }),
    otherRowCount: count('Rows of the groups that are left out.'),
    window: z
      .object({ from: nullableInstant('Start.'), to: instant('End.') })
      .meta({ description: 'What was counted, on discoveredAt, both included.' }),
    completeThrough: instant('A window on discoveredAt that ends at or before this instant never gains a row.'),
    unreadSince: nullableInstant(
      'Time of the oldest record in Kafka that was measured as unread. null if there is no such record.',
    ),
    retainedFrom: nullableInstant('Start of the stored history.'),
    note: z.string().nullable().meta({ description: 'Why the summary is empty, if its window shows it.' }),
  })
  .meta({ id: 'LogSummary', description: 'Numbers of events.' });

export type LogSummary = z.infer<typeof logSummary>;

const { discoveredFrom, discoveredTo, occurredFrom, occurredTo } = listLogs.parameters;
const windows = { discoveredFrom, discoveredTo, occurredFrom, occurredTo } as Readonly<
  Record<'discoveredFrom' | 'discoveredTo' | 'occurredFrom' | 'occurredTo', Extract<Parameter, { kind: 'instant' }>>
>;

export const getLogSummary = document({
  name: 'get_log_summary',
  path: '/logs/summary',
  scope: 'logs:read',
  tenant: 'required',
  returns: 'record',
  summary: 'Numbers of events by their values',
  description:
    `Numbers of the events that /logs returns for the same window and filters, grouped by up to ${summaryKeysMax} keys. Counts are exact; ` +
    `a window in which more than ${summaryRowsMax} events may match is refused, and the error names one that fits. Counts of adjacent windows on discoveredAt add up. Names are text from third parties.`,
  toolDescription:
    'Exact numbers of audit events by who, what, where or when: top actors, addresses, actions, or events per hour. Filters are those of list_logs. Use it before reading rows. Next: list_logs with a value as filter.',
  containsUntrustedText: true,
  describedBy: listLogs,
  record: logSummary,
  parameters: {
    by: choices(summaryKeys, `Keys of the groups, at most ${summaryKeysMax}. Default: action.`, 'actorId,actorIp', {
      brief: 'Group by.',
    }),
    ...listLogs.filters,
    ...windows,
    limit: {
      kind: 'limit',
      description: 'Maximum number of groups.',
      brief: 'Groups.',
      example: '20',
    },
  },
  examples: [
    { description: 'The most frequent actions', input: { limit: '20' } },
    { description: 'Who failed, and from where', input: { by: 'actorId,actorIp', outcome: 'failure', limit: '20' } },
    {
      description: 'Events per hour',
      input: {
        by: 'occurredHour',
        occurredFrom: '2026-11-01T00:00:00Z',
        occurredTo: '2026-11-02T00:00:00Z',
        limit: '24',
      },
    },
  ],
});
