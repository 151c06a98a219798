import type { Random } from '../../torture/random.ts';
import { at, dayMs, hourMs, type InputRecord } from '../input-records.ts';

/** The time of every evaluation. */
export const nowMs = Date.UTC(2026, 5, 15, 12);
/** When the tenant was connected. */
export const connectedAgeMs = 200 * dayMs;
/** A time as records have it; absent for null. */
export const ago = (ageMs: number | null | undefined): string | undefined =>
  ageMs == null ? undefined : at(nowMs - ageMs);

export type Counts = Readonly<Record<string, number | null>>;

/** Records that arrive at this age. */
export interface Sent {
  readonly ageMs: number;
  readonly record: InputRecord;
}

/** Records of a tenant, and what a reader of the catalogue counts in their documents, by the key of the rule. */
export interface Part {
  readonly sent: readonly Sent[];
  /** Ages of the tenant's snapshots, the oldest first. */
  readonly snapshotAgesMs?: readonly number[];
  readonly counts: Readonly<Record<string, Counts>>;
}

export const send = (ageMs: number, ...records: readonly InputRecord[]): Sent[] =>
  records.map((record) => ({ ageMs, record }));

/** Random members of records. */
export interface Chooser extends Random {
  happens(percent: number): boolean;
  /** The value, or undefined in this share of cases. */
  optional<Value>(value: Value, missingPercent?: number): Value | undefined;
  /** True, false or not reported. */
  maybe(): boolean | undefined;
  /** An age at one of these bounds in days, or a second or an hour from it: providers of the log report whole seconds. */
  near(...days: readonly number[]): number;
  /** The same name as another provider writes it. */
  inAnyCase(name: string): string;
  /** Scenario this often. */
  several<Value>(counts: readonly number[], make: (index: number) => Value): Value[];
}

export function createChooser(random: Random): Chooser {
  const happens = (percent: number) => random.between(0, 99) < percent;
  return {
    ...random,
    happens,
    optional: (value, missingPercent = 20) => (happens(missingPercent) ? undefined : value),
    maybe: () => random.pick([true, false, undefined]),
    near: (...days) => random.pick(days) * dayMs + random.pick([0, 1_000, -1_000, hourMs, -hourMs]),
    inAnyCase: (name) => random.pick([name, name.toLowerCase(), name.toUpperCase()]),
    several: (counts, make) => Array.from({ length: random.pick(counts) }, (_, index) => make(index)),
  };
}

/** A GUID of this kind, a hexadecimal digit, with this number. */
export const guid = (kind: string, index: number): string =>
  `${kind}${String(index).padStart(7, '0')}-0000-4000-8000-00000000000b`;

/** How many subjects meet a condition; one of which that is not known does not. */
export const count = <Subject>(subjects: readonly Subject[], meets: (subject: Subject) => unknown): number =>
  subjects.filter((subject) => meets(subject)).length;

/** The one with the least age, the latest. */
export const newest = <Of extends { readonly ageMs: number }>(some: readonly Of[]): Of | undefined =>
  some.toSorted((one, other) => one.ageMs - other.ageMs)[0];

/** A review counts where nothing else was decided. Those ahead of the clock do not count yet. */
export function decisionInForce<Of extends { readonly ageMs: number; readonly outcome: string }>(
  decisions: readonly Of[],
): Of | undefined {
  const begun = decisions.filter(({ ageMs }) => ageMs >= 0);
  return newest(begun.filter(({ outcome }) => outcome !== 'reviewed')) ?? newest(begun);
}

/** True if both are, false if one is not; null where that is unknown. */
export function both(one: boolean | null | undefined, other: boolean | null | undefined): boolean | null {
  if (one === false || other === false) return false;
  return one == null || other == null ? null : true;
}
