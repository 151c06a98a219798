import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { z } from 'zod';
import {
  databaseUrl,
  kafkaVariables,
  listVariables,
  postgresVariables,
  readConfig,
  readKafkaConnection,
  readRedisConnection,
  redisVariables,
  secret,
} from '../src/index.ts';

const directory = await mkdtemp(join(tmpdir(), 'tenantscope-connections-'));
afterAll(() => rm(directory, { recursive: true }));

const kafkaShape = z.object(kafkaVariables);
const readKafka = (given: Record<string, string>) =>
  readKafkaConnection(readConfig(kafkaShape, prefix(given)), prefix(given));
const readRedis = (given: Record<string, string>) =>
  readRedisConnection(readConfig(z.object(redisVariables), prefix(given)));
const readDatabase = (given: Record<string, string>) =>
  readConfig(z.object({ TENANTSCOPE_URL: databaseUrl('A database.'), ...postgresVariables }), prefix(given))
    .TENANTSCOPE_URL;
const prefix = (given: Record<string, string>) =>
  Object.fromEntries(Object.entries(given).map(([name, value]) => [`TENANTSCOPE_${name}`, value]));

async function writeSecret(name: string, text: string): Promise<string> {
  const file = join(directory, name);
  await writeFile(file, text);
  return file;
}

test('a store outside loopback needs TLS or a permission for plaintext, which the error names', () => {
  expect(() => readKafka({ KAFKA_BROKERS: '127.0.0.1:9092,kafka.internal:9092' })).toThrow(
    'TENANTSCOPE_KAFKA_BROKERS: kafka.internal is not on loopback and TLS is off; set TENANTSCOPE_KAFKA_SSL=on, or name kafka in TENANTSCOPE_ALLOW_PLAINTEXT',
  );
  expect(() => readRedis({ REDIS_URL: 'redis://cache:6379' })).toThrow(/TENANTSCOPE_REDIS_URL: cache .* rediss:/);
  expect(() => readDatabase({ URL: 'postgres://u:hunter2@db/x' })).toThrow(
    /TENANTSCOPE_URL: db .*TENANTSCOPE_POSTGRES_SSL=on/,
  );
  expect(() => readDatabase({ URL: 'postgres://u:hunter2@db/x' })).not.toThrow(/hunter2/);
  expect(() => readDatabase({ URL: 'postgres://127.0.0.1/x?host=db' })).toThrow(/db is not on loopback/);
  const allowed = { ALLOW_PLAINTEXT: 'kafka, redis,postgres' };
  expect(readKafka({ KAFKA_BROKERS: 'kafka.internal:9092', ...allowed })).toEqual({ brokers: 'kafka.internal:9092' });
  expect(readRedis({ REDIS_URL: 'redis://cache:6379', ...allowed }).options).toEqual({});
  expect(readDatabase({ URL: 'postgres://db/x', ...allowed })).toBe('postgres://db/x');
  expect(() => readKafka({ KAFKA_BROKERS: 'k:1', ALLOW_PLAINTEXT: 'all' })).toThrow(
    /comma list of kafka, postgres, redis/,
  );
});

test('loopback addresses and local sockets need no TLS', () => {
  for (const host of ['127.0.0.1', 'localhost', '[::1]']) {
    expect(readKafka({ KAFKA_BROKERS: `${host}:9092` }).ssl).toBeUndefined();
    expect(readRedis({ REDIS_URL: `redis://${host}:6379` }).options).toEqual({});
    expect(readDatabase({ URL: `postgres://u@${host}/x` })).toBe(`postgres://u@${host}/x`);
  }
  expect(readDatabase({ URL: 'postgres:///x?host=/run/postgresql' })).toContain('/run/postgresql');
});

test('the certificate and the host name of a server are always verified', () => {
  expect(readKafka({ KAFKA_BROKERS: 'k:9093', KAFKA_SSL: 'on' }).ssl).toMatchObject({ rejectUnauthorized: true });
  expect(readRedis({ REDIS_URL: 'rediss://cache:6379' }).options.tls).toMatchObject({ rejectUnauthorized: true });
  expect(readDatabase({ URL: 'postgres://db/x', POSTGRES_SSL: 'on' })).toBe('postgres://db/x?sslmode=verify-full');
  expect(readDatabase({ URL: 'postgres://db/x?sslmode=verify-full' })).toBe('postgres://db/x?sslmode=verify-full');
});

test.each(['disable', 'allow', 'prefer', 'require', 'verify-ca', 'no-verify'])(
  'a database URL with sslmode=%s is refused where TLS is on',
  (mode) => {
    const url = `postgres://db/x?sslmode=${mode}`;
    expect(() => readDatabase({ URL: url, POSTGRES_SSL: 'on' })).toThrow(`TENANTSCOPE_URL: sslmode=${mode} `);
    if (mode !== 'disable')
      expect(() => readDatabase({ URL: url.replace('db', '127.0.0.1') })).toThrow(`sslmode=${mode} `);
  },
);

test.each(['ssl=true', 'sslrootcert=/x', 'uselibpqcompat=true', 'sslnegotiation=direct'])(
  'a database URL cannot configure TLS by %s',
  (parameter) => {
    expect(() => readDatabase({ URL: `postgres://127.0.0.1/x?${parameter}` })).toThrow(/is not supported/);
  },
);

test('a secret can be in a file, which is named when it is missing, and not in both places', async () => {
  const shape = z.object({ TENANTSCOPE_SECRET: secret('A secret.', z.string().min(8)) });
  const file = await writeSecret('secret', 'from a file\n');
  expect(readConfig(shape, { TENANTSCOPE_SECRET_FILE: file }).TENANTSCOPE_SECRET).toBe('from a file');
  expect(() => readConfig(shape, { TENANTSCOPE_SECRET_FILE: join(directory, 'none') })).toThrow(
    'TENANTSCOPE_SECRET_FILE: cannot read the file (ENOENT).',
  );
  const both = { TENANTSCOPE_SECRET: 'from the environment', TENANTSCOPE_SECRET_FILE: file };
  expect(() => readConfig(shape, both)).toThrow('TENANTSCOPE_SECRET and TENANTSCOPE_SECRET_FILE are both set');
  expect(listVariables(shape)).toEqual(['TENANTSCOPE_SECRET', 'TENANTSCOPE_SECRET_FILE']);
});

test('an unusable certificate file and a key without its certificate are refused at start', async () => {
  const broken = await writeSecret('broken.pem', 'not a certificate');
  const brokers = { KAFKA_BROKERS: 'localhost:9093' };
  expect(() => readKafka({ ...brokers, KAFKA_SSL_CA_FILE: broken })).toThrow(
    'TENANTSCOPE_KAFKA_SSL_CA_FILE: the file is not usable',
  );
  expect(() => readKafka({ ...brokers, KAFKA_SSL_CA_FILE: '/none' })).toThrow(
    'TENANTSCOPE_KAFKA_SSL_CA_FILE: cannot read the file (ENOENT)',
  );
  expect(() => readKafka({ ...brokers, KAFKA_SSL_KEY_FILE: broken })).toThrow('must be set together');
  expect(() => readRedis({ REDIS_URL: 'redis://localhost', REDIS_SSL_CA_FILE: broken })).toThrow(
    /TENANTSCOPE_REDIS_SSL_CA_FILE/,
  );
});

test('a login is complete, and its password file is read again at each connection', async () => {
  const brokers = { KAFKA_BROKERS: 'localhost:9093' };
  expect(() => readKafka({ ...brokers, KAFKA_SASL_USERNAME: 'ingest' })).toThrow(
    'without TENANTSCOPE_KAFKA_SASL_MECHANISM',
  );
  const scram = { ...brokers, KAFKA_SASL_MECHANISM: 'SCRAM-SHA-512' };
  expect(() => readKafka({ ...scram, KAFKA_SASL_USERNAME: 'ingest' })).toThrow(
    'TENANTSCOPE_KAFKA_SASL_PASSWORD is not set, but scram-sha-512',
  );
  expect(() => readKafka({ ...brokers, KAFKA_SASL_MECHANISM: 'gssapi' })).toThrow(
    /TENANTSCOPE_KAFKA_SASL_MECHANISM: must be one of plain/,
  );
  const file = await writeSecret('password', 'first');
  const { sasl } = readKafka({ ...scram, KAFKA_SASL_USERNAME: 'ingest', KAFKA_SASL_PASSWORD_FILE: file });
  expect(sasl).toMatchObject({ mechanism: 'scram-sha-512', username: 'ingest', password: 'first' });
  await writeFile(file, 'second\n');
  expect(sasl).toMatchObject({ password: 'second' });
});

test('a Redis login is in the URL or in its variables, not in both', () => {
  const login = { REDIS_USERNAME: 'api', REDIS_PASSWORD: 'p' };
  expect(readRedis({ REDIS_URL: 'redis://localhost', ...login }).options).toEqual({ username: 'api', password: 'p' });
  expect(() => readRedis({ REDIS_URL: 'redis://a:b@localhost', ...login })).toThrow('contains a login too');
});

test('an access token is shared by connections and requested again before it expires', async () => {
  let requests = 0;
  const seen: string[] = [];
  const server = createServer((request, response) => {
    requests += 1;
    seen.push(request.headers.authorization ?? '');
    response.setHeader('content-type', 'application/json');
    if (requests === 3) return response.writeHead(401).end('{"error":"invalid_client","hint":"hunter2"}');
    response.end(JSON.stringify({ access_token: `token-${requests}`, expires_in: requests === 1 ? 0.05 : 3_600 }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/token`;
    const settings = {
      KAFKA_BROKERS: 'localhost:9093',
      KAFKA_SASL_MECHANISM: 'oauthbearer',
      KAFKA_SASL_OAUTH_TOKEN_URL: url,
      KAFKA_SASL_OAUTH_CLIENT_ID: 'ingest',
      KAFKA_SASL_OAUTH_CLIENT_SECRET: 'hunter2',
    };
    const tokens = () => {
      const { sasl } = readKafka(settings);
      if (sasl?.mechanism !== 'oauthbearer') throw new Error('no token provider');
      return sasl.oauthBearerProvider;
    };
    const provide = tokens();
    expect(await Promise.all([provide(), provide()])).toEqual([{ value: 'token-1' }, { value: 'token-1' }]);
    await expect.poll(provide).toEqual({ value: 'token-2' });
    expect(await provide()).toEqual({ value: 'token-2' });
    expect(new Set(seen)).toEqual(new Set([`Basic ${btoa('ingest:hunter2')}`]));
    const refused = await tokens()().catch((error: Error) => error.message);
    expect(refused).toBe(`The token endpoint ${url} responded with status 401: invalid_client`);
    expect(() => readKafka({ ...settings, KAFKA_SASL_OAUTH_TOKEN_URL: 'http://idp.internal/token' })).toThrow(
      'must be https',
    );
  } finally {
    server.close();
  }
});

test('with sentinels the host of the URL is the name of the primary, and TLS is used for both', () => {
  const addresses = { REDIS_SENTINELS: '127.0.0.1:26379, [::1]:26380', REDIS_URL: 'redis://Main-primary/2' };
  expect(readRedis(addresses).options).toEqual({
    name: 'Main-primary',
    sentinels: [
      { host: '127.0.0.1', port: 26379 },
      { host: '::1', port: 26380 },
    ],
    failoverDetector: true,
    Connector: expect.any(Function),
    sentinelCommandTimeout: 2_000,
    enableTLSForSentinelMode: false,
  });
  const tls = { ...addresses, REDIS_URL: 'rediss://main', REDIS_SENTINELS: 'sentinel:26379' };
  const { options } = readRedis({ ...tls, REDIS_SENTINEL_USERNAME: 'api', REDIS_SENTINEL_PASSWORD: 's' });
  expect(options).toMatchObject({ enableTLSForSentinelMode: true, sentinelUsername: 'api', sentinelPassword: 's' });
  expect(options.sentinelTLS).toBe(options.tls);
});

test('sentinels outside loopback need TLS, and each of them a port', () => {
  const url = { REDIS_URL: 'redis://main' };
  expect(() => readRedis({ ...url, REDIS_SENTINELS: '127.0.0.1:26379,cache:26379' })).toThrow(
    /TENANTSCOPE_REDIS_SENTINELS: cache .* rediss:/,
  );
  for (const address of ['cache', 'cache:x', 'cache:26379/0', 'user@cache:26379', ''])
    expect(() => readRedis({ ...url, REDIS_SENTINELS: `127.0.0.1:26379,${address}` }), address).toThrow(
      'is not host:port',
    );
});
