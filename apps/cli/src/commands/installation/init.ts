import { randomBytes } from 'node:crypto';
import { chmod, chown, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { productVersion } from '@tenantscope/contract';
import { generateSigningKey } from '@tenantscope/proof';
import { CommandError } from '../../command-error.ts';
import type { CommandResult } from '../../output/command-result.ts';
import { createCertificateAuthority } from './certificate-authority.ts';
import type { InitOptions } from './init-options.ts';
import { describeNextSteps } from './next-steps.ts';
import { databaseLogins, generatePassword, generatePasswords, type Passwords } from './passwords.ts';
import { databaseName, type Files, kafkaFiles, postgresFiles, redisFiles } from './store-files.ts';

const storeNames = ['postgres', 'kafka', 'redis'] as const;

/** The user of the image. */
const unprivilegedId = 65_532;

/** The same in the source tree and in the image. */
const composeFile = new URL('../../../../../infra/compose/compose.yml', import.meta.url);
/** Ten years: a certificate that expires stops an installation, and these leave no host. */
const certificateDays = 3_650;

/**
 * Writes `compose.yml`, `.env`, configuration of the stores and generated secrets. Refuses a directory that has files: the secrets of an installation
 * exist once.
 */
export async function initInstallation(options: InitOptions): Promise<CommandResult> {
  const directory = resolve(options.directory);
  const owner = chooseOwner();
  await prepareDirectory(directory);
  const files: Files = {
    'compose.yml': await readFile(composeFile, 'utf8'),
    '.env': formatEnvironment(options, owner),
    ...(await createSecrets(options)),
  };
  for (const [path, content] of Object.entries(files)) await writePrivate(join(directory, path), content);
  // Bind mounts of containers that run as this user: one that is missing would be created by Docker, as root.
  const stores = storeNames.filter((store) => options[store] === undefined).map((store) => join('data', store));
  for (const mount of [...stores, 'collectors']) await mkdir(join(directory, mount), { recursive: true, mode: 0o700 });
  await changeOwner(directory, owner);
  return { document: { directory, files: Object.keys(files).sort() }, text: describeNextSteps(directory, options) };
}

interface Owner {
  readonly uid: number;
  readonly gid: number;
}

/** The user of the containers, who owns the files: this one, but never root, as which PostgreSQL refuses to run. */
function chooseOwner(): Owner {
  const uid = process.getuid?.() ?? 0;
  return uid === 0 ? { uid: unprivilegedId, gid: unprivilegedId } : { uid, gid: process.getgid?.() ?? uid };
}

async function changeOwner(directory: string, { uid, gid }: Owner): Promise<void> {
  for (const entry of await readdir(directory, { recursive: true })) await chown(join(directory, entry), uid, gid);
  await chown(directory, uid, gid);
}

async function prepareDirectory(directory: string): Promise<void> {
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const present = await readdir(directory);
  if (present.length > 0)
    throw new CommandError(
      `${directory} is not empty (it contains ${present[0]}). Use a new directory: an installation's secrets are generated once.`,
    );
}

function formatEnvironment(options: InitOptions, owner: Owner): string {
  const { image = `tenantscope:${productVersion}`, bind, publicUrl, consoleUrl } = options;
  const profiles = storeNames.filter((store) => options[store] === undefined);
  const variables = {
    COMPOSE_PROJECT_NAME: 'tenantscope',
    COMPOSE_PROFILES: profiles.join(','),
    TENANTSCOPE_IMAGE: image,
    TENANTSCOPE_USER: `${owner.uid}:${owner.gid}`,
    TENANTSCOPE_BIND: bind,
    API_PORT: '8080',
    CONSOLE_PORT: '8090',
    TENANTSCOPE_PUBLIC_URL: publicUrl,
    TENANTSCOPE_CONSOLE_URL: consoleUrl,
    KAFKA_BROKERS: options.kafka ?? 'kafka:9093',
    // An internal network has no route to other hosts.
    ...(profiles.length < storeNames.length ? { STORES_INTERNAL: 'false' } : {}),
  };
  return Object.entries(variables)
    .map(([name, value]) => `${name}=${value}\n`)
    .join('');
}

async function createSecrets(options: InitOptions): Promise<Files> {
  const authority = await createCertificateAuthority(certificateDays);
  const passwords = generatePasswords();
  const [postgres, kafka, redis] = await Promise.all(storeNames.map((store) => authority.issue([store, 'localhost'])));
  return {
    ...databaseUrls(passwords, options.postgres ?? 'postgres:5432'),
    ...postgresFiles(passwords),
    ...redisFiles(passwords, options.redis ?? 'redis:6379'),
    ...kafkaFiles(passwords, randomBytes(16).toString('base64url')),
    'secrets/cursor_secrets': generatePassword(),
    // Not a secret: public keys that signed before.
    'api/retired_keys.json': '{"keys":[]}\n',
    'secrets/console_secret': generatePassword(),
    'secrets/signing_key': await generateSigningKey(),
    // The key of the authority stays on this host; no container has it.
    'authority/ca.key': authority.key,
    ...Object.fromEntries(
      ['ca', ...storeNames.map((store) => `${store}_ca`)].map((name) => [`secrets/${name}.pem`, authority.certificate]),
    ),
    'secrets/postgres.pem': postgres?.certificate ?? '',
    'secrets/postgres.key': postgres?.key ?? '',
    'secrets/redis.pem': redis?.certificate ?? '',
    'secrets/redis.key': redis?.key ?? '',
    'secrets/kafka.pem': `${kafka?.key}${kafka?.certificate}`,
  };
}

function databaseUrls({ postgres }: Passwords, address: string): Files {
  return Object.fromEntries(
    (['owner', ...databaseLogins] as const).map((login) => [
      `secrets/database_${login}_url`,
      `postgres://tenantscope_${login}:${postgres[login]}@${address}/${databaseName}`,
    ]),
  );
}

async function writePrivate(file: string, content: string): Promise<void> {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  await writeFile(file, content, { mode: 0o600, flag: 'wx' });
  // Not masked: containers execute it by name.
  if (file.endsWith('.sh')) await chmod(file, 0o700);
}
