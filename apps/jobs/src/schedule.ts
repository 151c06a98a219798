import { createHash } from 'node:crypto';
import { isTimeZone } from '@tenantscope/contract';
import { type Week, weekAt, weekBefore } from './week.ts';

/** When in a week a snapshot is due, and how far back a missed one is made up. */
export interface Schedule {
  /** From the week's first instant. */
  readonly dueAfterMs: number;
  /** Tenants that would be due at once are due over this long, each always at the same place in it. */
  readonly spreadMs: number;
  /** Weeks before the current one that are looked at. */
  readonly lookBack: number;
}

export interface ScheduledTenant {
  readonly id: string;
  readonly timeZone: string;
  readonly connectedAtMs: number;
}

export interface OwedPeriod {
  readonly tenantId: string;
  readonly period: string;
  readonly dueAtMs: number;
  /** A snapshot taken at or after it is late. */
  readonly endMs: number;
}

/**
 * The periods whose snapshots a tenant owes at an instant, oldest first, whether taken or not: the last few weeks and the current one, as far as they
 * are due. A week that ended before the tenant was connected owes nothing. A zone this runtime does not know counts as UTC.
 */
export function owedPeriods(tenant: ScheduledTenant, nowMs: number, schedule: Schedule): OwedPeriod[] {
  const timeZone = isTimeZone(tenant.timeZone) ? tenant.timeZone : 'UTC';
  const weeks: Week[] = [weekAt(nowMs, timeZone)];
  for (let back = 0; back < schedule.lookBack; back++) weeks.unshift(weekBefore(weeks[0] as Week, timeZone));
  const waitMs = schedule.dueAfterMs + placeOf(tenant.id, schedule.spreadMs);
  return weeks
    .map(({ period, startMs, endMs }) => ({ tenantId: tenant.id, period, dueAtMs: startMs + waitMs, endMs }))
    .filter(({ dueAtMs, endMs }) => dueAtMs <= nowMs && tenant.connectedAtMs < endMs);
}

/** Where in the spread a tenant stands: as good as random between tenants, the same in every process. */
export function placeOf(tenantId: string, spreadMs: number): number {
  const digest = createHash('sha256').update(tenantId).digest();
  return Math.floor((digest.readUInt32BE(0) / 2 ** 32) * spreadMs);
}
