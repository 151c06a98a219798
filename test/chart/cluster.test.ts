// @module-tag kubernetes
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Cluster, provideKubernetes, startCluster } from './cluster.ts';
import { type ClusterSession, createPod, migrate, openSession, readCommands, readPage } from './cluster-session.ts';
import { mayBuildPrograms } from './go-programs.ts';
import { provideHelm } from './helm.ts';
import {
  type InitializedFiles,
  initDocumentedCell,
  initializeFiles,
  readBlock,
  readDocumentedSecrets,
} from './installation-secrets.ts';
import { installations, type KubernetesObject, type Specification } from './rendered-chart.ts';

// docs/operations/kubernetes.md, word by word, against an API server that enforces the standard "restricted".

const helm = mayBuildPrograms ? await provideHelm({ build: true }) : { missing: 'only in npm run torture' };
const kubernetes = mayBuildPrograms ? await provideKubernetes({ build: true }) : { missing: 'only in npm run torture' };

/** Kinds of the Prometheus operator, with any content. */
const definitions = ['ServiceMonitor', 'PrometheusRule'].map((kind) => {
  const plural = `${kind.toLowerCase()}s`;
  const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.monitoring.coreos.com` },
    spec: {
      group: 'monitoring.coreos.com',
      scope: 'Namespaced',
      names: { kind, plural, singular: kind.toLowerCase(), listKind: `${kind}List` },
      versions: [{ name: 'v1', served: true, storage: true, schema }],
    },
  };
});

describe.skipIf('missing' in helm || 'missing' in kubernetes)('an installation in a cluster', () => {
  let cluster: Cluster;
  let session: ClusterSession;
  let files: InitializedFiles;
  const images = async () => {
    const { items } = await session.read('deployments');
    return new Set(items.map(({ spec }: Specification) => spec.template.spec.containers[0].image));
  };
  const edit = async (tag: string) => {
    const file = join(session.directory, 'my-values.yaml');
    const values = (await readFile(file, 'utf8')).replace(/\nimage: .*\n/, '\n');
    await writeFile(file, `${values}\nimage: { tag: ${tag} }\n`);
  };
  const history = async () => {
    const list = JSON.parse(await session.succeed('helm history tenantscope --output json'));
    return list.map(({ status }: { status: string }) => status);
  };

  beforeAll(async () => {
    if ('missing' in helm || 'missing' in kubernetes) return;
    cluster = await startCluster(kubernetes.directory);
    session = await openSession(cluster, helm.helm);
    files = await initializeFiles();
    const objects = definitions.map((each) => JSON.stringify(each)).join('\n');
    await session.succeed('kubectl create --filename=-', objects);
    // Of the values "everything".
    await session.succeed('kubectl create priorityclass high --value=1000');
    await session.succeed('kubectl wait --for=condition=Established --timeout=60s crd --all');
  });
  afterAll(async () => {
    await files?.[Symbol.asyncDispose]();
    await session?.[Symbol.asyncDispose]();
    await cluster?.[Symbol.asyncDispose]();
  });

  test('the commands of the page create a restricted namespace and its Secrets', async () => {
    await session.succeed(await readCommands('Installation with Helm'));
    await session.succeed(await readCommands('Namespace'));
    // The controller of service accounts would create it.
    await session.succeed('kubectl create serviceaccount default');
    const secrets = (await readDocumentedSecrets()).keys().toArray();
    await session.succeed(
      `ln -s ${files.directory} tenantscope; cd tenantscope; ${await readCommands('Secrets', 'create secret')}`,
    );
    const { items } = await session.read('secrets');
    expect(items.map(({ metadata }: KubernetesObject) => metadata.name).sort()).toEqual(secrets.sort());
  });

  test('the API server refuses an unrestricted pod and a misspelt member', async () => {
    const pod = await session.run('kubectl run plain --image=tenantscope:0.1.0');
    expect(pod).toMatchObject({ status: 1, output: expect.stringContaining('violates PodSecurity "restricted') });
    const service = { apiVersion: 'v1', kind: 'Service', metadata: { name: 'a' }, spec: { port: [] } };
    const misspelt = await session.run('kubectl create --validate=strict --filename=-', JSON.stringify(service));
    expect(misspelt).toMatchObject({ status: 1, output: expect.stringContaining('unknown field "spec.port"') });
  });

  test('a failed first migration fails the release before any process exists', async () => {
    const commands = `cd tenantscope; ${await readCommands('Install')}`;
    const { status, output } = await migrate(session, commands, 'Failed', async () => {
      expect((await session.read('deployments')).items).toEqual([]);
      const policies = (await session.read('networkpolicies')).items as KubernetesObject[];
      expect(policies.map(({ metadata }) => metadata.name)).toEqual(['tenantscope-migrate']);
    });
    expect({ status, output }).toMatchObject({ status: 1, output: expect.stringContaining('pre-install') });
    expect((await session.read('deployments')).items).toEqual([]);
    expect(await history()).toEqual(['failed']);
    // Its log stays readable.
    expect((await session.read('job', 'tenantscope-migrate')).status.failed).toBe(1);
  });

  test('the repeated command installs, and the API server admits a pod of every process', async () => {
    const { uid } = (await session.read('job', 'tenantscope-migrate')).metadata;
    const repeated = await migrate(session, await readCommands('Install', '--install'), 'Complete');
    expect(repeated).toMatchObject({ status: 0, output: expect.stringContaining('the migration has succeeded') });
    expect(repeated.uid).not.toBe(uid);
    expect(await history()).toEqual(['superseded', 'deployed']);
    const { items } = await session.read('deployments');
    expect(items.map(({ metadata }: KubernetesObject) => metadata.name).sort()).toEqual(
      ['api', 'cli', 'console', 'ingest', 'jobs'].map((name) => `tenantscope-${name}`),
    );
    for (const deployment of items) await createPod(session, deployment);
  });

  test('every mounted key is in a Secret of the page', async () => {
    const secrets = new Map<string, string[]>(
      (await session.read('secrets')).items.map(({ metadata, data }: Specification) => [
        metadata.name,
        Object.keys(data),
      ]),
    );
    const pods = [...(await session.read('deployments')).items, ...(await session.read('jobs')).items];
    const mounted = pods.flatMap(({ spec }: Specification) =>
      spec.template.spec.volumes.flatMap((volume: Specification) =>
        (volume.projected?.sources ?? []).flatMap(({ secret }: Specification) =>
          secret.items.map(({ key }: Specification) => ({ secret: secret.name as string, key: key as string })),
        ),
      ),
    );
    expect(mounted.length).toBeGreaterThan(25);
    for (const { secret, key } of mounted) expect(secrets.get(secret), secret).toContain(key);
  });

  test('an upgrade changes processes only after its migration has succeeded', async () => {
    await edit('0.1.1');
    const upgrade = await readCommands('Upgrade and roll back');
    const { status } = await migrate(session, upgrade, 'Complete', async () => {
      const job = await session.read('job', 'tenantscope-migrate');
      expect(job.spec.template.spec.containers[0].image).toBe('tenantscope:0.1.1');
      expect(await images()).toEqual(new Set(['tenantscope:0.1.0']));
    });
    expect(status).toBe(0);
    expect(await images()).toEqual(new Set(['tenantscope:0.1.1']));
  });

  test('a failed migration fails the upgrade and changes no process', async () => {
    await edit('0.1.2');
    const upgrade = await readCommands('Upgrade and roll back');
    const failed = await migrate(session, upgrade, 'Failed');
    expect(failed).toMatchObject({ status: 1, output: expect.stringContaining('pre-upgrade hooks failed') });
    expect(await images()).toEqual(new Set(['tenantscope:0.1.1']));
    expect((await migrate(session, upgrade, 'Complete')).status).toBe(0);
    expect(await images()).toEqual(new Set(['tenantscope:0.1.2']));
    expect(await history()).toEqual(['superseded', 'superseded', 'superseded', 'failed', 'deployed']);
  });

  test('a roll back to a revision starts its images without a migration', async () => {
    const { uid } = (await session.read('job', 'tenantscope-migrate')).metadata;
    expect(await readPage()).toContain('helm rollback tenantscope REVISION');
    await session.succeed('helm rollback tenantscope 3');
    expect(await images()).toEqual(new Set(['tenantscope:0.1.1']));
    expect((await session.read('job', 'tenantscope-migrate')).metadata.uid).toBe(uid);
  });

  test('the commands of the page add a cell, whose migration precedes its processes', async () => {
    await initDocumentedCell(files);
    await session.succeed(
      `cd tenantscope; ${await readCommands('Cells', 'apply --server-side')}\n${await readCommands('Cells', 'tenantscope-ingest-eu1')}`,
    );
    const file = join(session.directory, 'my-values.yaml');
    const block = (await readBlock('yaml cell-values')).replaceAll(/^ {3}/gm, '');
    await writeFile(file, `${await readFile(file, 'utf8')}\n${block}`);
    const listNames = async () =>
      (await session.read('deployments')).items.map(({ metadata }: KubernetesObject) => metadata.name) as string[];
    const upgrade = await readCommands('Upgrade and roll back');
    const { status } = await migrate(session, upgrade, 'Complete', async () => {
      const { env } = (await session.read('job', 'tenantscope-migrate')).spec.template.spec.containers[0];
      expect(env).toContainEqual({ name: 'TENANTSCOPE_CELL_EU1_TOPIC_PREFIX', value: 'tenantscope.eu1' });
      expect((await listNames()).join()).not.toContain('eu1');
    });
    expect(status).toBe(0);
    expect(await listNames()).toEqual(
      expect.arrayContaining(['tenantscope-ingest', 'tenantscope-ingest-eu1', 'tenantscope-jobs-eu1']),
    );
    for (const name of ['tenantscope-ingest-eu1', 'tenantscope-jobs-eu1']) {
      const deployment = await session.read('deployment', name);
      await createPod(session, deployment);
      const { volumes } = deployment.spec.template.spec;
      for (const { secret } of volumes[0].projected.sources) {
        const { data } = await session.read('secret', secret.name);
        expect(Object.keys(data), secret.name).toContain(secret.items[0].key);
      }
    }
    await session.succeed(await readCommands('Cells', 'kubectl run tenant-move'));
    const pod = await session.read('pod', 'tenant-move');
    expect(pod.metadata.labels['app.kubernetes.io/component']).toBe('cli');
    expect(pod.spec.restartPolicy).toBe('Never');
    expect(pod.spec.containers.map(({ args }: Specification) => args.slice(0, 2))).toEqual([['tenant', 'move']]);
  });

  test('uninstalling retains the Secrets and the Job', async () => {
    await session.succeed('helm uninstall tenantscope');
    expect((await session.read('deployments,services,networkpolicies,poddisruptionbudgets')).items).toEqual([]);
    expect((await session.read('jobs')).items.length).toBe(1);
    const [first, ofCell] = [await readDocumentedSecrets(), await readDocumentedSecrets('cell-secrets')];
    expect((await session.read('secrets')).items.length).toBe(first.size + ofCell.size);
  });

  test('the commands for stores by operators add what the values for high availability read', async () => {
    const create = await readCommands('Stores by operators', 'secret generic tenantscope-redis');
    const patch = await readCommands('Stores by operators', 'STANDBY');
    await session.succeed(`cd tenantscope; ${create}\n${patch}`);
    const { data } = await session.read('secret', 'tenantscope-api');
    const urls = Buffer.from(data.TENANTSCOPE_STANDBY_DATABASE_URLS, 'base64').toString('utf8').trim().split(',');
    const { password } = new URL(await files.read('secrets/database_api_url'));
    expect(password.length).toBeGreaterThan(20);
    expect(urls.map((url) => new URL(url))).toEqual(
      [1, 2, 3].map((number) => expect.objectContaining({ hostname: `tenantscope-postgres-${number}`, password })),
    );
    expect(Object.keys(data).length).toBe(6);
    const redis = await session.succeed('kubectl create --validate=strict --filename=infra/chart/examples/redis.yaml');
    expect(redis).not.toMatch(/warning/i);
    await createPod(session, await session.read('statefulset', 'redis'));
  });

  test.each(installations)('the API server accepts every object and pod with the values %s', async (name, args) => {
    const quoted = args.map((arg) => `'${arg}'`).join(' ');
    const created = await session.succeed(
      [
        ...[`kubectl create namespace ${name}`, `kubectl config set-context --current --namespace=${name}`],
        `kubectl label namespace ${name} pod-security.kubernetes.io/enforce=restricted`,
        'kubectl create serviceaccount default',
        `helm install tenantscope infra/chart --dry-run=server ${quoted} > notes.txt`,
        `helm template tenantscope infra/chart --namespace ${name} ${quoted} > objects.yaml`,
        'kubectl create --validate=strict --filename=objects.yaml',
      ].join('\n'),
    );
    expect(created).not.toMatch(/warning/i);
    const objects = [...(await session.read('deployments')).items, ...(await session.read('jobs')).items];
    expect(objects.length).toBeGreaterThanOrEqual(6);
    for (const object of objects) await createPod(session, object, '--dry-run=server');
  });
});
