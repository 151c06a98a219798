import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { apiConfig } from '@tenantscope/api/config';
import { commandConfig, migrationConfig } from '@tenantscope/cli/config';
import { consoleConfig } from '@tenantscope/console/config';
import { ingestConfig } from '@tenantscope/ingest/config';
import { jobsConfig } from '@tenantscope/jobs/config';
import { checkout } from '@tenantscope/local';
import { listVariables } from '@tenantscope/runtime';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';

// The part of the Compose file that `tenantscope cell init` adds for each further cell.

interface Service {
  readonly user?: string;
  readonly networks: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  readonly secrets?: readonly string[];
  readonly healthcheck?: unknown;
}
interface ComposeFile {
  readonly services: Readonly<Record<string, Service>>;
  readonly secrets: Readonly<Record<string, { readonly file: string }>>;
  readonly networks: Readonly<Record<string, { readonly internal?: boolean }>>;
}

const directory = join(checkout, 'infra', 'compose');
const readCompose = async (name: string, edit = (text: string) => text): Promise<ComposeFile> =>
  parse(edit(await readFile(join(directory, name), 'utf8')), { merge: true });
const base = await readCompose('compose.yml');
const { services, secrets, networks } = await readCompose('cell.yml', (text) =>
  text
    .replaceAll('TENANTSCOPE_CELL___VARIABLE___', 'TENANTSCOPE_CELL_EU1_')
    .replaceAll('__CELL__', 'eu1')
    .replaceAll('__ADDRESS__', 'postgres-eu1:5432/tenantscope')
    .replaceAll('__TOPIC_PREFIX__', 'tenantscope.eu1'),
);
const own = Object.entries(services).filter(([name]) => !(name in base.services));

const configurations = {
  api: apiConfig,
  console: consoleConfig,
  migrate: migrationConfig,
  cli: commandConfig,
  'kafka-acls-eu1': commandConfig,
  'ingest-eu1': ingestConfig,
  'jobs-eu1': jobsConfig,
} as const;

describe('the Compose file of a cell', () => {
  test('replaces every placeholder', () => {
    expect(JSON.stringify({ services, secrets })).not.toContain('__');
  });

  test.each(Object.entries(configurations))('gives %s only variables that it declares', (name, configuration) => {
    const environment = services[name]?.environment ?? {};
    const declared = new Set<string>(listVariables(configuration, { TENANTSCOPE_CELLS: 'eu1' }));
    expect(Object.keys(environment).filter((variable) => !declared.has(variable))).toEqual([]);
    expect(Object.keys(environment).length).toBeGreaterThan(1);
  });

  test('ingest and jobs differ from those of the cell default in the cell and its database alone', () => {
    for (const name of ['ingest', 'jobs']) {
      const database = `TENANTSCOPE_${name.toUpperCase()}_DATABASE_URL_FILE`;
      const first = base.services[name]?.environment ?? {};
      expect(services[`${name}-eu1`]?.environment).toEqual({
        ...first,
        TENANTSCOPE_CELL: 'eu1',
        [database]: `/run/secrets/database_${name}_eu1_url`,
        [database.replace('_DATABASE_', '_CONTROL_DATABASE_')]: first[database],
      });
    }
  });

  test.each(own)('runs %s without privileges, and mounts exactly the secrets that it reads', (name, service) => {
    expect(service.user).toMatch(/^\$\{TENANTSCOPE_USER\}$/);
    expect(service).toMatchObject({ read_only: true, cap_drop: ['ALL'] });
    expect(service).not.toHaveProperty('ports');
    const read = [...JSON.stringify(service).matchAll(/\/run\/secrets\/([\w.-]+)/g)].map(([, secret]) => secret);
    expect([...(service.secrets ?? [])].sort()).toEqual([...new Set(read)].sort());
    expect(service.healthcheck !== undefined).toBe(name !== 'kafka-acls-eu1');
    const declared = { ...base.secrets, ...secrets };
    for (const secret of service.secrets ?? []) expect(declared[secret]?.file).toBe(`./secrets/${secret}`);
  });

  test('only processes that read the cell reach its PostgreSQL, and no other host does', () => {
    expect(networks).toEqual({ 'cell-eu1': { internal: true } });
    expect(services['postgres-eu1']?.networks).toEqual(['cell-eu1']);
    const reaching = Object.entries(services).filter(([, service]) => service.networks.includes('cell-eu1'));
    expect(reaching.map(([name]) => name).sort()).toEqual(
      ['api', 'cli', 'console', 'ingest-eu1', 'jobs-eu1', 'migrate', 'postgres-eu1'].sort(),
    );
    for (const name of ['ingest-eu1', 'jobs-eu1', 'kafka-acls-eu1'])
      expect(services[name]?.networks, name).toContain('stores');
  });
});
