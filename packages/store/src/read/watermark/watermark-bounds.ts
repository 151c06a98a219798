import { type FeedName, listFeedTopics } from '@tenantscope/contract';
import { isSuperseded, type NodeEpoch, type NodeReading } from './node-reading.ts';

/** Which nodes bound the watermark: the first one, from which rows are read, and the others while they may be promoted. */
export interface StandbyOptions {
  /** Names of the standbys in synchronous_standby_names, in the order of the nodes: only those that commits wait for bound the watermark. By default all do. */
  readonly standbyNames?: readonly string[];
  /** Where rows are read from a standby: what the primary says. */
  readonly awaited?: () => ReadonlySet<string> | null;
}

type Readings = readonly (NodeReading | null)[];

export interface WatermarkBounds {
  /** Null while no server has responded. */
  readonly epoch: NodeEpoch | null;
  /** Rows are read from a server that another one has replaced: nothing is served. */
  readonly isSuperseded: boolean;
  /** The standbys that may be promoted, in the order of the nodes. */
  readonly standbys: readonly {
    /** Whether it bounds the watermark now. */
    readonly isBounding: boolean;
    /** Epoch ms through which it has the rows of a feed; null while it never responded. */
    settledThroughMs(feed: FeedName): number | null;
    /** Ms since it responded; null while it never did. */
    readonly silentMs: number | null;
  }[];
  /** Lower-case names of standbys that commits wait for, and that are not among them. */
  readonly unlisted: readonly string[];
}

/** Patroni promotes a standby no sooner than 2 s after commits have begun to wait for it. */
const awaitedMaxAgeMs = 1_000;

/** The standbys that commits of a primary wait for, lower-case; null where they are not known or were read more than a second ago. */
export const readAwaited = (own: NodeReading | null): ReadonlySet<string> | null =>
  own !== null && performance.now() - own.readAtMs <= awaitedMaxAgeMs ? own.awaited : null;

const lowerCase = ({ standbyNames = [] }: StandbyOptions) => standbyNames.map((name) => name.toLowerCase());

function isBounding(readings: Readings, options: StandbyOptions, index: number): boolean {
  const names = lowerCase(options);
  if (index === 0 || names.length === 0) return true;
  // With rows and names of one reading, its age does not matter.
  const awaited = options.awaited ? options.awaited() : (readings[0]?.awaited ?? null);
  return awaited === null || awaited.has('*') || awaited.has(names[index - 1] ?? '');
}

/** Epoch ms through which every node that bounds the watermark has the rows of a feed; NaN while one of them never responded. */
export function readThrough(readings: Readings, options: StandbyOptions, feed: FeedName): number {
  return Math.min(
    ...readings.flatMap((reading, index) => (isBounding(readings, options, index) ? [throughOf(reading, feed)] : [])),
  );
}

const throughOf = (reading: NodeReading | null, feed: FeedName): number =>
  Math.min(...listFeedTopics(feed).map((source) => reading?.throughMs.get(source) ?? Number.NaN));

export function describeBounds(readings: Readings, options: StandbyOptions): WatermarkBounds {
  const [own = null, ...standbys] = readings;
  const names = lowerCase(options);
  return {
    epoch: own?.epoch ?? null,
    isSuperseded: own !== null && isSuperseded(own, standbys),
    standbys: standbys.map((reading, index) => ({
      isBounding: isBounding(readings, options, index + 1),
      settledThroughMs(feed) {
        const throughMs = throughOf(reading, feed);
        return Number.isNaN(throughMs) ? null : throughMs;
      },
      silentMs: reading === null ? null : performance.now() - reading.readAtMs,
    })),
    unlisted:
      names.length === 0 ? [] : [...(own?.awaited ?? [])].filter((name) => name !== '*' && !names.includes(name)),
  };
}
