import { readActionsByCondition, readFindingFigures, readSettlementFigures } from '@tenantscope/store/compliance';
import { afterAll, beforeAll, expect, test } from 'vitest';
import * as events from '../compliance/events.ts';
import { type FactDatabase, newTenantId, openFactDatabase } from '../compliance/fact-database.ts';
import * as input from '../compliance/input-records.ts';
import { toMs } from './tenants.ts';

const { at, dayMs, hourMs } = input;

let facts: FactDatabase;
beforeAll(async () => {
  facts = await openFactDatabase();
});
afterAll(() => facts?.[Symbol.asyncDispose]());

/** Reads a period that ended at `toMs` from records that arrived nine days later. */
async function readPast<Result>(
  records: readonly input.InputRecord[],
  read: (reading: Parameters<typeof readFindingFigures>[0]) => Promise<Result>,
): Promise<Result> {
  const tenantId = newTenantId();
  const storedThroughMs = toMs + 9 * dayMs;
  await facts.ingest(tenantId, storedThroughMs, records);
  return facts.read(tenantId, (client) => read({ client, tenantId, fromMs: toMs - 90 * dayMs, toMs, storedThroughMs }));
}

test('medians of a past period count what was handled by its end', async () => {
  const figures = await readPast(
    [events.alert('in-time', toMs - 10 * dayMs, 48, []), events.alert('later', toMs - 3 * dayMs, 8 * 24, [])],
    readFindingFigures,
  );
  expect(figures).toMatchObject([{ findings: 2, seen: 1, seenHours: 48, resolved: 1, resolvedHours: 48 }]);
});

test('an action that was overdue at the end of a past period is listed, whenever it was settled', async () => {
  const action = (id: string, settledMs: number | null, rollupRung: string) =>
    events.action(id, 'revokeSessions', { type: 'user', id: 'ada' }, toMs - 20 * dayMs, {
      rollupRung,
      itemsSettled: settledMs === null ? 0 : 1,
      dueAt: at(toMs - 5 * dayMs),
      settledAt: settledMs === null ? null : at(settledMs),
    });
  const { rows, total } = await readPast(
    [
      action('late', toMs + 2 * dayMs, 'confirmed'),
      action('open', null, 'staged'),
      action('settled', toMs - hourMs, 'confirmed'),
    ],
    (reading) => readActionsByCondition(reading, 'overdue', 10),
  );
  expect([rows.map(({ id }) => id), total]).toEqual([['late', 'open'], 2]);
});

test('an action that was settled at its due time is on time, and one that was settled later is not', async () => {
  const action = (id: string, settledMs: number) =>
    events.action(id, 'revokeSessions', { type: 'user', id: 'ada' }, toMs - 20 * dayMs, {
      rollupRung: 'confirmed',
      itemsSettled: 1,
      dueAt: at(toMs - 5 * dayMs),
      settledAt: at(settledMs),
    });
  const figures = await readPast(
    [action('in-time', toMs - 5 * dayMs), action('late', toMs - 5 * dayMs + 1), action('after', toMs + 1)],
    readSettlementFigures,
  );
  expect(figures).toMatchObject({ settled: 2, due: 3, onTime: 1 });
});
