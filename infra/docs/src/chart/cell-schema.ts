import { flag, type JsonSchema, kubernetesList, list, object, text } from './json-schema.ts';
import { describeProcessVariables, secretKey } from './variable-schema.ts';

type Properties = Readonly<Record<string, JsonSchema>>;

/** The processes that belong to one cell. */
const cellProcesses = ['ingest', 'jobs'] as const;
export type CellProcess = (typeof cellProcesses)[number];

/** Variables that the name of the cell and the control database decide. */
const decidedVariables = ['TENANTSCOPE_CELL', 'TENANTSCOPE_TOPIC_PREFIX'];

const addressPattern = '^(\\[[0-9a-f:.]+\\]|[A-Za-z0-9.-]+)(:\\d{1,5})?(/[^/?#,\\s]+)?$';

/** `cells`: by name, what a further cell has of its own. `podValues` are those of every process. */
export function describeCells(podValues: Properties): JsonSchema {
  const processes = cellProcesses.map((name) => [name, describeCellProcess(name, podValues)] as const);
  const address = (what: string) => text(what, { pattern: addressPattern });
  const cell = object(
    {
      database: address('Address of its database, without a login: host:port/database.'),
      topicPrefix: text('Prefix of its topics, which never changes. The migration creates the cell with it.', {
        pattern: '^[A-Za-z0-9._-]{1,200}$',
      }),
      standbys: list(address('As TENANTSCOPE_STANDBY_DATABASE_URLS, an address.')),
      standbyNames: list(text('As TENANTSCOPE_STANDBY_NAMES.', { pattern: '^[^,\\s]+$' })),
      readReplicas: list(address('As TENANTSCOPE_POSTGRES_READ_URLS, an address.')),
      finishRestore: flag(
        'Run "restore finish --cell" after the migration: set it for one upgrade, after the database of the cell was restored.',
      ),
      postgres: object({
        to: kubernetesList('NetworkPolicyPeers of its database; empty for every address.'),
        ports: list({ type: 'integer', minimum: 1, maximum: 65_535 }),
      }),
      ...Object.fromEntries(processes),
    },
    ['database', 'topicPrefix', ...cellProcesses],
  );
  return {
    ...object({}, [], { '^[a-z0-9][a-z0-9-]{0,31}$': cell }),
    // The cell of `ingest` and `jobs` at the top.
    propertyNames: { not: { const: 'default' } },
  };
}

function describeCellProcess(name: CellProcess, podValues: Properties): JsonSchema {
  const { env, files } = describeProcessVariables(name);
  const databaseFile = `TENANTSCOPE_${name.toUpperCase()}_DATABASE_URL_FILE`;
  const ofCell = { ...secretKey, type: 'object', description: 'Read models of the cell. Of no other cell.' };
  const ownEnv = Object.entries(env.properties as Properties).filter(([each]) => !decidedVariables.includes(each));
  return object(
    {
      ...podValues,
      env: { ...env, properties: Object.fromEntries(ownEnv) },
      files: {
        ...files,
        properties: { ...(files.properties as Properties), [databaseFile]: ofCell },
        required: [databaseFile],
      },
    },
    ['files'],
  );
}
