import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { apiConfig } from '@tenantscope/api/config';
import { commandConfig, migrationConfig } from '@tenantscope/cli/config';
import { collectConfig } from '@tenantscope/collect/config';
import { consoleConfig } from '@tenantscope/console/config';
import { ingestConfig } from '@tenantscope/ingest/config';
import { jobsConfig } from '@tenantscope/jobs/config';
import { checkout } from '@tenantscope/local';
import { describeVariables, listVariables } from '@tenantscope/runtime';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';

interface Service {
  readonly image: string;
  readonly user?: string;
  readonly read_only?: boolean;
  readonly cap_drop?: readonly string[];
  readonly security_opt?: readonly string[];
  readonly ports?: readonly string[];
  readonly networks: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly secrets?: readonly string[];
  readonly healthcheck?: unknown;
  readonly stop_grace_period?: string;
}

const compose = parse(await readFile(join(checkout, 'infra', 'compose', 'compose.yml'), 'utf8'), { merge: true }) as {
  services: Record<string, Service>;
  secrets: Record<string, { file: string }>;
  networks: Record<string, { internal?: string }>;
};
const services = Object.entries(compose.services);

const configurations = {
  api: apiConfig,
  ingest: ingestConfig,
  jobs: jobsConfig,
  console: consoleConfig,
  collect: collectConfig,
  migrate: migrationConfig,
  'kafka-acls': commandConfig,
  cli: commandConfig,
} as const;

describe('the Compose file', () => {
  test.each(Object.entries(configurations))('gives %s only variables that it declares', (name, configuration) => {
    const declared = new Set<string>(listVariables(configuration, {}));
    const given = Object.keys(compose.services[name]?.environment ?? {});
    expect(given.length).toBeGreaterThan(0);
    expect(given.filter((variable) => !declared.has(variable))).toEqual([]);
  });

  test.each(['canary.md', 'traces.md'])('is extended by the override of %s with secrets in files', async (page) => {
    const text = await readFile(join(checkout, 'docs', 'operations', page), 'utf8');
    const [, block = ''] = /```yaml compose\.override\.yml\n(.*?)```/s.exec(text) ?? [];
    const override = parse(block) as Pick<typeof compose, 'services' | 'secrets'>;
    for (const [name, { environment = {}, secrets = [] }] of Object.entries(override.services)) {
      const configuration = configurations[name as keyof typeof configurations];
      const plain = describeVariables(configuration).flatMap((each) => (each.isSecret ? [] : [each.name]));
      const files = secrets.map((secret) => `/run/secrets/${secret}`);
      for (const [variable, value] of Object.entries(environment)) {
        if (variable.endsWith('_FILE')) expect(files, variable).toContain(value);
        else expect(plain, name).toContain(variable);
      }
      for (const secret of secrets) expect(override.secrets[secret]?.file).toBe(`./secrets/${secret}`);
    }
  });

  test.each([
    ['api', 80],
    ['console', 80],
    ['ingest', 20],
    ['jobs', 20],
    ['collect', 20],
  ])('gives %s longer than the %i s after which it ends at the latest', (name, seconds) => {
    expect(Number.parseInt(compose.services[name]?.stop_grace_period ?? '', 10)).toBeGreaterThan(seconds);
  });

  test.each(services)('runs %s without privileges', (_, service) => {
    expect(service.user).toMatch(/^\$\{TENANTSCOPE_USER\}$/);
    expect(service).toMatchObject({ read_only: true, cap_drop: ['ALL'] });
    expect(service.security_opt).toContain('no-new-privileges:true');
  });

  test('publishes the API and the console alone, at the chosen address', () => {
    for (const [name, { ports = [], networks }] of services) {
      expect(ports.length > 0, name).toBe(name === 'api' || name === 'console');
      for (const port of ports) expect(port).toMatch(/^\$\{TENANTSCOPE_BIND\}:/);
      // The collector is the only other one that reaches networks outside.
      expect(networks.includes('published'), name).toBe(['api', 'console', 'collect'].includes(name));
    }
    // biome-ignore lint/suspicious/noTemplateCurlyInString: a variable of Compose
    expect(compose.networks.stores?.internal).toBe('${STORES_INTERNAL:-true}');
  });

  test('mounts exactly the secrets that each container reads', () => {
    for (const [name, service] of services) {
      const text = JSON.stringify(service);
      const read = new Set([...text.matchAll(/\/run\/secrets\/([\w.]+)/g)].map(([, secret]) => secret as string));
      // Named in files that are mounted.
      if (name === 'kafka') for (const secret of ['kafka_users', 'kafka.pem', 'ca.pem']) read.add(secret);
      if (name === 'redis')
        for (const secret of ['redis.pem', 'redis.key', 'ca.pem', 'redis_operator']) read.add(secret);
      expect([...(service.secrets ?? [])].sort(), name).toEqual([...read].sort());
    }
    const used = new Set(services.flatMap(([, { secrets = [] }]) => secrets));
    expect(Object.keys(compose.secrets).sort()).toEqual([...used].sort());
    for (const [name, { file }] of Object.entries(compose.secrets)) expect(file).toBe(`./secrets/${name}`);
  });

  test('checks the health of every long-running container', () => {
    for (const [name, { healthcheck }] of services)
      expect(healthcheck !== undefined, name).toBe(!['kafka-acls', 'migrate', 'cli'].includes(name));
  });
});

test('both Dockerfiles give the same image', async () => {
  const read = (name: string) => readFile(join(checkout, 'infra', 'image', name), 'utf8');
  const local = (await read('Dockerfile')).slice((await read('Dockerfile')).indexOf('FROM scratch'));
  const registry = (await read('Dockerfile.registry')).replaceAll('COPY --from=build /image/', 'COPY ');
  expect(registry.slice(registry.indexOf('FROM scratch'))).toBe(local);
});
