// @module-tag helm
import { mkdtempDisposable, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { mayBuildPrograms } from './go-programs.ts';
import { provideHelm } from './helm.ts';
import { readBlock } from './installation-secrets.ts';
import {
  chart,
  type KubernetesObject,
  listPods,
  type RenderedPod,
  renderChart,
  type Specification,
} from './rendered-chart.ts';

// Further cells: each with an ingest and jobs that have the Secrets of no other cell.

const provided = await provideHelm({ build: mayBuildPrograms });
const helm = 'missing' in provided ? '' : provided.helm;
const values = ['--values', join(chart, 'values', 'cells.yaml')];

/** Secrets and keys by the variable that reads them. */
function listMounted({ spec, variables }: RenderedPod): Readonly<Record<string, string>> {
  const { sources } = spec.volumes.find(({ name }: Specification) => name === 'secrets').projected;
  const byPath = new Map<string, string>(
    sources.flatMap(({ secret }: Specification) =>
      secret.items.map(({ key, path }: Specification) => [path, `${secret.name} ${key}`]),
    ),
  );
  return Object.fromEntries(
    Object.entries(variables).flatMap(([name, value]) => {
      const mounted = byPath.get(value.replace('/run/secrets/tenantscope/', ''));
      return mounted === undefined ? [] : [[name, mounted]];
    }),
  );
}

describe.skipIf(helm === '')('further cells', () => {
  let objects: readonly KubernetesObject[];
  let pods: readonly RenderedPod[];
  beforeAll(async () => {
    objects = await renderChart(helm, values);
    pods = listPods(objects);
  });
  const podOf = (component: string, all = pods) => {
    const found = all.find((pod) => pod.component === component);
    if (found === undefined) throw new Error(`no pod ${component}`);
    return found;
  };

  test('ingest of each cell has the Secret of its database, and no Secret of another further cell', () => {
    for (const process of ['ingest', 'jobs'])
      for (const cell of ['eu1', 'us-east']) {
        const pod = podOf(`${process}-${cell}`);
        const database = `TENANTSCOPE_${process.toUpperCase()}_DATABASE_URL`;
        const control = `TENANTSCOPE_${process.toUpperCase()}_CONTROL_DATABASE_URL`;
        const mounted = listMounted(pod);
        expect(mounted[`${database}_FILE`]).toBe(`tenantscope-${process}-${cell} ${database}`);
        expect(mounted[`${control}_FILE`]).toBe(`tenantscope-${process} ${database}`);
        expect(pod.variables.TENANTSCOPE_CELL).toBe(cell);
        const other = cell === 'eu1' ? 'us-east' : 'eu1';
        expect(JSON.stringify(pod.spec.volumes)).not.toContain(other);
      }
  });

  test('processes of the cell default have no Secret of a further cell, and no login is a variable', () => {
    for (const component of ['api', 'ingest', 'jobs', 'console', 'cli', 'migrate'])
      expect(JSON.stringify(podOf(component).spec.volumes), component).not.toMatch(/eu1|us-east/);
    expect(podOf('ingest').variables).not.toHaveProperty('TENANTSCOPE_CELL');
    for (const { variables } of pods) for (const value of Object.values(variables)) expect(value).not.toContain('@');
  });

  test('the control database of all cells is that of the values, if it has one of its own', async () => {
    const file = 'ingest.files.TENANTSCOPE_INGEST_CONTROL_DATABASE_URL_FILE={"secret":"control","key":"ingest"}';
    const rendered = listPods(await renderChart(helm, [...values, '--set-json', file]));
    for (const component of ['ingest', 'ingest-eu1', 'ingest-us-east'])
      expect(listMounted(podOf(component, rendered)).TENANTSCOPE_INGEST_CONTROL_DATABASE_URL_FILE).toBe(
        'control ingest',
      );
    // Then it has no URL of the database of the cell default.
    const urls = Object.values(listMounted(podOf('ingest-eu1', rendered)));
    expect(urls).toContain('tenantscope-ingest-eu1 TENANTSCOPE_INGEST_DATABASE_URL');
    expect(urls).not.toContain('tenantscope-ingest TENANTSCOPE_INGEST_DATABASE_URL');
  });

  test('each process that reads several cells has their addresses, and the migration creates them', () => {
    const addresses = {
      TENANTSCOPE_CELLS: 'eu1,us-east',
      TENANTSCOPE_CELL_EU1_DATABASE: 'postgres-eu1:5432/tenantscope',
      TENANTSCOPE_CELL_US_EAST_DATABASE: 'postgres-us-east:5432/tenantscope',
    };
    const further: Readonly<Record<string, object>> = {
      api: {
        TENANTSCOPE_CELL_US_EAST_STANDBYS: 'postgres-us-east-standby:5432',
        TENANTSCOPE_CELL_US_EAST_STANDBY_NAMES: 'standby',
      },
      console: {},
      cli: {},
      migrate: {
        TENANTSCOPE_CELL_EU1_TOPIC_PREFIX: 'tenantscope.eu1',
        TENANTSCOPE_CELL_US_EAST_TOPIC_PREFIX: 'tenantscope.us-east',
      },
    };
    for (const { component, variables } of pods) {
      const given = Object.entries(variables).filter(([name]) => name.startsWith('TENANTSCOPE_CELL'));
      if (component in further) expect(Object.fromEntries(given)).toEqual({ ...addresses, ...further[component] });
      else expect(given.map(([name]) => name)).toEqual(component.includes('-') ? ['TENANTSCOPE_CELL'] : []);
    }
  });

  test('the values of the page are complete', async () => {
    await using directory = await mkdtempDisposable(join(tmpdir(), 'tenantscope-values-'));
    const file = join(directory.path, 'cells.yaml');
    await writeFile(file, await readBlock('yaml cell-values'));
    const rendered = listPods(
      await renderChart(helm, ['--values', join(chart, 'values', 'single.yaml'), '--values', file]),
    );
    expect(podOf('ingest-eu1', rendered).variables.TENANTSCOPE_CELL).toBe('eu1');
  });

  test('one Job migrates all cells before any process is changed, and finishes the restore of one', async () => {
    const jobs = objects.filter(({ kind }) => kind === 'Job').map(({ metadata }) => metadata.name);
    expect(jobs).toEqual(['tenantscope-migrate']);
    const restoring = await renderChart(helm, [...values, '--set', 'cells.eu1.finishRestore=true']);
    const restore = restoring.find(({ metadata }) => metadata.name === 'tenantscope-restore-eu1');
    expect(restore?.spec.template.spec.containers[0].args).toEqual(['restore', 'finish', '--cell', 'eu1']);
    expect(Number(restore?.metadata.annotations?.['helm.sh/hook-weight'])).toBeGreaterThan(0);
    const all = 'migrate.finishRestore=true,ingest.env.TENANTSCOPE_CONSUMER_GROUP=first';
    const further = 'cells.eu1.finishRestore=true,cells.eu1.ingest.env.TENANTSCOPE_CONSUMER_GROUP=second';
    const both = (await renderChart(helm, [...values, '--set', `${all},${further}`]))
      .filter(({ kind, metadata }) => kind === 'Job' && metadata.name.includes('restore'))
      .map(({ metadata, spec }) => [
        Number(metadata.annotations?.['helm.sh/hook-weight']),
        spec.template.spec.containers[0].args.join(' '),
      ]);
    // That of the control database first.
    expect(both.toSorted()).toEqual([
      [10, 'restore finish --cell eu1 --group second'],
      [5, 'restore finish --group first'],
    ]);
  });

  test('a process reaches the database of its own cell, and those that serve all cells reach all', () => {
    const policies = new Map(
      objects.filter(({ kind }) => kind === 'NetworkPolicy').map(({ metadata, spec }) => [metadata.name, spec]),
    );
    const databases = (component: string) =>
      [...JSON.stringify(policies.get(`tenantscope-${component}`)?.egress).matchAll(/"(postgres[a-z0-9-]*)"/g)].map(
        ([, name]) => name,
      );
    for (const component of ['ingest', 'jobs']) {
      expect(databases(component)).toEqual(['postgres']);
      expect(databases(`${component}-eu1`)).toEqual(['postgres', 'postgres-eu1']);
      expect(databases(`${component}-us-east`)).toEqual(['postgres', 'postgres-us-east']);
    }
    for (const component of ['api', 'console', 'cli', 'migrate'])
      expect(databases(component)).toEqual(['postgres', 'postgres-eu1', 'postgres-us-east']);
  });

  test('values of a cell replace those of the cell default, which apply otherwise', async () => {
    const [eu1, usEast] = [podOf('ingest-eu1'), podOf('ingest-us-east')];
    expect(eu1.container.resources).toEqual(podOf('ingest').container.resources);
    expect(usEast.container.resources.limits).toEqual({ memory: '4Gi' });
    expect([eu1.variables, usEast.variables].map((each) => each.TENANTSCOPE_INGEST_WORKERS)).toEqual([undefined, '2']);
    const replicas = (name: string) =>
      objects.find((each) => each.metadata.name === name && each.kind === 'Deployment');
    expect(replicas('tenantscope-ingest-us-east')?.spec.replicas).toBe(3);
    expect(replicas('tenantscope-ingest-eu1')?.spec.replicas).toBe(2);
    const stopped = await renderChart(helm, [...values, '--set', 'cells.eu1.jobs.replicas=0']);
    const jobs = stopped.find(
      ({ kind, metadata }) => kind === 'Deployment' && metadata.name === 'tenantscope-jobs-eu1',
    );
    expect(jobs?.spec.replicas).toBe(0);
  });

  test('the consumer group and the canary of the cell default are not those of a further cell', async () => {
    const group = 'ingest.env.TENANTSCOPE_CONSUMER_GROUP=own';
    const canary = 'jobs.env.TENANTSCOPE_CANARY_TENANT_ID=3f0f4f43-2f0e-4b55-9d38-58a1b7a4f9d1';
    const key = 'jobs.files.TENANTSCOPE_CANARY_API_KEY_FILE={"secret":"canary"}';
    const rendered = listPods(await renderChart(helm, [...values, '--set', `${group},${canary}`, '--set-json', key]));
    expect(podOf('ingest', rendered).variables.TENANTSCOPE_CONSUMER_GROUP).toBe('own');
    expect(podOf('jobs', rendered).variables).toHaveProperty('TENANTSCOPE_CANARY_TENANT_ID');
    for (const component of ['ingest-eu1', 'jobs-eu1'])
      expect(Object.keys(podOf(component, rendered).variables).join()).not.toMatch(/CANARY|CONSUMER_GROUP/);
  });
});
