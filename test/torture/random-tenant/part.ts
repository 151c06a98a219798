import { at, type InputRecord } from '../../compliance/input-records.ts';
import type { Random } from '../random.ts';

/** The time of every evaluation. */
export const nowMs = Date.UTC(2026, 5, 15, 12);
export const dayMs = 86_400_000;
export const hourMs = 3_600_000;

export const times = (count: number): number[] => Array.from({ length: count }, (_, index) => index);
export const daysAgo = (days: number): string => at(nowMs - days * dayMs);

type Counts = Readonly<Record<string, number | null>>;

/** Records of a tenant by their source, and what a reader of the catalogue counts in them. */
export interface Part {
  readonly written: Readonly<Record<string, readonly InputRecord[]>>;
  /** By the key of the requirement. */
  readonly counts: Readonly<Record<string, Counts>>;
  /** The newest event among the records: they arrive no more than 48 hours before it. */
  readonly newestEventMs?: number;
}

export type Maybe = boolean | null;

/** Chooses members of records, each of them missing with a probability that a tenant has. */
export interface Chooser extends Random {
  readonly size: number;
  /** The likely value in 99 of 100 cases; null in this share of cases. */
  maybe(likely: boolean, missingPercent?: number): Maybe;
  /** One of the values; null in the tenant's share of cases. */
  optional<Value>(values: readonly Value[]): Value | null;
}

export function createChooser(random: Random): Chooser {
  const share = random.pick([0, 0, 5, 50, 97]);
  const isMissing = (percent: number) => random.between(0, 99) < percent;
  return {
    ...random,
    size: random.pick([0, 1, 3, 20, 60]),
    maybe: (likely, missing = share) => (isMissing(missing) ? null : random.between(0, 99) < 99 ? likely : !likely),
    optional: (values) => (isMissing(share) ? null : random.pick(values)),
  };
}

/** How many subjects meet a condition. */
export const count = <Subject>(subjects: readonly Subject[], meets: (subject: Subject) => boolean): number =>
  subjects.filter(meets).length;
