import { apiConfig } from '@tenantscope/api/config';
import { commandConfig, migrationConfig } from '@tenantscope/cli/config';
import { collectConfig } from '@tenantscope/collect/config';
import { consoleConfig } from '@tenantscope/console/config';
import { ingestConfig } from '@tenantscope/ingest/config';
import { jobsConfig } from '@tenantscope/jobs/config';
import { describeVariables, listVariables, type Variable } from '@tenantscope/runtime';
import type { z } from 'zod';

/** The configurations of the chart's pods, by their key in values.yaml. */
export const chartProcesses = {
  api: apiConfig,
  ingest: ingestConfig,
  jobs: jobsConfig,
  console: consoleConfig,
  collect: collectConfig,
  migrate: migrationConfig,
  cli: commandConfig,
} as const satisfies Readonly<Record<string, z.ZodObject>>;

export type ChartProcess = keyof typeof chartProcesses;
export const chartProcessNames = Object.keys(chartProcesses) as readonly ChartProcess[];

/** Variables that values cannot set, with the reason. */
const fixedVariables: Readonly<Record<string, string>> = {
  TENANTSCOPE_PORT: 'the port of the Service and of the network policies',
  TENANTSCOPE_CONSOLE_PORT: 'the port of the Service and of the network policies',
  TENANTSCOPE_HEALTH_PORT: 'the port of probes and of the network policies',
  TENANTSCOPE_CELLS: 'the value cells names them',
  TENANTSCOPE_CONSOLE_DEMO_ORGANIZATION: 'the demo sign-in exists on loopback only',
};

/** The name of the variable that names a file: that of TLS material, or NAME_FILE of a secret. Null for a plain variable. */
export function fileVariableOf({ name, isSecret }: Variable): string | null {
  return isSecret ? `${name}_FILE` : name.endsWith('_FILE') ? name : null;
}

export const isPlain = (variable: Variable): boolean => fileVariableOf(variable) === null;

/** The variables of a process that values can set. */
export function listSettable(name: ChartProcess): readonly Variable[] {
  return describeVariables(chartProcesses[name]).filter((variable) => !(variable.name in fixedVariables));
}

/** What the templates have to know of a process. */
export interface ChartProcessDescription {
  /** Plain variables that it declares. */
  readonly variables: readonly string[];
  /** Variables that name a file. */
  readonly files: readonly string[];
  readonly requiredVariables: readonly string[];
  readonly requiredFiles: readonly string[];
  /** Of containers, by name; empty for commands. */
  readonly ports: Readonly<Record<string, number>>;
  /** The stores that it connects to. */
  readonly stores: readonly string[];
  /** TENANTSCOPE_KAFKA_CLUSTERS declares further variables. */
  readonly hasFurtherClusters: boolean;
  /** What TENANTSCOPE_CELLS declares for each cell: DATABASE of TENANTSCOPE_CELL_NAME_DATABASE and so on; empty where a process declares no cells. */
  readonly cellVariables: readonly string[];
}

/** `files/processes.json` of the chart. */
export function describeProcesses(): Readonly<Record<ChartProcess, ChartProcessDescription>> {
  const described = chartProcessNames.map((name) => [name, describeProcess(name)] as const);
  return Object.fromEntries(described) as Record<ChartProcess, ChartProcessDescription>;
}

function describeProcess(name: ChartProcess): ChartProcessDescription {
  const all = describeVariables(chartProcesses[name]);
  const settable = listSettable(name);
  const plain = settable.filter(isPlain);
  const files = settable.filter((variable) => !isPlain(variable));
  const namesOf = (variables: readonly Variable[]) =>
    variables.map((variable) => fileVariableOf(variable) ?? variable.name);
  return {
    variables: namesOf(plain),
    files: namesOf(files),
    requiredVariables: namesOf(plain.filter(({ isRequired }) => isRequired)),
    requiredFiles: namesOf(files.filter(({ isRequired }) => isRequired)),
    ports: describePorts(all),
    stores: storeVariables.filter(([, pattern]) => all.some((each) => pattern.test(each.name))).map(([store]) => store),
    hasFurtherClusters: all.some((variable) => variable.name === 'TENANTSCOPE_KAFKA_CLUSTERS'),
    cellVariables: listVariables(chartProcesses[name], { TENANTSCOPE_CELLS: 'name' })
      .filter((variable) => variable.startsWith('TENANTSCOPE_CELL_NAME_'))
      .map((variable) => variable.replace('TENANTSCOPE_CELL_NAME_', '')),
  };
}

const storeVariables: readonly (readonly [store: string, pattern: RegExp])[] = [
  ['postgres', /_DATABASE_URL$/],
  ['kafka', /^TENANTSCOPE_KAFKA_BROKERS$/],
  ['redis', /^TENANTSCOPE_REDIS_URL$/],
];

const portNames: Readonly<Record<string, string>> = {
  TENANTSCOPE_PORT: 'http',
  TENANTSCOPE_CONSOLE_PORT: 'http',
  TENANTSCOPE_HEALTH_PORT: 'health',
};

function describePorts(variables: readonly Variable[]): Record<string, number> {
  const ports = variables.flatMap(({ name, preset }) =>
    portNames[name] === undefined ? [] : [[portNames[name], Number(preset)] as const],
  );
  return Object.fromEntries(ports);
}
