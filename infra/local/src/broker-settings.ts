import { addSecurity, type BrokerSecurity } from './broker-security.ts';

export interface BrokerOptions {
  /** Directory of the logs. */
  data: string;
  /** host:port of its listener, and the one that it advertises to clients. */
  listen: string;
  advertise: string;
  controllerPort: number;
  /** Listeners with TLS, logins and ACLs, besides the plaintext one. */
  security?: BrokerSecurity;
}

/** The text of `server.properties` for a broker of one node that is its own controller. */
export function formatBrokerSettings({ data, listen, advertise, controllerPort, security }: BrokerOptions): string {
  const settings: Record<string, string | number | boolean> = {
    'process.roles': 'broker,controller',
    'node.id': 1,
    'controller.quorum.voters': `1@127.0.0.1:${controllerPort}`,
    listeners: `PLAINTEXT://${listen},CONTROLLER://127.0.0.1:${controllerPort}`,
    'advertised.listeners': `PLAINTEXT://${advertise}`,
    'controller.listener.names': 'CONTROLLER',
    'log.dirs': data,
    // Topics are created by `tenantscope migrate`, never by a read.
    'auto.create.topics.enable': false,
    // Larger than the accepted record size, so that oversized records arrive and are dead-lettered.
    'message.max.bytes': 16 * 1024 * 1024,
    'offsets.topic.num.partitions': 4,
    'offsets.topic.replication.factor': 1,
    'transaction.state.log.num.partitions': 4,
    'transaction.state.log.replication.factor': 1,
    'transaction.state.log.min.isr': 1,
    // A killed broker can register again only when its previous session has expired.
    'broker.session.timeout.ms': 3000,
    'broker.heartbeat.interval.ms': 500,
    'group.initial.rebalance.delay.ms': 0,
    'group.min.session.timeout.ms': 1000,
  };
  return Object.entries(security === undefined ? settings : addSecurity(settings, security))
    .map(([name, value]) => `${name}=${value}\n`)
    .join('');
}
