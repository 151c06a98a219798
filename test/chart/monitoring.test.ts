// @module-tag helm
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { checkout } from '@tenantscope/local';
import { beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { mayBuildPrograms } from './go-programs.ts';
import { provideHelm } from './helm.ts';
import { chart, type KubernetesObject, listPods, renderChart, type Specification } from './rendered-chart.ts';

// The resources of the Prometheus operator.

const provided = await provideHelm({ build: mayBuildPrograms });
const helm = 'missing' in provided ? '' : provided.helm;

describe.skipIf(helm === '')('the chart', () => {
  let objects: readonly KubernetesObject[];
  beforeAll(async () => {
    objects = await renderChart(helm, ['--values', join(chart, 'values', 'high-availability.yaml')]);
  });
  const find = (kind: string) => objects.find((object) => object.kind === kind)?.spec;

  test('contains the alert rules of the checkout, with the address of their runbooks', async () => {
    const rules = parse(await readFile(join(checkout, 'infra', 'observability', 'alerts.yaml'), 'utf8'));
    const address = 'https://docs.example.com/tenantscope/runbooks/';
    const expected = JSON.stringify(rules).replaceAll('docs/operations/runbooks/', address);
    expect(expected).toContain(`${address}api-down.md`);
    expect(find('PrometheusRule')).toEqual(JSON.parse(expected));
  });

  test('contains the alert rules unchanged without an address', async () => {
    const args = ['--values', join(chart, 'values', 'single.yaml'), '--set', 'metrics.prometheusRule.enabled=true'];
    const rendered = (await renderChart(helm, args)).find(({ kind }) => kind === 'PrometheusRule');
    const rules = await readFile(join(checkout, 'infra', 'observability', 'alerts.yaml'), 'utf8');
    expect(rendered?.spec).toEqual(parse(rules));
  });

  test('names jobs as the scrape configuration of the documentation does', async () => {
    const page = await readFile(join(checkout, 'docs', 'operations', 'alerts.md'), 'utf8');
    const documented = [...page.matchAll(/job_name: (\S+)/g)].map(([, job]) => job);
    const [relabeling] = find('ServiceMonitor').endpoints[0].relabelings as readonly Specification[];
    expect(relabeling.sourceLabels).toEqual(['__meta_kubernetes_pod_label_app_kubernetes_io_component']);
    expect(relabeling.targetLabel).toBe('job');
    const jobs = listPods(objects)
      .filter(({ container }) => container.ports)
      .map(({ component }) => component.replace(new RegExp(`^(?:${relabeling.regex})$`), relabeling.replacement));
    // Alert rules know no cells: those of a further cell have the name of the process.
    expect('ingest-us-east'.replace(new RegExp(`^(?:${relabeling.regex})$`), relabeling.replacement)).toBe(
      'tenantscope-ingest',
    );
    // Collectors are not part of these values.
    expect(jobs.toSorted()).toEqual(documented.filter((job) => job !== 'tenantscope-collect').toSorted());
  });
});
