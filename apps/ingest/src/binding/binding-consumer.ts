import { setTimeout as pause } from 'node:timers/promises';
import { describeKafkaError } from '@tenantscope/runtime';
import {
  type BindingCheck,
  type Ledger,
  readSourceBindings,
  recordBindingChecks,
  type SourceBinding,
  unbindLanes,
} from '@tenantscope/store/ingest';
import type { AssignedLane } from '../lane/assigned-lane.ts';
import type { ConsumedTopic, ConsumerOptions } from '../lane/consumed-topic.ts';
import { type IngestConsumer, startConsumer } from '../lane/consumer.ts';
import { isTransientError } from '../retry.ts';
import { createTopicPresenceReader, type TopicProblems } from './topic-presence.ts';
import { findUnboundTopics, isReadHere } from './unbound-topics.ts';

export interface BindingConsumerOptions extends Omit<ConsumerOptions, 'topics'> {
  /** The Kafka cluster that this consumer reads, by its configured name. */
  readonly cluster: string;
  /** Of this process. */
  readonly cell: string;
  readonly models: Ledger;
  /** Names of the product's own topics, which no binding may redefine. */
  readonly ownTopics: ReadonlySet<string>;
  /** Null where this version does not have the format. */
  bind(binding: SourceBinding): ConsumedTopic | null;
}

/** Reads the bound topics of a cluster with a group of its own: whatever happens to them, the product's own topics and those of other clusters are read. */
export interface BindingConsumer extends AsyncDisposable {
  lanes(): readonly AssignedLane[];
}

const intervalMs = 5_000;

interface CheckedBinding extends BindingCheck {
  /** Null while it is not read. */
  readonly topic: ConsumedTopic | null;
}

interface RunningConsumer {
  readonly bindingIds: ReadonlySet<string>;
  readonly consumer: IngestConsumer;
}

/**
 * Reads the bindings every five seconds. Joins the group again with the topics that can be read when that list has changed; all processes do, so that within
 * five seconds each topic is read by one that knows its binding. The lanes of a removed binding are marked in every pass: a process that had not noticed yet
 * may have opened them again.
 */
export function startBindingConsumer(options: BindingConsumerOptions): BindingConsumer {
  const { cluster, cell, models, control, log, metrics, kafka } = options;
  const presence = createTopicPresenceReader(kafka.connection);
  const stopping = new AbortController();
  let running: RunningConsumer | null = null;
  let failures = 0;

  const restart = async (read: readonly CheckedBinding[]) => {
    const topics = read.flatMap(({ topic }) => topic ?? []);
    const bindingIds = new Set(read.flatMap(({ id, topic }) => (topic === null ? [] : id)));
    if (running === null ? bindingIds.size === 0 : areEqual(running.bindingIds, bindingIds)) return;
    await running?.consumer[Symbol.asyncDispose]();
    running = null;
    if (topics.length === 0) return;
    log.info(
      { cluster, topics: topics.map(({ name }) => name) },
      'source bindings changed; joining the consumer group',
    );
    running = { bindingIds, consumer: startConsumer({ ...options, topics }) };
  };

  /** Why no topic can be read, in place of the problems of each. */
  const readProblems = async (topics: readonly string[]): Promise<TopicProblems | string> => {
    if (topics.length === 0) return new Map();
    try {
      const found = await presence.read(topics);
      failures = 0;
      return found;
    } catch (error) {
      const reason = describeKafkaError(error, kafka.connection);
      // One line a minute while Kafka is unavailable, not one in five seconds.
      if (failures++ % 12 === 0)
        log.warn({ err: error, cluster, reason }, 'Kafka does not list bound topics; retrying every 5 s');
      return reason;
    }
  };

  const pass = async () => {
    const all = (await readSourceBindings(control, cell)).filter((binding) => binding.cluster === cluster);
    const active = all.filter(isReadHere);
    const problems = await readProblems(active.map(({ topic }) => topic));
    const isDown = typeof problems === 'string';
    const read = active.map((binding) =>
      checkBinding(binding, options, isDown ? null : (problems.get(binding.topic) ?? null)),
    );
    // While the cluster is down, what is read stays as it is, without the topics of removed bindings.
    if (!stopping.signal.aborted) await restart(isDown ? read.filter(({ id }) => running?.bindingIds.has(id)) : read);
    const failure = isDown ? problems : (running?.consumer.failureReason() ?? null);
    await recordBindingChecks(
      control,
      read.map(({ id, problem }) => ({ id, problem: problem ?? failure })),
    );
    await unbindLanes(models, cluster, findUnboundTopics(all));
  };

  const passes = (async () => {
    while (!stopping.signal.aborted) {
      await pass().catch((error: unknown) => {
        if (isTransientError(error)) metrics.recordRetry(error, intervalMs);
        else log.error({ err: error, cluster }, 'source bindings cannot be read; retrying in 5 s');
      });
      await pause(intervalMs, undefined, { signal: stopping.signal }).catch(() => {});
    }
  })();

  return {
    lanes: () => running?.consumer.lanes() ?? [],
    async [Symbol.asyncDispose]() {
      stopping.abort();
      await passes;
      await running?.consumer[Symbol.asyncDispose]();
      await presence[Symbol.asyncDispose]();
    },
  };
}

/** The command line refuses the topics of its own configuration; that of this process counts. */
function checkBinding(
  binding: SourceBinding,
  { ownTopics, bind }: BindingConsumerOptions,
  problem: string | null,
): CheckedBinding {
  const { id } = binding;
  if (ownTopics.has(binding.topic))
    return { id, topic: null, problem: 'the topic is one of the product, whose messages have an envelope' };
  if (problem !== null) return { id, topic: null, problem };
  const topic = bind(binding);
  return { id, topic, problem: topic === null ? `this version does not read the format ${binding.format}` : null };
}

const areEqual = (one: ReadonlySet<string>, other: ReadonlySet<string>): boolean =>
  one.size === other.size && [...one].every((id) => other.has(id));
