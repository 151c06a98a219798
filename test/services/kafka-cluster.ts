import { join } from 'node:path';
import { createClusterId, findFreePort, type RunningService, startKafka } from '@tenantscope/local';

/** Three brokers that keep three copies of each partition and acknowledge a record when two have it. */
export interface KafkaCluster extends AsyncDisposable {
  /** host:port of each, separated by commas. */
  readonly addresses: string;
  readonly brokers: readonly RunningService[];
}

const brokerCount = 3;

export async function startKafkaCluster(directory: string): Promise<KafkaCluster> {
  await using stack = new AsyncDisposableStack();
  const clusterId = createClusterId();
  const numbers = Array.from({ length: brokerCount }, (_, index) => index + 1);
  const controllerPorts = await Promise.all(numbers.map(() => findFreePort()));
  const brokers = await Promise.all(
    numbers.map(async (nodeId) => {
      const cluster = { clusterId, nodeId, controllerPorts };
      const broker = await startKafka({
        directory: join(directory, `broker-${nodeId}`),
        port: await findFreePort(),
        cluster,
      });
      stack.defer(() => broker.kill());
      return broker;
    }),
  );
  const owned = stack.move();
  return {
    addresses: brokers.map(({ address }) => address).join(),
    brokers,
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}
