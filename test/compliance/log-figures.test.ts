import { readMetrics } from '@tenantscope/store/compliance';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import * as events from './events.ts';
import { type FactDatabase, newTenantId, openFactDatabase } from './fact-database.ts';
import { dayMs, hourMs } from './input-records.ts';

let facts: FactDatabase;
beforeAll(async () => {
  facts = await openFactDatabase();
});
afterAll(() => facts?.[Symbol.asyncDispose]());

interface Arrival {
  readonly atMs: number;
  readonly occurredMs: number;
}

const minuteMs = 60_000;
const firstHour = (ms: number): number => ms - (ms % hourMs);

/** The same figures from the rows, as the catalogue describes them. */
function computeFigures(arrivals: readonly Arrival[], nowMs: number, connectedAtMs: number) {
  const fromMs = Math.max(nowMs - 90 * dayMs, connectedAtMs);
  const times = arrivals.map(({ atMs }) => atMs).filter((ms) => ms >= fromMs);
  const gaps = [...times, nowMs].map((ms, index) => ms - (index === 0 ? fromMs : (times[index - 1] as number)));
  const late = arrivals
    .filter(({ atMs }) => atMs >= firstHour(nowMs - 7 * dayMs))
    .map(({ atMs, occurredMs }) => Math.max(0, Math.ceil((atMs - occurredMs) / minuteMs)))
    .toSorted((one, other) => one - other);
  const percentile = (share: number) => {
    const place = share * (late.length - 1);
    const [low, high] = [late[Math.floor(place)] as number, late[Math.ceil(place)] as number];
    return late.length === 0 ? null : Math.ceil(low + (high - low) * (place - Math.floor(place)));
  };
  const recent = arrivals.filter(
    ({ occurredMs }) => occurredMs >= firstHour(nowMs - 30 * dayMs) && occurredMs <= nowMs,
  );
  const oldestMs = Math.min(...arrivals.map(({ atMs }) => atMs));
  return {
    'ops.logs.failure_detected': { outages: gaps.filter((gap) => gap > 4 * hourMs).length },
    'ai.logs.continuity': {
      maxGapHours: Math.max(1, Math.ceil(Math.max(...gaps) / hourMs)),
      gapsOver24h: gaps.filter((gap) => gap > dayMs).length,
    },
    'ai.logs.retention_183': {
      logRowsAny: 1,
      logHistoryDays: Math.floor((nowMs - oldestMs) / dayMs),
      tenantConnectedDays: Math.floor((nowMs - connectedAtMs) / dayMs),
      historyReachesConnection: oldestMs - connectedAtMs <= 2 * dayMs ? 1 : 0,
    },
    'ops.logs.ingestion_lag': { events: late.length, p95LagMinutes: percentile(0.95), p50LagMinutes: percentile(0.5) },
    'dev.unmanaged_access': { events: recent.length, unmanaged: recent.length, unknown: recent.length },
  };
}

/** Silences around 4 hours and a day, several rows within an hour, delays of any length, and clocks ahead of ours. */
const arrivalList = fc.array(
  fc.record({
    afterMs: fc.oneof(
      fc.integer({ min: 1, max: hourMs }),
      fc.integer({ min: 1, max: 5 * dayMs }),
      fc.constantFrom(4 * hourMs, 4 * hourMs + 1, hourMs, dayMs, dayMs + 1),
    ),
    delayMs: fc.oneof(
      fc.integer({ min: -2 * hourMs, max: 2 * hourMs }),
      fc.constantFrom(0, minuteMs, minuteMs + 1_000, 40 * dayMs),
    ),
  }),
  { minLength: 1, maxLength: 12 },
);

test('figures of the log are those of its rows at any instant', async () => {
  await fc.assert(
    fc.asyncProperty(
      arrivalList,
      fc.integer({ min: 0, max: 2 * dayMs }),
      fc.integer({ min: 0, max: 100 * dayMs }),
      async (list, restMs, connectedMs) => {
        const tenantId = newTenantId();
        const arrivals: Arrival[] = [];
        let atMs = Date.UTC(2026, 2, 1, 7, 13, 21, 345);
        for (const { afterMs, delayMs } of list) {
          atMs += afterMs;
          // Providers report whole seconds.
          const occurredMs = Math.floor((atMs - delayMs) / 1_000) * 1_000;
          arrivals.push({ atMs, occurredMs });
          await facts.ingest(tenantId, atMs, [events.fileEvent('FileAccessed', `f${atMs}`, 'anna', occurredMs)]);
        }
        const nowMs = atMs + restMs;
        const connectedAtMs = nowMs - connectedMs;
        const metrics = await facts.read(tenantId, (client) => readMetrics(client, { tenantId, nowMs, connectedAtMs }));
        const continuity = metrics['ai.logs.continuity'] ?? {};
        const rounded = { ...continuity, maxGapHours: Math.max(1, continuity.maxGapHours ?? 0) };
        expect({ ...metrics, 'ai.logs.continuity': rounded }).toMatchObject(
          computeFigures(arrivals, nowMs, connectedAtMs),
        );
      },
    ),
    { numRuns: 25 },
  );
}, 240_000);
