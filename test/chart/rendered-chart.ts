import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { checkout } from '@tenantscope/local';
import { parseAllDocuments } from 'yaml';

const execute = promisify(execFile);
export const chart = join(checkout, 'infra', 'chart');

/** Each values file of the chart, with further arguments of Helm. */
export const installations: readonly (readonly [name: string, args: readonly string[]])[] = [
  ...['single', 'high-availability', 'external-stores', 'air-gapped', 'cells'].map(
    (name) => [name, ['--values', join(chart, 'values', `${name}.yaml`)]] as const,
  ),
  [
    'everything',
    [
      ...['--values', join(chart, 'values', 'external-stores.yaml')],
      ...['--set', 'cli.replicas=1,ingress.enabled=true,user=null,image.digest=sha256:'.concat('0'.repeat(64))],
      ...['--set', 'metrics.serviceMonitor.enabled=true,authorities.secret=authorities,image.registry=r.example/a/'],
      ...['--set', 'env.TENANTSCOPE_KAFKA_CLUSTERS=second,env.TENANTSCOPE_KAFKA_CLUSTER_SECOND_BROKERS=kafka:9093'],
      ...['--set', 'ingest.env.TENANTSCOPE_INGEST_MAX_BATCH_BYTES=33554432,api.env.TENANTSCOPE_DRAIN_MS=0'],
      ...['--set-json', 'files.TENANTSCOPE_KAFKA_CLUSTER_SECOND_SSL_CA_FILE={"secret":"second"}'],
      ...['--set-json', 'api.tolerations=[{"operator":"Exists"}]', '--set-json', 'api.podLabels={"team":"security"}'],
      ...['--set', 'env.TENANTSCOPE_TRACES_URL=http://collector:4318/v1/traces,ingress.api.tlsSecret=api-tls'],
      ...['--set', 'api.priorityClassName=high,migrate.waitSeconds=5'],
    ],
  ],
];

// biome-ignore lint/suspicious/noExplicitAny: the specifications of every kind
export type Specification = any;

export interface KubernetesObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace: string;
    readonly labels: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
  };
  readonly spec: Specification;
}

/** Runs Helm; without the user's own configuration. */
export async function runHelm(helm: string, args: readonly string[]): Promise<string> {
  const env = { PATH: process.env.PATH, HOME: '/nonexistent', HELM_NO_PLUGINS: '1' };
  return (await execute(helm, args, { env, maxBuffer: 1 << 26 })).stdout;
}

/** The message with which Helm ends; null if it succeeds. */
export async function readHelmError(helm: string, args: readonly string[]): Promise<string | null> {
  return runHelm(helm, args).then(
    () => null,
    (error: { stderr: string }) => error.stderr,
  );
}

export function templateArguments(args: readonly string[]): readonly string[] {
  return ['template', 'tenantscope', chart, '--namespace', 'security', ...args];
}

/** All objects of an installation, hooks included. */
export async function renderChart(helm: string, args: readonly string[]): Promise<readonly KubernetesObject[]> {
  const text = await runHelm(helm, templateArguments(args));
  // As Kubernetes reads it: 0440 is octal.
  return parseAllDocuments(text, { version: '1.1' })
    .map((document) => {
      if (document.errors.length > 0) throw new Error(document.errors.join('\n'));
      return document.toJS() as KubernetesObject | null;
    })
    .filter((object) => object !== null);
}

export interface RenderedPod {
  /** The process: api, migrate, … */
  readonly name: string;
  /** The process and, of a further cell, its name: ingest-eu1. */
  readonly component: string;
  readonly kind: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly spec: Specification;
  readonly container: Specification;
  /** Values of variables by name. */
  readonly variables: Readonly<Record<string, string>>;
}

export function listPods(objects: readonly KubernetesObject[]): readonly RenderedPod[] {
  return objects
    .filter(({ kind }) => kind === 'Deployment' || kind === 'Job')
    .map(({ kind, spec: { template } }) => {
      const [container, ...others] = template.spec.containers;
      if (others.length > 0 || template.spec.initContainers) throw new Error('a pod has further containers');
      const { name } = container;
      const variables = Object.fromEntries(container.env.map((each: Specification) => [each.name, each.value]));
      const { labels } = template.metadata;
      const component = labels['app.kubernetes.io/component'];
      return { name, component, kind, labels, spec: template.spec, container, variables };
    });
}

/** Whether a selector of labels selects these. An empty one selects everything. */
export function isSelected(labels: Readonly<Record<string, string>>, selector: Specification): boolean {
  const { matchLabels = {}, ...others } = selector;
  if (Object.keys(others).length > 0) throw new Error('only matchLabels is supported');
  return Object.entries(matchLabels).every(([name, value]) => labels[name] === value);
}
