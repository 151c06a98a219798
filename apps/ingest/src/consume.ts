import type { Log } from '@tenantscope/runtime';
import {
  acceptedByOperator,
  type LaneStanding,
  type Ledger,
  markLane,
  openEpoch,
  openLanes,
  readLanes,
} from '@tenantscope/store';
import { type LaneRunner, type LaneWork, runLane } from './lane-runner.ts';
import type { Observations } from './observations.ts';
import { persist } from './persist.ts';
import { type ArrivedBatch, openReader, type Reader, type ReaderOptions } from './reader.ts';
import { readTopicIdentities } from './topic-identity.ts';

/** A topic that is read, where its lanes stand, and what is done with its records. */
export interface ConsumedTopic {
  name: string;
  source: string;
  ledger: Ledger;
  /** A lane that probes after its breaker tripped has to bring something at once. */
  work(probing: boolean): LaneWork<unknown>;
}

export interface ConsumeParts {
  kafka: Omit<ReaderOptions, 'topics' | 'log'>;
  topics: readonly ConsumedTopic[];
  observed: Observations;
  log: Log;
  /** What cannot be mended in the process ends it. */
  crashed(error: unknown): void;
}

export interface Consumption extends AsyncDisposable {
  /** Null: every lane runs. Else why not. */
  trouble(): string | null;
}

const keepAliveIntervalMs = 1_000;
const standingIntervalMs = 5_000;
const probeIntervalMs = 60_000;
const stallMs = 60_000;
const commitHintIntervalMs = 1_000;
const clientLineIntervalMs = 10_000;

/** A lane as this process holds it. */
interface Held {
  topic: ConsumedTopic;
  runner: LaneRunner;
  /** Why the lane stands still; null while it runs. */
  standsStill: string | null;
  probeAtMs: number;
  hintedAtMs: number;
}

/**
 * Reads topics for as long as the process lives: joins the group, reads where the lanes stand, and lets no batch pass that does not begin
 * there. A broker that is away, or a client that gives up or stops moving, means a new client in the same process.
 */
export function consume(parts: ConsumeParts): Consumption {
  const { log, observed } = parts;
  let stopped = false;
  let session: Session | null = null;
  const stopping = Promise.withResolvers<void>();

  const run = async () => {
    for (let attempt = 0; !stopped; attempt++) {
      observed.moved();
      try {
        session = await openSession(parts);
        attempt = 0;
        const reason = await Promise.race([session.ended, stopping.promise]);
        if (reason) log.warn({ err: reason }, 'the Kafka client ended; a new one takes its place');
      } catch (error) {
        if (attempt % 12 === 0) log.warn({ err: error }, 'Kafka cannot be read; trying again until it can');
      }
      await session?.[Symbol.asyncDispose]();
      session = null;
      if (!stopped) await Promise.race([sleep(Math.min(5_000, 250 * 2 ** attempt)), stopping.promise]);
    }
  };
  const running = run().catch(parts.crashed);

  return {
    trouble: () => (session ? session.trouble() : 'Kafka is not being read'),
    async [Symbol.asyncDispose]() {
      stopped = true;
      stopping.resolve();
      await running;
    },
  };
}

interface Session extends AsyncDisposable {
  readonly ended: Promise<Error>;
  trouble(): string | null;
}

async function openSession(parts: ConsumeParts): Promise<Session> {
  const { log, observed } = parts;
  const topics = new Map(parts.topics.map((topic) => [topic.name, topic]));
  const ended = Promise.withResolvers<Error>();
  let held = new Map<string, Held>();
  let generation = 0;
  let ready: Promise<void> = Promise.resolve();
  let closed = false;

  // The reader's handlers may run before openReader has given it back.
  const opened = Promise.withResolvers<Reader>();
  opened.promise.catch(() => {});

  const hold = (topic: ConsumedTopic, lane: LaneStanding, reader: Reader, probing = false): void => {
    const key = `${lane.topic}/${lane.partition}`;
    const one: Held = {
      topic,
      standsStill: null,
      probeAtMs: 0,
      hintedAtMs: 0,
      runner: undefined as unknown as LaneRunner,
    };
    let onProbation = probing;
    one.runner = runLane(lane, topic.work(probing), {
      written: (offset) => {
        hintCommit(reader, one, offset);
        if (onProbation) void mark(one, 'running', null);
        onProbation = false;
      },
      fenced: () => void rejoin(one),
      tripped: (reason) => void standStill(one, 'tripped', reason),
      failed: parts.crashed,
    });
    held.set(key, one);
    reader.seek(lane.topic, lane.partition, lane.nextOffset);
    reader.resume(lane.topic, lane.partition);
    if (lane.state !== 'running' && !probing) {
      one.standsStill = lane.reason ?? lane.state;
      one.probeAtMs = Date.now() + (lane.state === 'tripped' ? probeIntervalMs : Number.POSITIVE_INFINITY);
      reader.pause(lane.topic, lane.partition);
    }
    observed.laneState(lane.topic, lane.partition, one.standsStill === null);
  };

  /** Everything of the assignment before is dropped; lanes are read; only then may a batch pass. */
  const join = async (mine: number, partitions: ReadonlyMap<string, readonly number[]>) => {
    const reader = await opened.promise;
    const wanted = () => mine === generation && !closed;
    const before = [...held.values()];
    held = new Map();
    await Promise.all(before.map(({ runner }) => runner.void()));
    for (const [name, assigned] of partitions) {
      const topic = topics.get(name);
      if (!topic || assigned.length === 0) continue;
      const identity = (await readTopicIdentities(parts.kafka.brokers, [name])).get(name);
      if (!identity) throw new Error(`the broker does not know ${name}`);
      const lanes = await persist(
        async () => {
          await openEpoch(topic.ledger);
          return openLanes(topic.ledger, { ...identity, topic: name, source: topic.source, partitions: assigned });
        },
        { wanted, paused: observed.waiting },
      );
      if (!lanes || !wanted()) return;
      for (const lane of lanes) hold(topic, lane, reader);
    }
    log.info({ partitions: Object.fromEntries(partitions) }, 'joined the group');
  };

  /** Another worker moved the lane, or the broker's log is not the one we read: look again where the lane stands. */
  const rejoin = async (one: Held, probing = false) => {
    const { topic: name, partition } = one.runner.lane;
    try {
      const reader = await opened.promise;
      await one.runner.void();
      const identity = (await readTopicIdentities(parts.kafka.brokers, [name])).get(name);
      if (!identity) throw new Error(`the broker does not know ${name}`);
      const wanted = () => !closed && held.get(`${name}/${partition}`) === one;
      const lanes = await persist(
        () =>
          openLanes(one.topic.ledger, { ...identity, topic: name, source: one.topic.source, partitions: [partition] }),
        { wanted, paused: observed.waiting },
      );
      const lane = lanes?.[0];
      if (!lane || !wanted()) return;
      if (lane.topicId !== one.runner.lane.topicId)
        log.warn({ topic: name, partition }, 'the topic was made anew: a new lane begins');
      hold(one.topic, lane, reader, probing);
    } catch (error) {
      ended.resolve(error instanceof Error ? error : new Error(String(error)));
    }
  };

  const mark = (one: Held, state: LaneStanding['state'], reason: string | null) =>
    persist(() => markLane(one.topic.ledger, one.runner.lane, state, reason), {
      wanted: () => !closed,
      paused: observed.waiting,
    });

  const standStill = async (one: Held, state: 'stopped' | 'tripped', reason: string) => {
    const { lane } = one.runner;
    one.standsStill = reason;
    one.probeAtMs = Date.now() + (state === 'tripped' ? probeIntervalMs : Number.POSITIVE_INFINITY);
    log.error(
      { topic: lane.topic, partition: lane.partition, state, reason },
      'a lane stands still until it can go on or somebody resumes it',
    );
    observed.laneState(lane.topic, lane.partition, false);
    (await opened.promise).pause(lane.topic, lane.partition);
    await persist(() => markLane(one.topic.ledger, lane, state, reason), {
      wanted: () => !closed,
      paused: observed.waiting,
    });
  };

  /** Whether a batch begins where its lane stands. What does not is refused: silence is how polling systems lose events. */
  const admits = async (one: Held, batch: ArrivedBatch): Promise<boolean> => {
    const { runner } = one;
    const expected = runner.expectedOffset();
    if (batch.fetchedOffset === expected) return true;
    if (runner.lane.reason === acceptedByOperator) {
      runner.skipTo(batch.fetchedOffset);
      await persist(() => markLane(one.topic.ledger, runner.lane, 'running', null), {
        wanted: () => !closed,
        paused: observed.waiting,
      });
      return true;
    }
    const reader = await opened.promise;
    const earliest = await reader.earliestOffset(batch.topic, batch.partition);
    if (batch.fetchedOffset > expected && earliest <= expected) {
      runner.skipTo(batch.fetchedOffset); // aborted or compacted away: nothing lies between
      return true;
    }
    const identity = (await readTopicIdentities(parts.kafka.brokers, [batch.topic])).get(batch.topic);
    if (identity && (identity.topicId !== runner.lane.topicId || identity.clusterId !== runner.lane.clusterId)) {
      await rejoin(one);
      return false;
    }
    if (batch.fetchedOffset > expected && expected === 0n) {
      log.warn(
        { topic: batch.topic, partition: batch.partition, from: String(earliest) },
        'a new lane begins where the log begins; older records had gone before',
      );
      runner.skipTo(batch.fetchedOffset);
      return true;
    }
    if (batch.fetchedOffset > expected) {
      await standStill(
        one,
        'stopped',
        `a gap: the lane stands at ${expected}, the broker's log begins at ${earliest}; the records between are gone`,
      );
      return false;
    }
    if (batch.highWatermark < expected) {
      await standStill(
        one,
        'stopped',
        `the broker's log ends at ${batch.highWatermark}, below ${expected} where the lane stands: records were taken back`,
      );
      return false;
    }
    await rejoin(one);
    return false;
  };

  const handle = async (batch: ArrivedBatch) => {
    await whileAlive(ready, batch);
    if (closed || !batch.isCurrent()) return;
    const one = held.get(`${batch.topic}/${batch.partition}`);
    if (!one) return;
    if (one.standsStill !== null) {
      (await opened.promise).pause(batch.topic, batch.partition);
      return;
    }
    observed.behind(batch.topic, batch.partition, Number(batch.highWatermark - batch.lastOffset) - 1);
    if (!(await admits(one, batch))) return;
    if (await one.runner.offer(batch)) batch.take();
  };

  /** Lanes that stand still are looked at: somebody may have resumed them, and a tripped one probes each minute whether it can go on. */
  const watchStanding = setInterval(() => {
    const still = [...held.values()].filter((one) => one.standsStill !== null);
    for (const one of still) {
      void (async () => {
        const [lane] = await readLanes(one.topic.ledger, [one.runner.lane]);
        const resumed = lane?.state === 'running';
        if (!resumed && Date.now() < one.probeAtMs) return;
        log.info(
          { topic: lane?.topic, partition: lane?.partition },
          resumed ? 'a lane was resumed' : 'a tripped lane probes',
        );
        await rejoin(one, !resumed);
      })().catch((error: unknown) => observed.waiting(error, standingIntervalMs));
    }
  }, standingIntervalMs);

  const watchProgress = setInterval(() => {
    if (observed.stillMs() > stallMs) ended.resolve(new Error(`nothing moved for ${stallMs / 1_000} s`));
  }, keepAliveIntervalMs);

  const dispose = async () => {
    closed = true;
    clearInterval(watchStanding);
    clearInterval(watchProgress);
    await Promise.all([...held.values()].map(({ runner }) => runner.void()));
    await (await opened.promise.catch(() => null))?.[Symbol.asyncDispose]();
  };

  try {
    const reader = await openReader(
      {
        ...parts.kafka,
        topics: [...topics.keys()],
        log: (level, message) => log[level === 'error' ? 'warn' : 'debug']({ client: message }, 'Kafka client'),
      },
      {
        assigned(partitions) {
          const mine = ++generation;
          ready = join(mine, partitions).catch((error: unknown) => {
            if (mine === generation) ended.resolve(error instanceof Error ? error : new Error(String(error)));
          });
        },
        batch: handle,
        progress: observed.moved,
      },
    );
    opened.resolve(reader);
    void reader.ended.then(ended.resolve);
  } catch (error) {
    opened.reject(error);
    await dispose();
    throw error;
  }
  return {
    ended: ended.promise,
    trouble: () => [...held.values()].find((one) => one.standsStill !== null)?.standsStill ?? null,
    [Symbol.asyncDispose]: dispose,
  };
}

/** Kafka's own offsets are only a hint for dashboards: at most one a second and lane, and a lost one is no loss. */
function hintCommit(reader: Reader, one: Held, offset: bigint): void {
  const now = performance.now();
  if (now - one.hintedAtMs < commitHintIntervalMs) return;
  one.hintedAtMs = now;
  reader.commit(one.runner.lane.topic, one.runner.lane.partition, offset).catch(() => {});
}

/** A client without its broker says so many times a second. */
function quietly(log: Log): ReaderOptions['log'] {
  let saidAt = Number.NEGATIVE_INFINITY;
  return (level, message) => {
    const loud = level === 'error' && performance.now() - saidAt > clientLineIntervalMs;
    if (loud) saidAt = performance.now();
    log[loud ? 'warn' : 'debug']({ client: message }, 'the Kafka client says');
  };
}

/** Waits without falling out of the group. */
async function whileAlive(work: Promise<void>, batch: ArrivedBatch): Promise<void> {
  let done = false;
  const finished = work.finally(() => {
    done = true;
  });
  while (!done) {
    await Promise.race([finished, sleep(keepAliveIntervalMs)]);
    if (!done) await batch.keepAlive();
  }
}

function sleep(durationMs: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, durationMs));
}
