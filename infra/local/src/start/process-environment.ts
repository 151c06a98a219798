import { apiConfig } from '@tenantscope/api/config';
import { migrationConfig } from '@tenantscope/cli/config';
import { collectConfig } from '@tenantscope/collect/config';
import { consoleConfig } from '@tenantscope/console/config';
import { ingestConfig } from '@tenantscope/ingest/config';
import { jobsConfig } from '@tenantscope/jobs/config';
import { listVariables } from '@tenantscope/runtime';
import { selectVariables, systemVariables } from '../system-environment.ts';

/** The configuration of each process; the CLI is started for its command migrate. */
const configurations = {
  api: apiConfig,
  ingest: ingestConfig,
  jobs: jobsConfig,
  console: consoleConfig,
  collect: collectConfig,
  cli: migrationConfig,
} as const;

export type ProcessName = keyof typeof configurations;

/** Every variable that some process declares, with those that values of `variables` declare. */
export const listDeclaredVariables = (variables: NodeJS.ProcessEnv): ReadonlySet<string> =>
  new Set(Object.values(configurations).flatMap((configuration) => listVariables(configuration, variables)));

/** Node.js, and the debugger of an editor that attaches to child processes. */
const nodeVariables = ['NODE_OPTIONS', 'NODE_EXTRA_CA_CERTS', 'VSCODE_INSPECTOR_OPTIONS'];

/** The environment of a process: exactly the variables that its configuration declares, and those of the system and Node.js. */
export function selectProcessEnvironment(
  name: ProcessName,
  variables: Record<string, string>,
  system: NodeJS.ProcessEnv = process.env,
): Record<string, string> {
  return {
    ...selectVariables(system, [...systemVariables, ...nodeVariables]),
    ...selectVariables(variables, listVariables(configurations[name], variables)),
  };
}
