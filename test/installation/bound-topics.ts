import { type Admin, type BoundTopicState, describeBoundTopic } from '@tenantscope/store/admin';

/** The source binding of a topic, for conditions that are polled: the command `source list` takes 0.5 s of CPU time, and a wait ran it twice a second. */
export async function readBoundTopic(
  admin: Admin,
  topic: string,
  cluster = 'main',
): Promise<BoundTopicState | undefined> {
  const binding = (await admin.bindings.list(false)).find((one) => one.topic === topic && one.cluster === cluster);
  return binding && describeBoundTopic(binding, await admin.lanes.list(), Date.now());
}
