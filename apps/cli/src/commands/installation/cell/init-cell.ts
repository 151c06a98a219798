import { readdir, readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { cellPattern, defaultCell, nameCellVariable, topicPrefixPattern } from '@tenantscope/runtime';
import { CommandError, usageError } from '../../../command-error.ts';
import type { CommandResult } from '../../../output/command-result.ts';
import { loadCertificateAuthority } from '../certificate-authority.ts';
import { generatePassword } from '../passwords.ts';
import { databaseName, type Files, formatInitialization } from '../store-files.ts';
import { addToList, setVariable } from './env-file.ts';
import { openInstallation } from './installation-directory.ts';

export interface InitCellOptions {
  readonly directory: string;
  readonly topicPrefix: string;
  /** Address of a server that is not run by Compose. */
  readonly postgres?: string;
}

/** The same in the source tree and in the image. */
const template = new URL('../../../../../../infra/compose/cell.yml', import.meta.url);
/** Of the Compose installation, which does not set TENANTSCOPE_TOPIC_PREFIX. */
const defaultPrefix = 'tenantscope';
const serverPattern = /^(\[[0-9a-f:.]+\]|[A-Za-z0-9.-]+):\d{1,5}$/;

/**
 * Adds the files of a further cell to an installation of `init`. Secrets are generated once: a second call changes nothing, and one after an interruption
 * writes what is missing. Refuses, before it writes anything, a cell that exists with other settings.
 */
export async function initCell(name: string, options: InitCellOptions): Promise<CommandResult> {
  checkOptions(name, options);
  const directory = resolve(options.directory);
  const installation = await openInstallation(directory);
  const server = options.postgres ?? `postgres-${name}:5432`;
  const compose = await formatCompose(name, server, options);
  await refuseOtherSettings(directory, name, { compose, server, topicPrefix: options.topicPrefix });
  const urls = await moveUrls(installation.read, name, server);
  await installation.writeMissing(await generateSecrets(installation.read, name));
  await installation.write({
    ...urls,
    [`cells/${name}/initialize.sql`]: formatInitialization(
      new URL(await installation.read('secrets/database_owner_url')).password,
    ),
    [`cells/${name}.yml`]: compose,
  });
  if (options.postgres === undefined) {
    await installation.createDirectory(join('data', `postgres-${name}`));
    await trustOwnAuthority(installation);
  }
  const composeFiles = await listComposeFiles(directory);
  await installation.write({ '.env': nameCell(await installation.read('.env'), name, { ...options, composeFiles }) });
  await installation.giveToOwner();
  return {
    document: { directory, cell: name, database: `${server}/${databaseName}`, topicPrefix: options.topicPrefix },
    text: describeNextSteps(name, server, options),
  };
}

function checkOptions(name: string, { topicPrefix, postgres }: InitCellOptions): void {
  if (!cellPattern.test(name)) throw usageError('the name of a cell consists of a-z, 0-9 and hyphens, 32 at most');
  if (name === defaultCell) throw usageError(`the cell ${defaultCell} is that of "tenantscope init"`);
  if (!topicPrefixPattern.test(topicPrefix))
    throw usageError('--topic-prefix must consist of alphanumeric characters, dots, hyphens and underscores');
  if (topicPrefix === defaultPrefix)
    throw usageError(`--topic-prefix ${topicPrefix} is that of the cell ${defaultCell}`);
  if (postgres !== undefined && !serverPattern.test(postgres)) throw usageError('--postgres must be host:port');
}

async function formatCompose(name: string, server: string, { topicPrefix }: InitCellOptions): Promise<string> {
  const text = await readFile(template, 'utf8');
  return text
    .replaceAll('TENANTSCOPE_CELL___VARIABLE___', nameCellVariable(name, 'TENANTSCOPE_CELL_'))
    .replaceAll('__ADDRESS__', `${server}/${databaseName}`)
    .replaceAll('__TOPIC_PREFIX__', topicPrefix)
    .replaceAll('__CELL__', name);
}

async function refuseOtherSettings(
  directory: string,
  name: string,
  { compose, server, topicPrefix }: { compose: string; server: string; topicPrefix: string },
): Promise<void> {
  const entries = await readdir(join(directory, 'cells')).catch(() => []);
  for (const file of entries.filter((entry) => entry.endsWith('.yml'))) {
    const path = join(directory, 'cells', file);
    const text = await readFile(path, 'utf8');
    if (file === `${name}.yml` && text !== compose)
      throw new CommandError(
        `${path} has other settings: another --topic-prefix or --postgres, another version, or it was edited. Nothing was changed. Remove it to have it written again; secrets stay.`,
      );
    if (file === `${name}.yml`) continue;
    const lines = text.split('\n');
    for (const [option, ending] of [
      [`--topic-prefix ${topicPrefix}`, `_TOPIC_PREFIX: ${topicPrefix}`],
      [`--postgres ${server}`, `_DATABASE: ${server}/${databaseName}`],
    ] as const)
      if (lines.some((line) => line.endsWith(ending)))
        throw new CommandError(`${option} is that of the cell ${file.replace(/\.yml$/, '')}. Nothing was changed.`);
  }
}

/** The logins have one password in all cells. */
async function moveUrls(read: (path: string) => Promise<string>, name: string, server: string): Promise<Files> {
  const files: Record<string, string> = {};
  for (const login of ['ingest', 'jobs']) {
    const url = new URL(await read(`secrets/database_${login}_url`));
    if (url.host === server)
      throw usageError(`--postgres ${server} is the server of another cell, default: a cell has a server of its own`);
    files[`secrets/database_${login}_${name}_url`] = Object.assign(url, { host: server }).href;
  }
  return files;
}

async function generateSecrets(read: (path: string) => Promise<string>, name: string): Promise<Files> {
  const authority = await loadCertificateAuthority({
    certificate: await read('secrets/ca.pem'),
    key: await read('authority/ca.key'),
  });
  const { certificate, key } = await authority.issue([`postgres-${name}`, 'localhost']);
  return {
    [`secrets/postgres_${name}_password`]: generatePassword(),
    // Together: a certificate without its key is of no use.
    [`secrets/postgres_${name}.pem`]: certificate,
    [`secrets/postgres_${name}.key`]: key,
  };
}

/** The server in a container has a certificate of the installation, also where that of the cell default has one of another authority. */
async function trustOwnAuthority({
  read,
  write,
}: Pick<Awaited<ReturnType<typeof openInstallation>>, 'read' | 'write'>): Promise<void> {
  const [trusted, own] = [await read('secrets/postgres_ca.pem'), await read('secrets/ca.pem')];
  if (!trusted.includes(own.trim())) await write({ 'secrets/postgres_ca.pem': `${trusted.trimEnd()}\n${own}` });
}

/** Those that Compose reads without COMPOSE_FILE: with it, an override counts only where it is named. */
async function listComposeFiles(directory: string): Promise<string> {
  const present = await readdir(directory);
  return [
    'compose.yml',
    ...['compose.override.yml', 'compose.override.yaml'].filter((file) => present.includes(file)),
  ].join(':');
}

function nameCell(
  settings: string,
  name: string,
  { postgres, composeFiles }: InitCellOptions & { readonly composeFiles: string },
): string {
  let text = addToList(settings, 'TENANTSCOPE_CELLS', name, { separator: ',' });
  text = addToList(text, 'COMPOSE_FILE', `cells/${name}.yml`, { separator: ':', preset: composeFiles });
  return postgres === undefined
    ? addToList(text, 'COMPOSE_PROFILES', `postgres-${name}`, { separator: ',' })
    : setVariable(text, 'STORES_INTERNAL', 'false');
}

function describeNextSteps(name: string, server: string, { topicPrefix, postgres }: InitCellOptions): string {
  const own =
    postgres === undefined
      ? []
      : [
          'Before the start:',
          '  docker compose down, since the network of the containers gets a route to other hosts',
          `  PostgreSQL ${server}: run cells/${name}/initialize.sql as a superuser; add its authority to secrets/postgres_ca.pem`,
          '',
        ];
  return [
    `Cell ${name} written: cells/${name}.yml and secrets of its own. .env names it.`,
    '',
    ...own,
    'Start it, in that directory; the migration creates and migrates it first:',
    '  docker compose up --detach',
    '  docker compose run --rm cli cell list',
    '',
    'Create tenants in it, or move one to it:',
    `  docker compose run --rm cli tenant create --name "Example Ltd" --org ORGANIZATION --cell ${name}`,
    `  docker compose run --rm --no-deps migrate tenant move --tenant TENANT --cell ${name} --yes`,
    '',
    `Its producers write to the topics ${topicPrefix}.*`,
  ].join('\n');
}
