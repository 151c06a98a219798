import { apiConfig } from '@tenantscope/api/config';
import { commandConfig, migrationConfig } from '@tenantscope/cli/config';
import { collectConfig } from '@tenantscope/collect/config';
import { consoleConfig } from '@tenantscope/console/config';
import { ingestConfig } from '@tenantscope/ingest/config';
import { jobsConfig } from '@tenantscope/jobs/config';
import {
  cellVariables,
  describeVariables,
  kafkaClusterVariables,
  kafkaVariables,
  postgresVariables,
  processVariables,
  redisVariables,
  topicVariables,
  type Variable,
} from '@tenantscope/runtime';
import { z } from 'zod';
import { table } from './markdown-table.ts';

const processes: readonly (readonly [title: string, config: z.ZodObject])[] = [
  ['api', apiConfig],
  ['ingest', ingestConfig],
  ['jobs', jobsConfig],
  ['console', consoleConfig],
  ['collect', collectConfig],
  ['tenantscope migrate', migrationConfig],
  ['tenantscope, all other commands', commandConfig],
];

/** Variables of several processes, described once. */
const groups: readonly (readonly [title: string, variables: z.ZodRawShape])[] = [
  ['PostgreSQL', postgresVariables],
  ['Kafka', { ...kafkaVariables, ...topicVariables }],
  ['Further Kafka clusters', kafkaClusterVariables],
  ['Cells', cellVariables],
  ['Redis', redisVariables],
  ['Process', processVariables],
];

/** docs/operations/configuration.md. */
export function renderConfiguration(): string {
  const described = new Set<string>();
  const shared = groups.map(([title, variables]) => {
    const own = Object.entries(variables).filter(([name]) => !described.has(name));
    for (const [name] of own) described.add(name);
    return `### ${title}\n\n${renderVariables(Object.fromEntries(own))}`;
  });
  const sections = processes.map(([title, { shape }]) => {
    const used = groups.filter(([, variables]) => (Object.keys(variables)[0] ?? '') in shape);
    const own = Object.entries(shape).filter(([name, schema]) => !isShared(name, schema as z.ZodType));
    return `## ${title}\n\n${renderVariables(Object.fromEntries(own))}\n\nAlso those of [shared variables](#shared-variables): ${used.map(([group]) => group).join(', ')}.`;
  });
  return `${[introduction, ...sections, '## Shared variables', ...shared].join('\n\n')}\n`;
}

const isShared = (name: string, schema: z.ZodType): boolean =>
  groups.some(([, variables]) => variables[name] === schema);

const renderVariables = (shape: z.ZodRawShape): string =>
  table(['Variable', 'Sets', 'Default'], describeVariables(z.object(shape)).map(renderVariable));

function renderVariable({ name, description, isRequired, isSecret, preset, values }: Variable): string[] {
  const allowed = values === null ? '' : ` Must be ${values}.`;
  const file = isSecret ? ' Secret.' : '';
  return [
    `\`${name}\``,
    `${description}${allowed}${file}`,
    isRequired ? 'required' : preset === null ? '' : `\`${preset}\``,
  ];
}

const introduction = `# Configuration

Every process is configured by environment variables. This page is generated from their declarations.

- An empty variable counts as unset.
- A secret can be in a file: \`NAME_FILE\` instead of \`NAME\` names the file. Setting both is an error.
- A process refuses to start, with exit status 1, where a variable is missing or wrong, or where the environment contains a variable that begins with \`TENANTSCOPE_\` and is not its own. The message names the variables, never their values.
- \`--print-config\` shows the values that a process would use, each with its origin (\`environment\`, \`default\` or \`file PATH\`), and exits. Secrets are replaced by \`[redacted]\`; of the URL of a store only the password and parameters are left out.

      npx node apps/api/src/main.ts --print-config

- Kubernetes adds variables such as \`TENANTSCOPE_API_SERVICE_HOST\` for services whose names begin with \`tenantscope\`. Set \`enableServiceLinks: false\` in the pod.

TLS and logins of the stores: [tls.md](tls.md).`;
