import { createHash } from 'node:crypto';
import { dayMs, hourMs } from '@tenantscope/contract';
import { memberText } from '../../resource/sealed-columns.ts';
import type { AuditLogRow, LogFact } from './audit-log-row.ts';
import { readClientId } from './client-id.ts';

/**
 * What rules count over the log, counted when its rows are written: the rows of `models.log_tally`. A tally is a number of rows of one tenant
 * with one key within one period, and the times of the first and the last of them.
 */
export interface LogTally {
  readonly name: string;
  /** The time of a row that decides its period, and that `first_at` and `last_at` are of. */
  readonly clock: 'occurred' | 'discovered';
  readonly periodMs: number;
  /**
   * The same key in SQL, as values `subject, object, flags` over a row `l` of the log, or over its fact `f` and the row's stamps. For the backfill of
   * rows that were written before the tally existed; a test compares it with what is counted when rows are written.
   */
  readonly sql: {
    readonly from: 'log' | 'aiInteraction' | 'agentLifecycle';
    readonly key: readonly [subject: string, object: string, flags: string];
    readonly where: string;
  };
}

/** Empty texts stand for null. */
export interface TallyKey {
  readonly subject: string;
  readonly object: string;
  readonly flags: string;
}

/** Of tallies from which rules read the times of last rows, or single days: 30 days are in two periods at most. */
export const longPeriodMs = 32 * dayMs;

const managedState = (of: string) => `case ${of} when true then 'managed' when false then 'unmanaged' else '' end`;
const lagMinutes = `greatest(ceil(extract(epoch from l.discovered_at - l.occurred_at) / 60), 0)::bigint::text`;

/** When rows of a tenant were discovered: silences, the begin and the end of its history. */
export const arrivalTally: LogTally = {
  name: 'arrival',
  clock: 'discovered',
  periodMs: hourMs,
  sql: { from: 'log', key: [`''`, `''`, `''`], where: 'true' },
};

/** How late rows were discovered, in minutes, rounded up; a row ahead of our clock was not late. */
export const lagTally: LogTally = {
  name: 'lag',
  clock: 'discovered',
  periodMs: hourMs,
  sql: { from: 'log', key: [lagMinutes, `''`, `''`], where: 'true' },
};

/** Rows by workload; of users and guests by the state of their device: `user managed`, `user unmanaged` or `user`. */
const activityTally: LogTally = {
  name: 'activity',
  clock: 'occurred',
  periodMs: hourMs,
  sql: {
    from: 'log',
    key: [
      'l.workload',
      `''`,
      `case when l.actor_type in ('user', 'guest') then rtrim('user ' || ${managedState('l.is_managed_device')}) else '' end`,
    ],
    where: 'true',
  },
};

const applicationSql = `coalesce(l.application_id, ${memberText('l', 'applicationClientId')}::json #>> '{}')`;

/** Rows by application: by its client id where the inventory did not have it when the row was written. */
const applicationTally: LogTally = {
  name: 'application',
  clock: 'occurred',
  periodMs: dayMs,
  sql: { from: 'log', key: [applicationSql, `''`, `''`], where: `${applicationSql} is not null` },
};

/**
 * Rows by actor, device and its state; those of failed attempts apart: `failed`, `managed failed` or `unmanaged failed`. The device alone where the row does
 * not report its state. Stored as rows of 32 days, see `actor-tallies.ts`, with actors in lower case.
 */
export const actorTally: LogTally = {
  name: 'actor',
  clock: 'occurred',
  periodMs: dayMs,
  sql: {
    from: 'log',
    key: [
      'l.actor_id',
      'case when l.is_managed_device is null then l.device_id end',
      `ltrim(${managedState('l.is_managed_device')} || case when l.outcome = 'failure' then ' failed' else '' end)`,
    ],
    where: 'l.actor_id is not null',
  },
};

/** Interactions with AI by agent and client, and whether they name an actor: `actor`. */
const interactionTally: LogTally = {
  name: 'interaction',
  clock: 'occurred',
  periodMs: hourMs,
  sql: {
    from: 'aiInteraction',
    key: ['f.agent_id', `f.facts ->> 'clientId'`, `case when f.actor_id is null then '' else 'actor' end`],
    where: 'true',
  },
};

/** Interactions with AI by actor and the program in which they happened. Rules read when the last one was, so that a period is long. */
const assistantTally: LogTally = {
  name: 'assistant',
  clock: 'occurred',
  periodMs: longPeriodMs,
  sql: {
    from: 'aiInteraction',
    key: ['f.actor_id', `f.facts ->> 'appHost'`, `''`],
    where: 'f.actor_id is not null',
  },
};

/** Changes of agents by agent and event. */
const lifecycleTally: LogTally = {
  name: 'lifecycle',
  clock: 'occurred',
  periodMs: longPeriodMs,
  sql: { from: 'agentLifecycle', key: ['f.agent_id', `''`, `f.facts ->> 'event'`], where: 'f.agent_id is not null' },
};

/** The tallies of `models.log_tally`. */
export const logTallies: readonly LogTally[] = [
  arrivalTally,
  lagTally,
  activityTally,
  applicationTally,
  interactionTally,
  assistantTally,
  lifecycleTally,
];

/** Reads the keys of a row. The tallies of times alone, `arrival` and `lag`, have none before the row has its stamp. */
export function listTallyKeys(
  { columns, memberLines }: Pick<AuditLogRow, 'columns' | 'memberLines'>,
  facts: readonly LogFact[],
  add: (tally: LogTally, key: TallyKey) => void,
): void {
  const { workload, actorType, actorId, deviceId, isManagedDevice, outcome } = columns;
  const managed = isManagedDevice === null ? '' : isManagedDevice ? 'managed' : 'unmanaged';
  const isOfUser = actorType === 'user' || actorType === 'guest';
  const user = isOfUser ? (managed === '' ? 'user' : `user ${managed}`) : '';
  add(activityTally, { subject: boundText(workload), object: '', flags: user });
  const application = columns.applicationId ?? readClientId(memberLines);
  if (application !== null) add(applicationTally, { subject: boundText(application), object: '', flags: '' });
  if (actorId !== null) {
    const flags = outcome === 'failure' ? (managed === '' ? 'failed' : `${managed} failed`) : managed;
    const device = managed === '' ? boundText(deviceId) : '';
    add(actorTally, { subject: nameActor(actorId), object: device, flags });
  }
  for (const { kind, agentId, clientId, actorId: of, appHost, event } of facts) {
    if (kind === 'aiInteraction') {
      const flags = of === null ? '' : 'actor';
      add(interactionTally, { subject: boundText(agentId), object: boundText(clientId), flags });
      if (of !== null) add(assistantTally, { subject: boundText(of), object: boundText(appHost), flags: '' });
    }
    if (kind === 'agentLifecycle' && agentId !== null)
      add(lifecycleTally, { subject: boundText(agentId), object: '', flags: boundText(event) });
  }
}

/** As an actor is counted: in lower case, as names of entities are. */
export const nameActor = (id: string): string => boundText(id.toLowerCase());

/** The number of minutes by which a row was discovered late. */
export const countLagMinutes = (occurredMs: number, stampMs: number): number =>
  Math.max(0, Math.ceil((stampMs - occurredMs) / 60_000));

/**
 * The begin of the period that a row belongs to. A row ahead of our clock has a period of its own, which begins with it: a rule counts it from
 * then on, and no other row of its period before.
 */
export function beginPeriod({ clock, periodMs }: LogTally, occurredMs: number, stampMs: number): number {
  if (clock === 'discovered') return stampMs - (stampMs % periodMs);
  return occurredMs > stampMs ? occurredMs : occurredMs - modulo(occurredMs - originMs, periodMs);
}

/** Where periods begin, as in SQL. */
export const originMs = Date.UTC(2000, 0, 1);
const modulo = (ms: number, period: number): number => ((ms % period) + period) % period;

/**
 * Texts of a key are part of an index, whose entries have 2,704 bytes at most. Names of entities are far shorter; a longer text is counted by its
 * digest.
 */
const maxTextBytes = 512;
const longestShortText = Math.floor(maxTextBytes / 3);

export function boundText(text: string | null): string {
  if (text === null) return '';
  if (text.length <= longestShortText || Buffer.byteLength(text) <= maxTextBytes) return text;
  return `sha256:${createHash('sha256').update(text).digest('hex')}`;
}

/** The same bound in SQL. */
export const boundTextSql = (text: string): string =>
  `case when octet_length(${text}) > ${maxTextBytes} then 'sha256:' || encode(sha256(convert_to(${text}, 'UTF8')), 'hex') else coalesce(${text}, '') end`;
