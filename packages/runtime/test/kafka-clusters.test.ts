import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { z } from 'zod';
import {
  describeKafkaError,
  kafkaClusterVariables,
  kafkaVariables,
  listVariables,
  readConfig,
  readKafkaClusters,
  readProcessConfig,
} from '../src/index.ts';

const directory = await mkdtemp(join(tmpdir(), 'tenantscope-clusters-'));
afterAll(() => rm(directory, { recursive: true }));

const shape = z.object(kafkaClusterVariables);
const readClusters = (given: Record<string, string>) => readKafkaClusters(readConfig(shape, given), given);
const eventHubs = 'TENANTSCOPE_KAFKA_CLUSTER_EVENT_HUBS';
const login = {
  TENANTSCOPE_KAFKA_CLUSTERS: 'event-hubs',
  [`${eventHubs}_BROKERS`]: 'contoso.servicebus.windows.net:9093',
  [`${eventHubs}_SSL`]: 'on',
  [`${eventHubs}_SASL_MECHANISM`]: 'plain',
  [`${eventHubs}_SASL_USERNAME`]: '$ConnectionString',
};

test('a cluster has brokers, TLS and a login of its own, and its password file is read at each login', async () => {
  const file = join(directory, 'connection-string');
  await writeFile(file, 'Endpoint=sb://first\n');
  const clusters = readClusters({ ...login, [`${eventHubs}_SASL_PASSWORD_FILE`]: file });
  expect([...clusters.keys()]).toEqual(['event-hubs']);
  const connection = clusters.get('event-hubs');
  expect(connection).toMatchObject({
    cluster: 'event-hubs',
    brokers: 'contoso.servicebus.windows.net:9093',
    ssl: { rejectUnauthorized: true },
    sasl: { mechanism: 'plain', username: '$ConnectionString', password: 'Endpoint=sb://first' },
  });
  await writeFile(file, 'Endpoint=sb://second');
  expect(connection?.sasl).toMatchObject({ password: 'Endpoint=sb://second' });
  expect(readClusters({})).toEqual(new Map());
});

test('the variables of the main cluster and of other clusters do not apply', () => {
  const given = {
    TENANTSCOPE_KAFKA_CLUSTERS: 'a, a-b',
    TENANTSCOPE_KAFKA_SSL: 'on',
    TENANTSCOPE_KAFKA_CLUSTER_A_BROKERS: 'localhost:1',
    TENANTSCOPE_KAFKA_CLUSTER_A_B_BROKERS: 'localhost:2',
    TENANTSCOPE_KAFKA_CLUSTER_A_B_SSL: 'on',
  };
  const clusters = readClusters(given);
  expect(clusters.get('a')).toEqual({ cluster: 'a', brokers: 'localhost:1' });
  expect(clusters.get('a-b')).toMatchObject({ brokers: 'localhost:2', ssl: { rejectUnauthorized: true } });
});

test('every missing or wrong variable of every cluster is named, and no value', () => {
  const given = {
    ...login,
    TENANTSCOPE_KAFKA_CLUSTERS: 'event-hubs,partner,plain,open',
    TENANTSCOPE_KAFKA_CLUSTER_PLAIN_BROKERS: 'kafka.internal:9092',
    TENANTSCOPE_KAFKA_CLUSTER_OPEN_BROKERS: 'localhost:9092',
    TENANTSCOPE_KAFKA_CLUSTER_OPEN_SASL_PASSWORD: 'hunter2',
  };
  expect(() => readClusters(given)).toThrow(
    [
      'The configuration is invalid. ',
      `${eventHubs}_SASL_PASSWORD is not set, but plain needs it; `,
      'TENANTSCOPE_KAFKA_CLUSTER_PARTNER_BROKERS is not set; ',
      'TENANTSCOPE_KAFKA_CLUSTER_PLAIN_BROKERS: kafka.internal is not on loopback and TLS is off; ',
      'set TENANTSCOPE_KAFKA_CLUSTER_PLAIN_SSL=on, or name kafka in TENANTSCOPE_ALLOW_PLAINTEXT; ',
      'TENANTSCOPE_KAFKA_CLUSTER_OPEN_SASL_PASSWORD is set without TENANTSCOPE_KAFKA_CLUSTER_OPEN_SASL_MECHANISM.',
    ].join(''),
  );
  const allowed = { ...given, TENANTSCOPE_KAFKA_CLUSTERS: 'plain', TENANTSCOPE_ALLOW_PLAINTEXT: 'kafka' };
  expect(readClusters(allowed).get('plain')).toEqual({ cluster: 'plain', brokers: 'kafka.internal:9092' });
});

test.each([
  ['main', /must not contain main/],
  ['a,b,a', /must not contain a name twice/],
  ['Event Hubs', /must be names of a-z/],
  ['a_b', /must be names of a-z/],
])('the names %j are refused', (names, message) => {
  expect(() => readClusters({ TENANTSCOPE_KAFKA_CLUSTERS: names })).toThrow(message);
});

test('a process declares the variables of exactly the clusters that are named', () => {
  const named = listVariables(shape, { TENANTSCOPE_KAFKA_CLUSTERS: 'event-hubs,NOT VALID' });
  const expected = listVariables(z.object(kafkaVariables))
    .filter((name) => name.startsWith('TENANTSCOPE_KAFKA_'))
    .map((name) => name.replace('TENANTSCOPE_KAFKA', eventHubs));
  expect(named).toEqual(['TENANTSCOPE_KAFKA_CLUSTERS', ...expected]);
  expect(named).toContain(`${eventHubs}_SASL_PASSWORD_FILE`);
  expect(listVariables(shape)).toEqual(['TENANTSCOPE_KAFKA_CLUSTERS']);
});

test('an error of a cluster names the variables of that cluster', () => {
  const at = { brokers: 'b:9093', cluster: 'event-hubs' };
  expect(describeKafkaError(new Error('SASL PLAIN authentication failed'), at)).toMatch(
    /^Kafka at b:9093 rejects the login .*check TENANTSCOPE_KAFKA_CLUSTER_EVENT_HUBS_SASL_\*$/,
  );
  expect(describeKafkaError(new Error('self-signed certificate'), at)).toContain(`set ${eventHubs}_SSL_CA_FILE`);
});

test('a process accepts the variables of clusters that are named and no others, and shows them without secrets', () => {
  const run = (env: Record<string, string>) => {
    const written = { out: '', error: '', status: -1 };
    const exit = (status: number): never => {
      written.status = status;
      throw new Error('exit');
    };
    const stream = (name: 'out' | 'error') => ({
      write(text: string) {
        written[name] += text;
        return true;
      },
    });
    const process = { env, argv: ['--print-config'], stdout: stream('out'), stderr: stream('error'), exit };
    expect(() => readProcessConfig(process as unknown as NodeJS.Process, 'ingest', shape)).toThrow('exit');
    return written;
  };
  const shown = run({ ...login, [`${eventHubs}_SASL_PASSWORD`]: 'hunter2' });
  expect(shown).toMatchObject({ status: 0, error: '' });
  expect(shown.out).not.toContain('hunter2');
  expect(JSON.parse(shown.out)).toMatchObject({
    TENANTSCOPE_KAFKA_CLUSTERS: { value: ['event-hubs'], origin: 'environment' },
    [`${eventHubs}_BROKERS`]: { value: 'contoso.servicebus.windows.net:9093', origin: 'environment' },
    [`${eventHubs}_SASL_PASSWORD`]: { value: '[redacted]', origin: 'environment' },
    [`${eventHubs}_SSL_CA_FILE`]: { value: null, origin: 'default' },
  });
  const refused = run({ ...login, TENANTSCOPE_KAFKA_CLUSTERS: 'partner' });
  expect(refused.status).toBe(1);
  expect(refused.error).toContain(`${eventHubs}_BROKERS is not a variable of ingest`);
});
