import { type DatabasePool, sql } from 'slonik';
import { z } from 'zod';

const stream = z.object({
  stream: z.string(),
  records: z.number(),
  completedAt: z.string().nullable(),
  dueAt: z.string(),
  isRunning: z.boolean(),
  failures: z.number(),
  failure: z.string().nullable(),
  failedAt: z.string().nullable(),
  gaps: z.array(z.object({ from: z.string(), to: z.string(), reason: z.string() })),
});
const collector = z.object({
  id: z.string(),
  tenantId: z.string(),
  provider: z.string(),
  url: z.string(),
  secretFile: z.string(),
  intervalSeconds: z.number(),
  startAt: z.string(),
  state: z.enum(['active', 'paused', 'removed']),
  /** Those that a collecting process has seen. */
  streams: z.array(stream),
});
/** A collector and how far each of its streams has come. */
export type ListedCollector = z.infer<typeof collector>;

export interface NewCollector {
  readonly tenantId: string;
  readonly provider: string;
  readonly url: string;
  readonly settings: Readonly<Record<string, string>>;
  readonly secretFile: string;
  readonly streams: readonly string[];
  readonly intervalSeconds: number;
  readonly startAt: string;
}

/** Null where the tenant has a collector of this provider and address. */
export function createCollector(control: DatabasePool, input: NewCollector): Promise<string | null> {
  return control.maybeOneFirst(sql.type(z.object({ id: z.string() }))`
    insert into control.collector (tenant_id, provider, url, settings, secret_file, streams, interval_seconds, start_at)
    values (${input.tenantId}, ${input.provider}, ${input.url}, ${sql.jsonb({ ...input.settings })}, ${input.secretFile},
            ${sql.array([...input.streams], 'text')}, ${input.intervalSeconds}, ${input.startAt}::timestamptz)
    on conflict (tenant_id, provider, url) where state <> 'removed' do nothing returning id`);
}

/** Without removed ones, oldest first. */
export function listCollectors(control: DatabasePool, tenantId: string | null): Promise<readonly ListedCollector[]> {
  const time = (column: string) =>
    sql.fragment`to_char(${sql.identifier(['s', column])} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
  return control.any(sql.type(collector)`
    select c.id, c.tenant_id as "tenantId", c.provider, c.url, c.secret_file as "secretFile", c.interval_seconds as "intervalSeconds",
           c.start_at as "startAt", c.state, coalesce(f.streams, '[]') as streams
      from control.collector c
      left join lateral (
        select jsonb_agg(jsonb_build_object(
                 'stream', s.stream, 'records', s.record_count, 'completedAt', ${time('completed_at')}, 'dueAt', ${time('due_at')},
                 'isRunning', coalesce(s.leased_until > clock_timestamp(), false), 'failures', s.failure_count, 'failure', s.failure,
                 'failedAt', ${time('failed_at')}, 'gaps', s.gaps) order by s.stream) as streams
          from control.collector_stream s where s.collector_id = c.id) f on true
     where c.state <> 'removed' and (${tenantId}::uuid is null or c.tenant_id = ${tenantId}::uuid)
     order by c.created_at, c.id`);
}

/** False where there is no such collector, or it is removed. */
export async function setCollectorState(
  control: DatabasePool,
  id: string,
  state: 'active' | 'paused' | 'removed',
): Promise<boolean> {
  const { rowCount } = await control.query(sql.unsafe`
    update control.collector set state = ${state}, changed_at = clock_timestamp() where id = ${id}::uuid and state <> 'removed'`);
  return rowCount === 1;
}
