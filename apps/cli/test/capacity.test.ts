import { expect, test } from 'vitest';
import { type CapacityOptions, showCapacity } from '../src/commands/installation/capacity/capacity.ts';
import { estimateCapacity, type Workload } from '../src/commands/installation/capacity/estimate.ts';

const workload: Workload = {
  eventsPerDay: 1_000_000,
  tenants: 10,
  retentionDays: 400,
  kafkaDays: 7,
  kafkaReplicas: 3,
  peakFactor: 4,
};
const options: CapacityOptions = {
  eventsPerDay: '7500000',
  tenants: '25',
  retentionDays: '400',
  kafkaDays: '7',
  kafkaReplicas: '3',
  peakFactor: '4',
};

test('what events take grows with them, and what tenants and lanes take does not', () => {
  const { snapshots, ...ofEvents } = estimateCapacity(workload).postgresBytes;
  const doubled = estimateCapacity({ ...workload, eventsPerDay: 2 * workload.eventsPerDay });
  expect(doubled.postgresBytes).toEqual({
    ...Object.fromEntries(Object.entries(ofEvents).map(([name, bytes]) => [name, 2 * bytes])),
    snapshots,
  });
  const { walBytesPerDay, kafkaBytes } = estimateCapacity(workload);
  expect(doubled.walBytesPerDay).toEqual({ events: 2 * walBytesPerDay.events, lanes: walBytesPerDay.lanes });
  expect(doubled.kafkaBytes).toBe(2 * kafkaBytes);
});

test('counts are stored for their own time, rows for the retention', () => {
  const { counts, rawRecords, facts, reads, log } = estimateCapacity(workload).postgresBytes;
  const half = estimateCapacity({ ...workload, retentionDays: workload.retentionDays / 2 }).postgresBytes;
  expect(half).toMatchObject({ counts, rawRecords: rawRecords / 2, facts: facts / 2, reads: reads / 2 });
  expect(half.log).toBeGreaterThan(log / 2);
});

test('rows take a third when they are sealed, a day after the end of their partition', () => {
  const days = (retentionDays: number) => estimateCapacity({ ...workload, retentionDays }).postgresBytes.log;
  const day = days(1);
  expect(days(8)).toBeCloseTo(8 * day);
  expect((days(208) - days(8)) / 200 / day).toBeCloseTo(0.35, 1);
});

test.each([
  [1_000, 31, 14],
  [1_000_000, 7, 59],
  [75_000_000, 1, 401],
])('%i events a day are stored in partitions of %i days', (eventsPerDay, widthDays, count) => {
  expect(estimateCapacity({ ...workload, eventsPerDay }).partitions).toEqual({
    widthDays,
    count,
    rowsEach: eventsPerDay * widthDays,
  });
});

test('the text and the document have the same estimate', () => {
  const { text, document } = showCapacity(options);
  expect(text).toContain('PostgreSQL disk  3.6 TB: log 1.7 TB');
  expect(text).toContain('Partitions       401 of 1 day with 7,500,000 rows each');
  const { postgresBytes } = document as ReturnType<typeof estimateCapacity>;
  expect(Object.values(postgresBytes).reduce((sum, bytes) => sum + bytes)).toBeCloseTo(3.57e12, -11);
});

test.each([
  [{ eventsPerDay: '0' }, '--events-per-day must be a whole number from 1 to 999999999'],
  [{ tenants: 'many' }, '--tenants must be a whole number from 1 to 1000000'],
  [{ retentionDays: '30' }, '--retention-days must be a whole number from 183 to 3650'],
])('%o is refused by name', (wrong, message) => {
  expect(() => showCapacity({ ...options, ...wrong })).toThrow(message);
});
