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
import { admit } from './admission.ts';
import type { BreakerStart } from './breaker.ts';
import { type LaneRunner, type LaneWork, runLane } from './lane-runner.ts';
import { tellOfLanes } from './lane-telling.ts';
import type { Observations } from './observations.ts';
import { persist } from './persist.ts';
import { type ArrivedBatch, openReader, type Reader, type ReaderOptions } from './reader.ts';
import { readTopicIdentities, type TopicIdentity } from './topic-identity.ts';

/** A topic that is read, where its lanes stand, and what is done with its records. */
export interface ConsumedTopic {
  name: string;
  source: string;
  ledger: Ledger;
  work(start: BreakerStart): LaneWork<unknown>;
}

export interface ConsumeParts {
  kafka: Omit<ReaderOptions, 'topics' | 'log'>;
  topics: readonly ConsumedTopic[];
  observed: Observations;
  log: Log;
  /** What cannot be mended in the process ends it. */
  crashed(error: unknown): void;
}

const keepAliveIntervalMs = 1_000;
const standingIntervalMs = 5_000;
const probeIntervalMs = 60_000;
const identityIntervalMs = 30_000;
const stallMs = 60_000;
const commitHintIntervalMs = 1_000;
const clientLineIntervalMs = 10_000;

/** A lane as this process holds it. */
interface Held {
  topic: ConsumedTopic;
  runner: LaneRunner;
  /** Why the lane stands still; null while it runs. */
  standsStill: string | null;
  /** The operator said to go on over whatever lies in the way; true until the lane has moved. */
  accepted: boolean;
  probeAtMs: number;
  hintedAtMs: number;
  /** Since when this process reads it. */
  sinceMs: number;
}

/** One membership in the consumer group, from joining to whatever ends it. */
export interface Session extends AsyncDisposable {
  readonly ended: Promise<Error>;
  trouble(): string | null;
}

export async function openSession(parts: ConsumeParts): Promise<Session> {
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
      accepted: lane.state === 'running' && lane.reason === acceptedByOperator,
      probeAtMs: 0,
      hintedAtMs: 0,
      sinceMs: held.get(key)?.sinceMs ?? Date.now(),
      runner: undefined as unknown as LaneRunner,
    };
    let onProbation = probing;
    one.runner = runLane(lane, topic.work(probing ? 'probing' : one.accepted ? 'accepted' : 'armed'), {
      written: (offset) => {
        hintCommit(reader, one, offset);
        if (onProbation || one.accepted) void mark(one, 'running', null);
        onProbation = false;
        one.accepted = false;
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
      const identity = await identify(name);
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
      const identity = await identify(name);
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

  const identify = async (name: string): Promise<TopicIdentity> => {
    const identity = (await readTopicIdentities(parts.kafka.brokers, [name])).get(name);
    if (!identity) throw new Error(`the broker does not know ${name}`);
    return identity;
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
    const { topic: name, partition, clusterId, topicId } = runner.lane;
    const earliest = await (await opened.promise).earliestOffset(name, partition);
    const identity = await identify(name);
    const admission = admit({
      fetched: batch.fetchedOffset,
      expected,
      earliest,
      highWatermark: batch.highWatermark,
      sameLog: identity.topicId === topicId && identity.clusterId === clusterId,
      accepted: one.accepted,
    });
    if (admission.kind === 'pass') return true;
    if (admission.kind === 'stop') await standStill(one, 'stopped', admission.reason);
    if (admission.kind === 'rejoin') await rejoin(one);
    if (admission.kind !== 'skip') return false;
    if (admission.because === 'accepted') {
      one.accepted = false;
      await mark(one, 'running', null);
    }
    log[admission.because === 'hole' ? 'debug' : 'warn'](
      { topic: name, partition, from: String(expected), to: String(batch.fetchedOffset) },
      `the lane goes on behind a ${admission.because === 'hole' ? 'hole' : 'gap'}: ${admission.because}`,
    );
    runner.skipTo(batch.fetchedOffset);
    return true;
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

  /** A topic made anew under a running client may have grown past the old lane before anybody looked. */
  const watchIdentity = setInterval(() => {
    void (async () => {
      for (const name of new Set([...held.values()].map(({ runner }) => runner.lane.topic))) {
        const { topicId, clusterId } = await identify(name);
        for (const one of held.values()) {
          const { lane } = one.runner;
          if (lane.topic === name && (lane.topicId !== topicId || lane.clusterId !== clusterId)) await rejoin(one);
        }
      }
    })().catch((error: unknown) => log.debug({ err: error }, 'topic identities cannot be read'));
  }, identityIntervalMs);

  const telling = tellOfLanes({
    lanes: () => [...held.values()].map(({ topic, runner, sinceMs }) => ({ ...topic, ...runner.lane, sinceMs })),
    endOffsets: async (topic) => (await opened.promise).endOffsets(topic),
    log,
  });

  const watchProgress = setInterval(() => {
    if (observed.stillMs() > stallMs) ended.resolve(new Error(`nothing moved for ${stallMs / 1_000} s`));
  }, keepAliveIntervalMs);

  const dispose = async () => {
    closed = true;
    clearInterval(watchStanding);
    clearInterval(watchIdentity);
    clearInterval(watchProgress);
    telling[Symbol.dispose]();
    await Promise.all([...held.values()].map(({ runner }) => runner.void()));
    await (await opened.promise.catch(() => null))?.[Symbol.asyncDispose]();
  };

  try {
    const reader = await openReader(
      {
        ...parts.kafka,
        topics: [...topics.keys()],
        log: quietly(log),
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
