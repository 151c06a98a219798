import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { promisify } from 'node:util';
import {
  checkout,
  fetchKafkaJars,
  findFreePort,
  findProgram,
  formatBrokerSettings,
  readProcessIdentity,
  requireProgram,
} from '@tenantscope/local';
import { GenericContainer, type StartedTestContainer, Wait } from 'testcontainers';
import { findEngine } from './engine.ts';
import type { Services } from './test-services.ts';

const execute = promisify(execFile);
const owner = 'tenantscope.owner';

/** The three services in containers, with images built here from Debian packages, without a registry. */
export async function containerServices(): Promise<Services> {
  const engine = await findEngine();
  if ('missing' in engine) throw new Error(engine.missing);
  process.env.DOCKER_HOST = engine.host;
  // The reaper is an image from a registry; the remains of a killed run are removed by their label instead.
  process.env.TESTCONTAINERS_RYUK_DISABLED = 'true';
  await removeAbandoned();
  await buildStoreImages();

  const starts = await Promise.allSettled([startKafka(), startPostgres(), startRedis()]);
  const stop = async () => {
    await Promise.all(starts.map((start) => (start.status === 'fulfilled' ? start.value.container.stop() : undefined)));
  };
  const [kafka, postgres, redis] = starts.map((start) => (start.status === 'fulfilled' ? start.value.address : null));
  if (kafka && postgres && redis) return { kafka, postgres, redis, [Symbol.asyncDispose]: stop };
  await stop();
  throw starts.find((start) => start.status === 'rejected')?.reason;
}

interface Started {
  container: StartedTestContainer;
  address: string;
}

async function startKafka(): Promise<Started> {
  // The broker announces its address to clients, so the external port is chosen before it starts.
  const port = await findFreePort();
  const advertise = `127.0.0.1:${port}`;
  const content = formatBrokerSettings({
    data: '/var/lib/kafka/data',
    listen: '0.0.0.0:9092',
    advertise,
    controllerPort: 9093,
  });
  const container = await new GenericContainer('tenantscope/kafka:4.1')
    .withLabels(label())
    .withEnvironment({ KAFKA_CLUSTER_ID: `c${randomBytes(16).toString('base64url').slice(1)}` })
    .withCopyContentToContainer([{ content, target: '/etc/kafka/server.properties' }])
    .withExposedPorts({ container: 9092, host: port })
    .withWaitStrategy(Wait.forLogMessage('Kafka Server started'))
    .start();
  return { container, address: advertise };
}

async function startPostgres(): Promise<Started> {
  const password = randomBytes(24).toString('base64url');
  const container = await new GenericContainer('tenantscope/postgres:15')
    .withLabels(label())
    .withEnvironment({ POSTGRES_PASSWORD: password })
    .withCommand(['-c', 'max_connections=300', '-c', 'fsync=off'])
    .withExposedPorts(5432)
    .withWaitStrategy(Wait.forLogMessage('database system is ready to accept connections'))
    .start();
  return { container, address: `postgres://postgres:${password}@127.0.0.1:${container.getMappedPort(5432)}/postgres` };
}

async function startRedis(): Promise<Started> {
  const container = await new GenericContainer('tenantscope/redis:7')
    .withLabels(label())
    .withExposedPorts(6379)
    .withWaitStrategy(Wait.forLogMessage('Ready to accept connections'))
    .start();
  return { container, address: `redis://127.0.0.1:${container.getMappedPort(6379)}` };
}

/** Builds the images of the stores unless the engine has them. */
export async function buildStoreImages(): Promise<void> {
  await requireProgram(() => findProgram('debootstrap'), {
    what: 'debootstrap',
    packages: ['debootstrap'],
    instead: 'TENANTSCOPE_TEST_SERVICES=external',
  });
  await execute(join(checkout, 'infra', 'containers', 'build-images.sh'), [await fetchKafkaJars()], {
    maxBuffer: 1 << 26,
  });
}

function label(): Record<string, string> {
  return { [owner]: readProcessIdentity(process.pid) ?? '' };
}

async function removeAbandoned(): Promise<void> {
  const { stdout } = await execute('docker', [
    'ps',
    '--all',
    '--filter',
    `label=${owner}`,
    '--format',
    `{{.ID}} {{.Label "${owner}"}}`,
  ]);
  for (const line of stdout.trim().split('\n').filter(Boolean)) {
    const [id = '', run = ''] = line.split(' ');
    if (readProcessIdentity(Number.parseInt(run, 10)) !== run) await execute('docker', ['rm', '--force', id]);
  }
}
