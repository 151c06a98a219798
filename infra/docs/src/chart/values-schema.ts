import { describeCells } from './cell-schema.ts';
import { type ChartProcess, chartProcessNames } from './chart-processes.ts';
import {
  count,
  flag,
  type JsonSchema,
  kubernetesList,
  kubernetesObject,
  list,
  map,
  object,
  text,
} from './json-schema.ts';
import { describeProcessVariables, describeSharedVariables, secretKey } from './variable-schema.ts';

type Properties = Readonly<Record<string, JsonSchema>>;

/** `values.schema.json` of the chart. */
export function describeValues(): JsonSchema {
  const processes = chartProcessNames.map((name) => [name, describeProcessValues(name)] as const);
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: 'Values of the chart tenantscope',
    definitions: { secretKey },
    ...object({
      global: kubernetesObject('Values that a parent chart shares; not used.'),
      nameOverride: text('Replaces the name of the chart in names of objects.'),
      fullnameOverride: text('Replaces the beginning of names of objects.', { maxLength: 50 }),
      image: describeImage(),
      imagePullSecrets: list(object({ name: text('Name of an existing Secret.', { minLength: 1 }) }, ['name'])),
      user: {
        description: 'User and group of the processes; null where the platform chooses them.',
        type: ['integer', 'null'],
        minimum: 1,
      },
      authorities: {
        ...secretKey,
        description:
          'Certificate authorities, PEM, that are trusted in addition to those of the image: of an identity provider or a token endpoint.',
      },
      ...describeSharedVariables(),
      spread: list(describeSpread()),
      ...Object.fromEntries(processes),
      cells: describeCells({ replicas, ...podValues }),
      ingress: describeIngress(),
      networkPolicy: describeNetworkPolicy(),
      metrics: describeMetrics(),
    }),
  };
}

const names = map({ type: 'string' });

function describeImage(): JsonSchema {
  return object({
    registry: text('Host and path of the registry, such as registry.example.com/security; may be empty.'),
    repository: text('Name of the image.', { minLength: 1 }),
    tag: text("Tag; by default the chart's version of the product. Never latest.", { not: { const: 'latest' } }),
    digest: text('Digest, which is used instead of the tag.', { pattern: '^(sha256:[0-9a-f]{64})?$' }),
    pullPolicy: { enum: ['IfNotPresent', 'Never', 'Always'] },
  });
}

const replicas = count('Pods.', 0, 100);

/** Of every pod. */
const podValues: Properties = {
  resources: kubernetesObject('Requests and limits of the container.'),
  podAnnotations: names,
  podLabels: names,
  nodeSelector: names,
  tolerations: kubernetesList('Tolerations of the pods.'),
  affinity: kubernetesObject('Affinity of the pods.'),
  priorityClassName: text('Priority class of the pods.'),
};

function describeProcessValues(name: ChartProcess): JsonSchema {
  return object({
    ...(name === 'migrate' ? {} : { replicas }),
    ...podValues,
    ...describeProcessVariables(name),
    ...furtherValues[name],
  });
}

const service: JsonSchema = object({
  type: { enum: ['ClusterIP', 'NodePort', 'LoadBalancer'] },
  annotations: names,
});

/** Values that only some processes have. */
const furtherValues: Readonly<Record<ChartProcess, Properties>> = {
  api: { service },
  console: { service },
  ingest: {},
  jobs: {},
  collect: {
    enabled: flag('Collect records from the APIs of providers.'),
    providerSecret: text(
      'Existing Secret with the files that collectors name, mounted at /etc/tenantscope/collectors; may be empty.',
    ),
  },
  migrate: {
    waitSeconds: count('Seconds to wait until the stores are reachable.', 0, 3_600),
    deadlineSeconds: count('Seconds after which a migration is ended as failed.', 60, 86_400),
    finishRestore: flag(
      'Run "restore finish" after the migration: set it for one upgrade, after the database was restored.',
    ),
  },
  cli: {},
};

function describeSpread(): JsonSchema {
  return object(
    {
      topologyKey: text('Label of nodes over whose values pods are spread.', { minLength: 1 }),
      whenUnsatisfiable: { enum: ['ScheduleAnyway', 'DoNotSchedule'] },
      maxSkew: count('Greatest difference between two values of the label.', 1, 100),
    },
    ['topologyKey', 'whenUnsatisfiable'],
  );
}

function describeIngress(): JsonSchema {
  const tlsSecret = text('Existing Secret with certificate and key; empty where the controller has them.');
  return object({
    enabled: flag('Ingresses for the hosts of TENANTSCOPE_PUBLIC_URL and TENANTSCOPE_CONSOLE_URL.'),
    className: text('Ingress class; empty for the default of the cluster.'),
    annotations: names,
    api: object({ tlsSecret }),
    console: object({ tlsSecret }),
  });
}

function describeNetworkPolicy(): JsonSchema {
  const ports = list({ type: 'integer', minimum: 1, maximum: 65_535 });
  const destination = (what: string) =>
    object({ to: kubernetesList(`NetworkPolicyPeers of ${what}; empty for every address.`), ports });
  const sources = (what: string) =>
    object({ from: kubernetesList(`NetworkPolicyPeers that may connect to ${what}; empty for no address.`) });
  return object({
    enabled: flag('Deny all connections of the pods but those that they need.'),
    dns: destination('the cluster DNS'),
    postgres: destination('PostgreSQL'),
    kafka: destination('Kafka, with its further clusters'),
    redis: destination('Redis'),
    providers: destination('the APIs that collect requests'),
    identityProvider: destination('the issuer of single sign-on'),
    tokenEndpoint: destination('the token endpoint of Kafka logins by oauthbearer'),
    traces: destination('the collector of traces'),
    api: sources('the API'),
    console: sources('the console'),
    metrics: sources('/metrics'),
  });
}

function describeMetrics(): JsonSchema {
  return object({
    serviceMonitor: object({
      enabled: flag('A ServiceMonitor of the Prometheus operator.'),
      labels: names,
      interval: text('Time between scrapes, such as 15s.', { pattern: '^[0-9]+(ms|s|m)$' }),
    }),
    prometheusRule: object({
      enabled: flag('The alert rules as a PrometheusRule of the Prometheus operator.'),
      labels: names,
      runbooks: text('Address of the pages of docs/operations/runbooks; empty for their paths.', {
        pattern: '^(https?://[^\\s"]+)?$',
      }),
    }),
  });
}
