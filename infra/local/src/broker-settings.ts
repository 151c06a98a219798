export interface Broker {
  /** Directory of the logs. */
  data: string;
  /** host:port it listens on, and the one it tells clients to come to. */
  listen: string;
  advertise: string;
  controllerPort: number;
}

/** The text of `server.properties` for a broker of one node that is its own controller. */
export function brokerSettings({ data, listen, advertise, controllerPort }: Broker): string {
  const settings: Record<string, string | number | boolean> = {
    'process.roles': 'broker,controller',
    'node.id': 1,
    'controller.quorum.voters': `1@127.0.0.1:${controllerPort}`,
    listeners: `PLAINTEXT://${listen},CONTROLLER://127.0.0.1:${controllerPort}`,
    'advertised.listeners': `PLAINTEXT://${advertise}`,
    'controller.listener.names': 'CONTROLLER',
    'log.dirs': data,
    // Topics are made by whoever owns them, never by a stray read.
    'auto.create.topics.enable': false,
    // Records far above what is accepted must be able to arrive, to be set aside.
    'message.max.bytes': 16 * 1024 * 1024,
    'offsets.topic.num.partitions': 4,
    'offsets.topic.replication.factor': 1,
    'transaction.state.log.num.partitions': 4,
    'transaction.state.log.replication.factor': 1,
    'transaction.state.log.min.isr': 1,
    // A killed broker is let in again when its earlier life has timed out.
    'broker.session.timeout.ms': 3000,
    'broker.heartbeat.interval.ms': 500,
    'group.initial.rebalance.delay.ms': 0,
    'group.min.session.timeout.ms': 1000,
  };
  return Object.entries(settings)
    .map(([name, value]) => `${name}=${value}\n`)
    .join('');
}
