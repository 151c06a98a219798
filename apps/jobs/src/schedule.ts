import { createHash } from 'node:crypto';
import { isTimeZone } from '@tenantscope/contract';
import { findPreviousWeek, findWeek, type Week } from './week.ts';

/** When in a week a snapshot is due, and how far back a missed one is taken late. */
export interface Schedule {
  /** From the start of the week. */
  readonly dueAfterMs: number;
  /** Tenants with the same due time are spread over this time, each always at the same offset. */
  readonly spreadMs: number;
  /** Number of weeks before the current one that are checked. */
  readonly lookBack: number;
}

export interface ScheduledTenant {
  readonly id: string;
  readonly timeZone: string;
  readonly connectedAtMs: number;
}

export interface DuePeriod {
  readonly tenantId: string;
  readonly period: string;
  readonly dueAtMs: number;
  /** A snapshot taken at or after it is late. */
  readonly endMs: number;
}

/**
 * The periods whose snapshots of a tenant are due at an instant, oldest first, taken or not: the last few weeks and the current one.
 * A week that ended before the tenant was connected is never due. A time zone that this runtime does not support counts as UTC.
 */
export function listDuePeriods(tenant: ScheduledTenant, nowMs: number, schedule: Schedule): DuePeriod[] {
  const timeZone = isTimeZone(tenant.timeZone) ? tenant.timeZone : 'UTC';
  const weeks: Week[] = [findWeek(nowMs, timeZone)];
  for (let back = 0; back < schedule.lookBack; back++) weeks.unshift(findPreviousWeek(weeks[0] as Week, timeZone));
  const dueAfterMs = schedule.dueAfterMs + computeSpreadOffset(tenant.id, schedule.spreadMs);
  return weeks
    .map(({ period, startMs, endMs }) => ({ tenantId: tenant.id, period, dueAtMs: startMs + dueAfterMs, endMs }))
    .filter(({ dueAtMs, endMs }) => dueAtMs <= nowMs && tenant.connectedAtMs < endMs);
}

/** The tenant's offset in the spread: evenly distributed over tenants, the same in every process. */
export function computeSpreadOffset(tenantId: string, spreadMs: number): number {
  const digest = createHash('sha256').update(tenantId).digest();
  return Math.floor((digest.readUInt32BE(0) / 2 ** 32) * spreadMs);
}
