import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, realpath, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { Kafka, logLevel } from 'kafkajs';
import { type BrokerSecurity, listScramArguments } from './broker-security.ts';
import { type ClusterNode, formatBrokerSettings } from './broker-settings.ts';
import { checkout } from './checkout.ts';
import { findJava } from './java.ts';
import { fetchKafkaJars } from './kafka-jars.ts';
import { findFreePort } from './ports.ts';
import { type RunningService, runService } from './service.ts';

export interface KafkaOptions {
  directory: string;
  port: number;
  /** A single node if omitted. The nodes of a cluster respond when most of them have started. */
  cluster?: ClusterNode;
  security?: BrokerSecurity;
}

/** Starts a broker in KRaft mode that is its own controller. It never creates topics automatically. */
export async function startKafka({ directory, port, cluster, security }: KafkaOptions): Promise<RunningService> {
  const [program, jars] = await Promise.all([findJava(), fetchKafkaJars()]);
  const address = `127.0.0.1:${port}`;
  const settings = join(directory, 'server.properties');
  const tokens = security && `-Dorg.apache.kafka.sasl.oauthbearer.allowed.urls=file://${security.oauth.jwksFile}`;
  const java = [...javaOptions, ...(tokens === undefined ? [] : [tokens]), '-cp', `${jars}/*`];
  return runService({
    name: 'kafka',
    address,
    port,
    directory,
    logFile: join(directory, 'kafka.log'),
    command: [program, ...java, 'kafka.Kafka', settings],
    executable: basename(await realpath(program)),
    stopSignal: 'SIGTERM',
    async prepare() {
      await mkdir(directory, { recursive: true, mode: 0o700 });
      const controllerPort = cluster?.controllerPorts[cluster.nodeId - 1] ?? (await findFreePort());
      await writeFile(
        settings,
        formatBrokerSettings({
          data: join(directory, 'data'),
          listen: address,
          advertise: address,
          controllerPort,
          ...(cluster === undefined ? {} : { cluster }),
          ...(security === undefined ? {} : { security }),
        }),
        { mode: 0o600 },
      );
      const formatted = join(directory, 'formatted');
      if (existsSync(formatted)) return;
      const format = [
        'format',
        `--cluster-id=${cluster?.clusterId ?? createClusterId()}`,
        '--config',
        settings,
        '--ignore-formatted',
        ...(security === undefined ? [] : listScramArguments(security)),
      ];
      await promisify(execFile)(program, [...java, 'kafka.tools.StorageTool', ...format], { maxBuffer: 1 << 24 });
      await writeFile(formatted, '');
    },
    probe: () => checkRegistered(address),
  });
}

export const createClusterId = (): string => randomBytes(16).toString('base64url');

// Starts in two seconds with little memory: only the C1 compiler, no parallel collector.
const javaOptions = [
  '-Xmx384m',
  '-XX:+UseSerialGC',
  '-XX:TieredStopAtLevel=1',
  '-XX:-UsePerfData',
  `-Dlog4j2.configurationFile=${join(checkout, 'infra', 'local', 'kafka', 'log4j2.properties')}`,
];

async function checkRegistered(address: string): Promise<void> {
  const kafka = new Kafka({
    clientId: 'readiness-probe',
    brokers: [address],
    logLevel: logLevel.NOTHING,
    connectionTimeout: 1000,
    requestTimeout: 2000,
    retry: { retries: 0 },
  });
  const admin = kafka.admin();
  try {
    await admin.connect();
    const { brokers } = await admin.describeCluster();
    if (brokers.length === 0) throw new Error('the broker is not registered with its controller yet');
  } finally {
    await admin.disconnect();
  }
}
