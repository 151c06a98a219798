import { addSecurity, type BrokerSecurity } from './broker-security.ts';

export interface BrokerOptions {
  /** Directory of the logs. */
  data: string;
  /** host:port of its listener, and the one that it advertises to clients. */
  listen: string;
  advertise: string;
  controllerPort: number;
  /** Of a cluster of several nodes. */
  cluster?: ClusterNode;
  /** Listeners with TLS, logins and ACLs, besides the plaintext one. */
  security?: BrokerSecurity;
}

/** One of several brokers that are their own controllers. */
export interface ClusterNode {
  clusterId: string;
  /** From 1 to the number of controller ports. */
  nodeId: number;
  controllerPorts: readonly number[];
}

/** The text of `server.properties` for a broker that is its own controller: of one node, or of a cluster that keeps three copies. */
export function formatBrokerSettings(options: BrokerOptions): string {
  const { data, listen, advertise, controllerPort, cluster, security } = options;
  const nodes = cluster?.controllerPorts ?? [controllerPort];
  const copies = Math.min(nodes.length, 3);
  const settings: Record<string, string | number | boolean> = {
    'process.roles': 'broker,controller',
    'node.id': cluster?.nodeId ?? 1,
    'controller.quorum.voters': nodes.map((port, index) => `${index + 1}@127.0.0.1:${port}`).join(),
    listeners: `PLAINTEXT://${listen},CONTROLLER://127.0.0.1:${controllerPort}`,
    'advertised.listeners': `PLAINTEXT://${advertise}`,
    'controller.listener.names': 'CONTROLLER',
    'log.dirs': data,
    // Topics are created by `tenantscope migrate`, never by a read.
    'auto.create.topics.enable': false,
    // Larger than the accepted record size, so that oversized records arrive and are dead-lettered.
    'message.max.bytes': 16 * 1024 * 1024,
    'offsets.topic.num.partitions': 4,
    'offsets.topic.replication.factor': copies,
    'default.replication.factor': copies,
    // An acknowledged record survives the loss of any one broker.
    'min.insync.replicas': Math.min(copies, 2),
    'transaction.state.log.num.partitions': 4,
    'transaction.state.log.replication.factor': copies,
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
