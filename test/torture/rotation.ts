import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { fetchKafkaJars, findFreePort, findJava, startTemporaryServices } from '@tenantscope/local';
import { generateSigningKey } from '@tenantscope/proof';
import { Redis } from 'ioredis';
import { type Certificates, createCertificates } from '../connections/certificates.ts';
import { readDocumentedAcls } from '../connections/documented-acls.ts';
import { connectBroker } from '../installation/broker.ts';
import { createDatabaseOn, type TestDatabase } from '../services/database.ts';

const users = ['tenantscope-ingest', 'tenantscope-operator'] as const;
const newPassword = () => randomBytes(16).toString('hex');

/** Kafka with SCRAM and the ACLs of the manual, PostgreSQL and Redis, all with TLS. */
async function startStores(
  stack: AsyncDisposableStack,
  certificates: Certificates,
  passwords: Readonly<Record<string, string>>,
) {
  const [saslPort, mutualTlsPort, redisPort] = [await findFreePort(), await findFreePort(), await findFreePort()];
  const jwksFile = join(certificates.directory, 'jwks.json');
  await writeFile(jwksFile, '{"keys":[]}');
  const services = stack.use(
    await startTemporaryServices({
      security: {
        kafka: {
          saslPort,
          mutualTlsPort,
          keyStoreFile: certificates.keyStoreFile,
          caFile: certificates.caFile,
          plainUsers: passwords,
          scramUsers: passwords,
          oauth: { jwksFile, audience: 'none' },
        },
        postgres: certificates.server,
        redis: { ...certificates.server, caFile: certificates.caFile, port: redisPort },
      },
    }),
  );
  const broker = stack.use(await connectBroker(services.kafka));
  const acl = (await readDocumentedAcls()).filter(({ principal }) =>
    users.some((user) => principal === `User:${user}`),
  );
  await broker.admin.createAcls({ acl });
  return { services, saslPort, redisPort };
}

/** A directory with a file for each secret. */
async function createSecretFiles(parent: string) {
  const directory = join(parent, 'secrets');
  await mkdir(directory);
  const file = (name: string) => join(directory, name);
  return {
    file,
    write: (name: string, content: string) => writeFile(file(name), content, { mode: 0o600 }),
    readFile: (name: string) => readFile(file(name), 'utf8'),
  };
}
type SecretFiles = Awaited<ReturnType<typeof createSecretFiles>>;

/** The URLs of a database by TLS, which are files too. */
async function createDatabaseUrls({ owner, roles }: TestDatabase, { write }: SecretFiles) {
  const secured = (url: string, password?: string) => {
    const own = Object.assign(new URL(url), { hostname: 'localhost' });
    if (password !== undefined) own.password = password;
    return own.href;
  };
  const urls = new Map([
    ['owner', secured(owner)],
    ...Object.entries(roles).map(([name, url]) => [name, secured(url)] as const),
  ]);
  const writeUrls = () => Promise.all([...urls].map(([name, url]) => write(`database_${name}_url`, url)));
  await writeUrls();
  return {
    names: [...urls.keys()],
    /** New passwords in the files; `tenantscope migrate` sets them. */
    async renew() {
      for (const [name, url] of urls) if (name !== 'owner') urls.set(name, secured(url, newPassword()));
      await writeUrls();
    },
  };
}

/** Stores with TLS and logins, whose secrets are files, and how an operator replaces each of them. */
export async function startSecuredStores() {
  const stack = new AsyncDisposableStack();
  const certificates = stack.use(await createCertificates());
  const passwords = Object.fromEntries(users.map((user) => [user, newPassword()]));
  const { services, saslPort, redisPort } = await startStores(stack, certificates, passwords);
  const database = stack.use(await createDatabaseOn(services.postgres));
  const redis = new Redis<'legacy'>(services.redis);
  stack.defer(() => redis.disconnect());

  const files = await createSecretFiles(certificates.directory);
  const { file, write } = files;
  const urls = await createDatabaseUrls(database, files);
  let redisPassword = newPassword();
  await redis.call('ACL', 'SETUSER', 'tenantscope-api', 'on', `>${redisPassword}`, '~tenantscope:rate:*', '+@all');
  await write('redis_password', redisPassword);
  for (const user of users) await write(user, passwords[user] ?? '');
  await write('ca.pem', await readFile(certificates.caFile, 'utf8'));
  await write('cursor_secrets', newPassword());
  await write('signing_key', await generateSigningKey());
  await write('retired_keys', '{"keys":[]}');

  const environment = (user: (typeof users)[number]): Record<string, string> => ({
    ...Object.fromEntries(
      urls.names.map((name) => [`TENANTSCOPE_${name.toUpperCase()}_DATABASE_URL_FILE`, file(`database_${name}_url`)]),
    ),
    TENANTSCOPE_POSTGRES_SSL_CA_FILE: file('ca.pem'),
    TENANTSCOPE_KAFKA_BROKERS: `localhost:${saslPort}`,
    TENANTSCOPE_KAFKA_SSL_CA_FILE: file('ca.pem'),
    TENANTSCOPE_KAFKA_SASL_MECHANISM: 'scram-sha-512',
    TENANTSCOPE_KAFKA_SASL_USERNAME: user,
    TENANTSCOPE_KAFKA_SASL_PASSWORD_FILE: file(user),
    TENANTSCOPE_REDIS_URL: `rediss://localhost:${redisPort}`,
    TENANTSCOPE_REDIS_USERNAME: 'tenantscope-api',
    TENANTSCOPE_REDIS_PASSWORD_FILE: file('redis_password'),
    TENANTSCOPE_REDIS_SSL_CA_FILE: file('ca.pem'),
    TENANTSCOPE_CURSOR_SECRETS_FILE: file('cursor_secrets'),
    TENANTSCOPE_SIGNING_KEY_FILE: file('signing_key'),
    TENANTSCOPE_RETIRED_KEYS: file('retired_keys'),
    TENANTSCOPE_HOST: '127.0.0.1',
  });

  return {
    services,
    database,
    redis,
    environment,
    renewDatabaseUrls: urls.renew,
    async renewKafkaPassword() {
      const password = newPassword();
      const jars = await fetchKafkaJars();
      const alter = ['--alter', '--entity-type', 'users', '--entity-name', 'tenantscope-ingest'];
      const config = ['--add-config', `SCRAM-SHA-512=[password=${password}]`];
      const tool = ['-cp', `${jars}/*`, 'kafka.admin.ConfigCommand', '--bootstrap-server', services.kafka];
      await promisify(execFile)(await findJava(), [...tool, ...alter, ...config]);
      await write('tenantscope-ingest', password);
    },
    async renewRedisPassword() {
      const next = newPassword();
      await redis.call('ACL', 'SETUSER', 'tenantscope-api', `>${next}`);
      await write('redis_password', next);
      await redis.call('ACL', 'SETUSER', 'tenantscope-api', `<${redisPassword}`);
      redisPassword = next;
    },
    readFile: files.readFile,
    write,
    /** First both authorities are trusted, then servers get certificates of the new one, then only it is. */
    async renewCertificates() {
      const next: Certificates = stack.use(await createCertificates());
      const authority = await readFile(next.caFile, 'utf8');
      await write('ca.pem', `${await readFile(certificates.caFile, 'utf8')}${authority}`);
      const folder = dirname(services.postgresService.logFile);
      for (const [to, from] of [
        ['server.key', next.server.keyFile],
        ['server.pem', next.server.certFile],
      ] as const)
        await writeFile(join(folder, to), await readFile(from));
      await redis.call('CONFIG', 'SET', 'tls-cert-file', next.server.certFile, 'tls-key-file', next.server.keyFile);
      await writeFile(certificates.keyStoreFile, await readFile(next.keyStoreFile));
      await services.kafkaService.stop();
      await services.kafkaService.restart();
      return { trustOnlyTheNew: () => write('ca.pem', authority) };
    },
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}
