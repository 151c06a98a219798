import type { KafkaConnection, Log } from '@tenantscope/runtime';
import { readTopicIdentity } from '../kafka/topic-identity.ts';
import type { LaneOwner } from './lane-owner.ts';

const intervalMs = 30_000;

/** Replaces lanes of a recreated topic: under a running client it may have grown past the old lane's position unnoticed. */
export function watchTopicIdentities(lanes: LaneOwner, kafka: KafkaConnection, log: Log): Disposable {
  const check = async () => {
    for (const name of new Set(lanes.list().map(({ position }) => position.topic))) {
      const identity = await readTopicIdentity(kafka, name).catch((error: unknown) => {
        log.debug({ err: error, topic: name }, 'cannot read topic id; retrying in 30 s');
      });
      if (!identity) continue;
      const { topicId, clusterId } = identity;
      for (const lane of lanes.list()) {
        const { position } = lane;
        const isChanged = position.topicId !== topicId || position.clusterId !== clusterId;
        if (position.topic === name && isChanged) await lanes.replace(lane);
      }
    }
  };
  const timer = setInterval(() => {
    check().catch((error: unknown) => log.debug({ err: error }, 'cannot read topic ids; retrying in 30 s'));
  }, intervalMs);
  return { [Symbol.dispose]: () => clearInterval(timer) };
}
