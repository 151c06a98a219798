// @module-tag helm
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { apiConfig } from '@tenantscope/api/config';
import { commandConfig, migrationConfig } from '@tenantscope/cli/config';
import { collectConfig } from '@tenantscope/collect/config';
import { consoleConfig } from '@tenantscope/console/config';
import { readVersion } from '@tenantscope/image';
import { ingestConfig } from '@tenantscope/ingest/config';
import { jobsConfig } from '@tenantscope/jobs/config';
import {
  describeVariables,
  listVariables,
  readCells,
  readConfig,
  readKafkaClusters,
  readKafkaConnection,
  readRedisConnection,
} from '@tenantscope/runtime';
import { beforeAll, describe, expect, test } from 'vitest';
import { mayBuildPrograms } from './go-programs.ts';
import { provideHelm } from './helm.ts';
import { type InitializedFiles, initializeFiles, mountSecrets, readDocumentedSecrets } from './installation-secrets.ts';
import {
  chart,
  installations,
  isSelected,
  type KubernetesObject,
  listPods,
  type RenderedPod,
  renderChart,
  runHelm,
  type Specification,
} from './rendered-chart.ts';
import { findSchemaErrors } from './schema-validation.ts';

// What each values file renders, as Kubernetes and the processes read it.

const provided = await provideHelm({ build: mayBuildPrograms });
const helm = 'missing' in provided ? '' : provided.helm;
if (helm === '') console.log(`skipped: ${'missing' in provided ? provided.missing : ''}`);

const configurations = {
  api: apiConfig,
  ingest: ingestConfig,
  jobs: jobsConfig,
  console: consoleConfig,
  collect: collectConfig,
  migrate: migrationConfig,
  cli: commandConfig,
} as const;
const configurationOf = (pod: RenderedPod) => configurations[pod.name as keyof typeof configurations];

/** Of processes that read several cells. */
const databases = {
  api: 'TENANTSCOPE_API_DATABASE_URL',
  console: 'TENANTSCOPE_CONSOLE_DATABASE_URL',
  migrate: 'TENANTSCOPE_OWNER_DATABASE_URL',
  cli: 'TENANTSCOPE_ADMIN_DATABASE_URL',
} as const;

describe.skipIf(helm === '').each(installations)('the chart with the values %s', (name, args) => {
  let objects: readonly KubernetesObject[];
  let pods: readonly RenderedPod[];
  const ofKind = (kind: string) => objects.filter((object) => object.kind === kind);
  beforeAll(async () => {
    objects = await renderChart(helm, args);
    pods = listPods(objects);
  });

  test('the linter has no finding', async () => {
    expect(await runHelm(helm, ['lint', '--strict', chart, ...args])).toContain('0 chart(s) failed');
  });

  test('the schemas of Kubernetes accept every object, strictly', { timeout: 400_000 }, async (context) => {
    const errors = await findSchemaErrors(objects);
    if ('missing' in errors) return context.skip(errors.missing);
    expect(errors.found).toEqual([]);
  });

  test('it has the processes that values name, in the namespace of the release', () => {
    const withCollect = name === 'external-stores' || name === 'everything';
    const ofCells = name === 'cells' ? ['ingest-eu1', 'ingest-us-east', 'jobs-eu1', 'jobs-us-east'] : [];
    const processes = ['api', 'ingest', 'jobs', 'console', ...(withCollect ? ['collect'] : []), 'cli', 'migrate'];
    expect(pods.map(({ component }) => component).sort()).toEqual([...processes, ...ofCells].sort());
    for (const { kind, metadata } of objects) expect(metadata.namespace, `${kind} ${metadata.name}`).toBe('security');
    const names = objects.map(({ kind, metadata }) => `${kind} ${metadata.name}`);
    expect(new Set(names).size).toBe(names.length);
  });

  test('every container satisfies the standard "restricted"', () => {
    for (const { spec, container, name: process } of pods) {
      expect(spec.securityContext, process).toMatchObject({
        runAsNonRoot: true,
        seccompProfile: { type: 'RuntimeDefault' },
      });
      expect(spec.securityContext.runAsUser, process).toBe(name === 'everything' ? undefined : 65_532);
      expect(container.securityContext, process).toEqual({
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      });
      expect(spec, process).toMatchObject({ automountServiceAccountToken: false, enableServiceLinks: false });
      expect([spec.hostNetwork, spec.hostPID, spec.hostIPC], process).toEqual([undefined, undefined, undefined]);
      for (const { name: volume, ...source } of spec.volumes)
        expect(['projected', 'secret', 'emptyDir'], volume).toContain(Object.keys(source)[0]);
      expect(container.resources.limits.memory, process).toMatch(/^\d+[GM]i$/);
      expect(container.resources.requests.cpu, process).toBeDefined();
    }
  });

  test('every variable is declared by its process and given once', () => {
    for (const pod of pods) {
      const given = Object.keys(pod.variables).filter((variable) => variable.startsWith('TENANTSCOPE_'));
      const declared = listVariables(configurationOf(pod), pod.variables);
      expect(
        given.filter((variable) => !declared.includes(variable)),
        pod.name,
      ).toEqual([]);
      expect(pod.container.env.length, pod.name).toBe(Object.keys(pod.variables).length);
      expect(pod.container.envFrom, pod.name).toBeUndefined();
    }
  });

  test('every secret is a mounted file, and a pod mounts no other', () => {
    for (const { name: process, spec, container, variables } of pods) {
      const shape = configurations[process as keyof typeof configurations];
      for (const { name: variable, isSecret } of describeVariables(shape))
        if (isSecret) expect(variables[variable], variable).toBeUndefined();
      const { mountPath } = container.volumeMounts.find((mount: Specification) => mount.name === 'secrets');
      const { projected } = spec.volumes.find((volume: Specification) => volume.name === 'secrets');
      const mounted = projected.sources.flatMap(({ secret, ...others }: Specification) => {
        expect(others, process).toEqual({});
        return secret.items.map(({ path }: Specification) => `${mountPath}/${path}`);
      });
      const named = Object.values(variables).filter((value) => value.startsWith('/run/'));
      expect(mounted.toSorted(), process).toEqual(named.toSorted());
      expect(projected.defaultMode, process).toBe(0o440);
    }
  });

  test('the configuration of each process accepts its variables and the Secrets of the page', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'tenantscope-mounts-'));
    const documented = await readDocumentedSecrets();
    const files: InitializedFiles = await initializeFiles();
    try {
      for (const pod of pods) {
        const environment = await mountSecrets(pod, join(directory, pod.component), documented, files);
        const config: Specification = readConfig(configurationOf(pod), environment);
        if (config.TENANTSCOPE_REDIS_URL) readRedisConnection(config);
        if (config.TENANTSCOPE_KAFKA_BROKERS) readKafkaConnection(config, environment);
        if (config.TENANTSCOPE_KAFKA_CLUSTERS) readKafkaClusters(config, environment);
        const url = databases[pod.name as keyof typeof databases];
        if (url) expect(readCells(config, config[url], environment).length).toBe(name === 'cells' ? 2 : 0);
      }
    } finally {
      await files[Symbol.asyncDispose]();
      await rm(directory, { recursive: true, force: true });
    }
  });

  test('every pod has the image of the product, by version or digest', async () => {
    const images = new Set(pods.map(({ container }) => container.image));
    const version = await readVersion();
    const expected = {
      'air-gapped': `registry.internal.example/tenantscope:${version}`,
      everything: `r.example/a/tenantscope@sha256:${'0'.repeat(64)}`,
    }[name];
    expect([...images]).toEqual([expected ?? `tenantscope:${version}`]);
    for (const { container } of pods)
      expect(container.imagePullPolicy).toBe(name === 'air-gapped' ? 'Never' : 'IfNotPresent');
  });

  test('every process is probed on its health port and has 45 s to finish', () => {
    for (const { name: process, kind, spec, container } of pods) {
      expect(spec.terminationGracePeriodSeconds, process).toBe(45);
      const isServer = kind === 'Deployment' && process !== 'cli';
      const probes = [container.startupProbe, container.livenessProbe, container.readinessProbe];
      if (!isServer) {
        expect([...probes, container.ports], process).toEqual([undefined, undefined, undefined, undefined]);
        continue;
      }
      const paths = ['/livez', '/livez', '/readyz'];
      expect(
        probes.map(({ httpGet }) => httpGet),
        process,
      ).toEqual(paths.map((path) => ({ path, port: 'health' })));
      const ports = describeVariables(configurations[process as keyof typeof configurations]);
      const health = ports.find((variable) => variable.name === 'TENANTSCOPE_HEALTH_PORT')?.preset;
      expect(container.ports, process).toContainEqual({ name: 'health', containerPort: Number(health) });
    }
  });

  test('every Deployment is spread and has a budget that never blocks a drain', () => {
    const budgets = ofKind('PodDisruptionBudget');
    for (const { spec, metadata } of ofKind('Deployment')) {
      const { labels } = spec.template.metadata;
      expect(isSelected(labels, spec.selector), metadata.name).toBe(true);
      const matching = budgets.filter((budget) => isSelected(labels, budget.spec.selector));
      const isCli = metadata.name.endsWith('-cli');
      expect(
        matching.map((budget) => budget.spec.maxUnavailable),
        metadata.name,
      ).toEqual(isCli ? [] : [1]);
      const spread = spec.template.spec.topologySpreadConstraints ?? [];
      expect(spread.length, metadata.name).toBe(name === 'single' ? 0 : 2);
      for (const { labelSelector } of spread) expect(isSelected(labels, labelSelector)).toBe(true);
    }
  });

  test('the migration precedes everything, fails the release and is deleted before the next one', () => {
    const [job, ...others] = ofKind('Job');
    expect(others).toEqual([]);
    expect(job?.metadata.annotations).toEqual({
      'helm.sh/hook': 'pre-install,pre-upgrade',
      'helm.sh/hook-weight': '0',
      'helm.sh/hook-delete-policy': 'before-hook-creation',
    });
    expect(job?.spec).toMatchObject({ backoffLimit: 0, template: { spec: { restartPolicy: 'Never' } } });
    expect(job?.spec.template.spec.containers[0].args).toEqual([
      'migrate',
      '--wait',
      name === 'everything' ? '5' : '120',
    ]);
    // A policy of the namespace could otherwise deny its connections: the release's own policies are created after it.
    const hooks = objects.filter(({ kind, metadata }) => kind !== 'Job' && metadata.annotations?.['helm.sh/hook']);
    expect(hooks.map(({ kind, metadata }) => `${kind} ${metadata.name}`)).toEqual([
      'NetworkPolicy tenantscope-migrate',
    ]);
    expect(Number(hooks[0]?.metadata.annotations?.['helm.sh/hook-weight'])).toBeLessThan(0);
  });

  test('a restore is finished after the migration of the upgrade that requests it, by the same pod', async () => {
    const flagged = await renderChart(helm, [...args, '--set', 'migrate.finishRestore=true']);
    const jobs = flagged.filter(({ kind }) => kind === 'Job');
    const [migration, restore] = jobs;
    expect(jobs.map(({ metadata }) => [metadata.name, metadata.annotations?.['helm.sh/hook-weight']])).toEqual([
      ['tenantscope-migrate', '0'],
      ['tenantscope-restore', '5'],
    ]);
    expect(restore?.spec.template.spec.containers[0].args).toEqual(['restore', 'finish']);
    const withoutArguments = (job?: KubernetesObject) => ({
      ...job?.spec.template,
      spec: { ...job?.spec.template.spec, containers: [{ ...job?.spec.template.spec.containers[0], args: [] }] },
    });
    expect(withoutArguments(restore)).toEqual(withoutArguments(migration));
    expect(flagged.length).toBe(objects.length + 1);
  });

  test('every pod has a policy for both directions, and connections are named', () => {
    const policies = ofKind('NetworkPolicy');
    for (const pod of pods) {
      const own = policies.filter(({ spec }) => isSelected(pod.labels, spec.podSelector));
      expect(own.map(({ metadata }) => metadata.name).sort(), pod.name).toEqual(
        ['tenantscope-deny', `tenantscope-${pod.component}`].sort(),
      );
      for (const { spec } of own) expect(spec.policyTypes).toEqual(['Ingress', 'Egress']);
      const egress = own.flatMap(({ spec }) => spec.egress ?? []);
      const ports = egress.flatMap((rule: Specification) => rule.ports.map(({ port }: Specification) => port));
      expect(ports.toSorted(), pod.name).toEqual(listExpectedPorts(name, pod).toSorted());
      for (const rule of own.flatMap(({ spec }) => spec.ingress ?? [])) {
        // Without sources a rule would allow all.
        expect(rule.from?.length, pod.name).toBeGreaterThan(0);
        expect(rule.ports?.length, pod.name).toBe(1);
      }
      if (name === 'air-gapped')
        for (const rule of egress) {
          expect(rule.to?.length, pod.name).toBeGreaterThan(0);
          expect(JSON.stringify(rule.to), pod.name).not.toContain('ipBlock');
        }
    }
  });

  test('Services and Ingresses reach the pods that serve', () => {
    const services = ofKind('Service');
    for (const { spec, metadata } of services)
      for (const { targetPort } of spec.ports) {
        const selected = pods.filter(({ labels }) => isSelected(labels, { matchLabels: spec.selector }));
        const serving = selected.filter(({ container }) =>
          container.ports?.some((port: Specification) => port.name === targetPort),
        );
        const processes = pods.filter((pod) => pod.kind === 'Deployment' && pod.name !== 'cli').length;
        expect(serving.length, metadata.name).toBe(metadata.name === 'tenantscope-metrics' ? processes : 1);
      }
    const rules = ofKind('Ingress').flatMap(({ spec }) => spec.rules);
    const isEnabled = name === 'high-availability' || name === 'everything';
    expect(rules.map(({ host }) => host)).toEqual(isEnabled ? ['api.example.com', 'console.example.com'] : []);
    for (const { http } of rules)
      for (const { backend } of http.paths)
        expect(services.map(({ metadata }) => metadata.name)).toContain(backend.service.name);
    const url = new URL(pods.find((pod) => pod.name === 'console')?.variables.TENANTSCOPE_CONSOLE_API_URL ?? '');
    const api = services.find(({ metadata }) => metadata.name === url.hostname);
    expect(api?.spec.ports.map(({ port }: Specification) => String(port))).toEqual([url.port]);
  });
});

/** The ports that a pod may connect to: those of the DNS, of its stores and of what its variables name. */
function listExpectedPorts(name: string, { name: process, component, variables }: RenderedPod): readonly number[] {
  const declared = Object.keys(configurations[process as keyof typeof configurations].shape);
  const isExternal = name === 'external-stores' || name === 'everything';
  return [
    ...[53, 53, 5432],
    // Its own cell, or all of them.
    ...(component === process ? (variables.TENANTSCOPE_CELLS?.split(',') ?? []).map(() => 5432) : [5432]),
    ...(declared.includes('TENANTSCOPE_KAFKA_BROKERS') ? [isExternal ? 9094 : 9093] : []),
    ...(declared.includes('TENANTSCOPE_REDIS_URL') ? [6379] : []),
    ...(process === 'console' || process === 'cli' ? [8080] : []),
    ...(process === 'collect' ? [443] : []),
    ...(variables.TENANTSCOPE_KAFKA_SASL_OAUTH_TOKEN_URL ? [443] : []),
    ...(variables.TENANTSCOPE_CONSOLE_OIDC_ISSUER ? [443] : []),
    ...(variables.TENANTSCOPE_TRACES_URL ? [4318] : []),
  ];
}

test.skipIf(helm === '')('the API and the console may have one host', async () => {
  const readPaths = async (consoleUrl: string) => {
    const urls = `ingress.enabled=true,env.TENANTSCOPE_CONSOLE_URL=${consoleUrl}`;
    const objects = await renderChart(helm, [...(installations[0]?.[1] ?? []), '--set', urls]);
    const rules = objects.filter(({ kind }) => kind === 'Ingress').flatMap(({ spec }) => spec.rules as Specification[]);
    return rules.map(({ host, http }) => `${host}${http.paths[0].path} ${http.paths[0].backend.service.name}`).sort();
  };
  expect(await readPaths('https://api.example.com')).toEqual([
    'api.example.com/ tenantscope-console',
    'api.example.com/api/v1 tenantscope-api',
  ]);
  expect(await readPaths('https://console.example.com')).toEqual([
    'api.example.com/ tenantscope-api',
    'console.example.com/ tenantscope-console',
  ]);
});

test.skipIf(helm === '')('an API that serves requests for longer after SIGTERM has longer to end', async () => {
  const readSeconds = async (drainMs: number) => {
    const values = [...(installations[0]?.[1] ?? []), '--set', `api.env.TENANTSCOPE_DRAIN_MS=${drainMs}`];
    const pods = listPods(await renderChart(helm, values));
    return Object.fromEntries(pods.map(({ name, spec }) => [name, spec.terminationGracePeriodSeconds]));
  };
  expect(await readSeconds(0)).toMatchObject({ api: 45, ingest: 45, migrate: 45 });
  expect(await readSeconds(30_500)).toMatchObject({ api: 71, ingest: 45, migrate: 45 });
});
