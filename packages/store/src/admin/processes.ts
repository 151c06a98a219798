import { type DatabasePool, sql } from 'slonik';
import { z } from 'zod';
import type { FailoverState } from '../connection/process-registry.ts';

const failoverState: z.ZodType<FailoverState> = z.object({
  epoch: z.number().nullable(),
  problem: z.string().nullable(),
  waitsFor: z.string().nullable(),
  standbys: z.array(z.object({ name: z.string(), isBounding: z.boolean(), lagMs: z.number().nullable() })),
});

const listedProcess = z.object({
  app: z.string(),
  version: z.string(),
  /** Host and process id. */
  host: z.string(),
  startedAt: z.string(),
  seenAt: z.string(),
  /** Of an api that has standbys: as it reported itself, within the last 15 s. */
  failover: failoverState.nullable(),
});

/** A process that has reported itself within the last minute. */
export type ListedProcess = z.infer<typeof listedProcess>;

export function listProcesses(control: DatabasePool): Promise<readonly ListedProcess[]> {
  return control.any(sql.type(listedProcess)`
    select app, version, host, started_at as "startedAt", seen_at as "seenAt", failover
      from control.process where seen_at > clock_timestamp() - interval '1 minute' order by app, version, host`);
}

const backfill = z.object({
  name: z.string(),
  /** Where the next step begins: a time of the log. */
  nextAt: z.string(),
  untilAt: z.string(),
});

/** What a migration began and ingest completes in the background. */
export type UnfinishedBackfill = z.infer<typeof backfill>;

export function listUnfinishedBackfills(models: DatabasePool): Promise<readonly UnfinishedBackfill[]> {
  return models.any(sql.type(backfill)`
    select tally as name, next_at as "nextAt", until_at as "untilAt"
      from models.log_tally_backfill where next_at is not null order by tally`);
}
