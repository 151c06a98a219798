import { availableParallelism } from 'node:os';
import type { OpenLoopResponse } from './open-loop.ts';
import { type ProcessorShares, processorGroups } from './processor-shares.ts';
import type { Section } from './report.ts';
import { median, quantile } from './statistics.ts';

export const noisyNeighborLoad = {
  phaseMs: 30_000,
  noisyKeys: 3,
  noisyLogs: 200_000,
  /** Records per second of the neighbors together, all the time. */
  neighborRate: 50,
  /** Valid records per second of the noisy tenant, so that its facts change between two documents. */
  noisyRate: 10,
  invalidRate: 300,
} as const;

export interface Phase {
  readonly polls: readonly OpenLoopResponse[];
  /** The api's own times of them, ms: from the headers of the request until the response was written. */
  readonly serverTimes: readonly number[];
  /** Delay of the event loop of the clients that poll. */
  readonly ownDelayP99Ms: number;
  readonly noisy: readonly OpenLoopResponse[];
  /** Produced to visible, ms: on the noisy tenant's lane, and on another one. */
  readonly lags: readonly (readonly number[])[];
  /** Of the running lanes of the topic but the noisy tenant's, the highest at each sample: ms since the lane was settled. */
  readonly laneLags: readonly number[];
  readonly processors: ProcessorShares;
}

export type Phases = Record<'quiet' | 'noisy' | 'control', Phase[]>;

export const pollQuantile = ({ polls }: Phase, share: number): number =>
  quantile(
    polls.map(({ ms }) => ms),
    share,
  );

/** @param neighborLoad factor on the polls and records of the neighbors */
export function compareNeighbors({ quiet, noisy, control }: Phases, neighborLoad: number): Section {
  const { phaseMs, noisyKeys, noisyLogs, neighborRate, noisyRate, invalidRate } = noisyNeighborLoad;
  const row = (name: string, phases: readonly Phase[]) => {
    const times = (share: number) => Math.round(median(phases.map((phase) => pollQuantile(phase, share))));
    const serverP99 = Math.round(median(phases.map(({ serverTimes }) => quantile(serverTimes, 0.99))));
    const lag = (lane: number) => Math.round(Math.max(...phases.flatMap(({ lags }) => lags[lane] ?? [])));
    const ratios = phases.map((phase, round) => pollQuantile(phase, 0.99) / pollQuantile(quiet[round] as Phase, 0.99));
    const polls = phases.flatMap((phase) => phase.polls);
    return [
      name,
      polls.length,
      polls.filter(({ status }) => status !== 200).length,
      times(0.5),
      times(0.9),
      times(0.99),
      serverP99,
      Math.round(median(ratios) * 100) / 100,
      lag(0),
      lag(1),
      Math.round(Math.max(...phases.flatMap(({ laneLags }) => laneLags))),
      Math.round(median(phases.map(({ ownDelayP99Ms }) => ownDelayP99Ms))),
      Math.round((Math.max(...phases.map(({ processors }) => processors.otherWork)) / availableParallelism()) * 100),
    ];
  };
  return {
    title: 'Noisy neighbor',
    description:
      `12 tenants poll GET /logs?limit=1000 ${neighborLoad} times a second each and receive ${neighborRate * neighborLoad} records a second together, one api and one ingest process. ` +
      `In the noisy phase another tenant sends ${noisyKeys} × 600 requests a minute (documents, evidence packs, windows of half a year over ${noisyLogs} rows), ` +
      `receives ${noisyRate} records a second, and a producer sends ${invalidRate} invalid records a second in its name and batches that cannot be decoded on a third lane. ` +
      'In the control phase, instead of them, a process outside of the product takes as much processor time as the noisy phase took more than the quiet one, in bursts of 40 ms. ' +
      `Phases of ${phaseMs / 1_000} s alternate; times are the median of the phases, the ratio is to the quiet phase of the same round. ` +
      'Lag is produced to visible, the maximum: on the lane that the noisy tenant uses too, and on another one. ' +
      "Settled is the highest lag of all running lanes but the noisy tenant's. " +
      'The delay of the clients is the p99 of their event loop, which the times of the pages include. ' +
      'Other work is the highest share of the processors that other processes took in a phase: above 5 %, take no ratio from it.',
    columns: [
      '',
      'pages',
      'not 200',
      'p50 ms',
      'p90 ms',
      'p99 ms',
      'p99 ms in the api',
      'p99 to quiet',
      'lag, same lane ms',
      'lag, other lane ms',
      'settled ms',
      'delay of the clients ms',
      'other work %',
    ],
    rows: [row('quiet', quiet), row('noisy', noisy), row('control', control)],
  };
}

/** Whose work the processors did. */
export function describeProcessors(phases: Phases): Section {
  const round = (share: number) => Math.round(share * 100);
  return {
    title: 'Noisy neighbor: processors',
    description:
      'Percent of one processor, the median of the phases. Waiting is the share of the time in which at least one thread that could run waited for a processor.',
    columns: ['', ...processorGroups, 'other work', 'waiting %'],
    rows: Object.entries(phases).map(([name, all]) => {
      const middle = (read: (shares: ProcessorShares) => number) =>
        round(median(all.map((one) => read(one.processors))));
      const isMeasured = all.every(({ processors }) => processors.waiting !== null);
      return [
        name,
        ...processorGroups.map((group) => middle(({ taken }) => taken[group] ?? 0)),
        middle(({ otherWork }) => otherWork),
        isMeasured ? middle(({ waiting }) => waiting ?? 0) : null,
      ];
    }),
  };
}

export function describeNoisyTenant(phases: readonly Phase[]): Section {
  const responses = phases.flatMap(({ noisy }) => noisy);
  const byPath = Map.groupBy(responses, ({ path }) => path.split('?')[0] ?? path);
  return {
    title: 'Noisy neighbor: the responses to the noisy tenant',
    description: 'Responses by status, and the time of those with 200.',
    columns: ['', '200', '429', '503', '504', 'p50 ms', 'p99 ms'],
    rows: [...byPath].map(([path, all]) => {
      const count = (status: number) => all.filter((one) => one.status === status).length;
      const times = all.filter(({ status }) => status === 200).map(({ ms }) => ms);
      const time = (share: number) => (times.length === 0 ? null : Math.round(quantile(times, share)));
      return [path, count(200), count(429), count(503), count(504), time(0.5), time(0.99)];
    }),
  };
}
