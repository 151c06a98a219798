import { z } from 'zod';
import { ConfigError } from '../config/config-error.ts';
import { type Environment, readConfig } from '../config/read-config.ts';
import { commaList, declaring, variable } from '../config/variables.ts';
import { topicPrefixPattern } from './kafka.ts';
import { checkPlaintext } from './plaintext.ts';
import { rememberPasswordUrl } from './postgres-password.ts';

/** The cell of an installation that has no other. */
export const defaultCell = 'default';

/** Names of cells are part of the names of variables and of keys in Redis. */
export const cellPattern = /^[a-z0-9][a-z0-9-]{0,31}$/;

const addressPattern = /^(\[[0-9a-f:.]+\]|[A-Za-z0-9.-]+)(:\d{1,5})?(\/[^/?#,\s]+)?$/;
const addressMessage = 'must be host:port/database; port and database are optional';
const addressList = () =>
  commaList()
    .refine((addresses) => addresses.every((address) => addressPattern.test(address)), addressMessage)
    .default([]);

const databaseVariable = {
  TENANTSCOPE_CELL_DATABASE: variable(
    'Address of the database of a further cell: host:port/database.',
    z.string().regex(addressPattern, addressMessage),
  ),
};
const standbyVariables = {
  TENANTSCOPE_CELL_STANDBYS: variable('As TENANTSCOPE_STANDBY_DATABASE_URLS, addresses.', addressList()),
  TENANTSCOPE_CELL_STANDBY_NAMES: variable('As TENANTSCOPE_STANDBY_NAMES.', commaList().default([])),
  TENANTSCOPE_CELL_READ_REPLICAS: variable('As TENANTSCOPE_POSTGRES_READ_URLS, addresses.', addressList()),
};
const prefixVariable = {
  TENANTSCOPE_CELL_TOPIC_PREFIX: variable(
    'Prefix of its topics.',
    z
      .string()
      .regex(topicPrefixPattern, 'must consist of alphanumeric characters, dots, hyphens and underscores')
      .optional(),
  ),
};
const shape = z.object({ ...databaseVariable, ...standbyVariables, ...prefixVariable });

function declareCells(further: z.ZodRawShape, description: string) {
  return {
    TENANTSCOPE_CELLS: declaring(
      `Comma list of the names of further cells (docs/operations/cells.md). ${description} For each of them, with its name in upper case and _ for each hyphen.`,
      commaList()
        .pipe(
          z
            .array(z.string().regex(cellPattern, 'must be names of a-z, 0-9 and hyphens, separated by commas'))
            .refine((names) => !names.includes(defaultCell), `must not contain ${defaultCell}`)
            .refine((names) => new Set(names).size === names.length, 'must not contain a name twice'),
        )
        .default([]),
      (value) => Object.fromEntries(parseNames(value).flatMap((name) => declareCell(name, further))),
    ),
  };
}

/** Declared by processes that read the databases of several cells. */
export const cellVariables = declareCells(
  databaseVariable,
  'TENANTSCOPE_CELL_NAME_DATABASE is the address of the database, host:port/database; login, password, TLS and what the address lacks are those of the database URL of the process.',
);

/** Of the API, which reads from standbys too. */
export const servedCellVariables = declareCells(
  { ...databaseVariable, ...standbyVariables },
  'TENANTSCOPE_CELL_NAME_DATABASE is the address of the database, host:port/database; login, password, TLS and what the address lacks are those of TENANTSCOPE_API_DATABASE_URL. TENANTSCOPE_CELL_NAME_STANDBYS, _STANDBY_NAMES and _READ_REPLICAS are comma lists for the cell, as TENANTSCOPE_STANDBY_DATABASE_URLS, TENANTSCOPE_STANDBY_NAMES and TENANTSCOPE_POSTGRES_READ_URLS.',
);

/** Of the command migrate, which creates cells. */
export const migratedCellVariables = declareCells(
  { ...databaseVariable, ...prefixVariable },
  'TENANTSCOPE_CELL_NAME_DATABASE is the address of the database, host:port/database; login, password, TLS and what the address lacks are those of the database URL of the owner. With TENANTSCOPE_CELL_NAME_TOPIC_PREFIX, the prefix of its topics, the cell is created unless it exists.',
);

/** Declared by ingest and jobs, which belong to one cell. */
export const ownCellVariable = {
  TENANTSCOPE_CELL: variable(
    'The cell of this process (docs/operations/cells.md). Its database URL is that of the cell, its control database URL that of the control database.',
    z.string().regex(cellPattern, 'must consist of a-z, 0-9 and hyphens').default(defaultCell),
  ),
};

/** The databases of a cell, with login, password and TLS of the process. */
export interface CellUrls {
  readonly name: string;
  /** The names of the variables of the others, for messages. */
  readonly variables: Readonly<Record<'database' | 'standbys' | 'standbyNames' | 'replicas', string>>;
  readonly database: string;
  /** Only where a process creates the cell. */
  readonly topicPrefix?: string | undefined;
  readonly standbys: readonly string[];
  readonly standbyNames: readonly string[];
  readonly replicas: readonly string[];
}

/**
 * The further cells of a process whose own database URL is `url`, as `readConfig` returned it. Throws ConfigError, which names every missing or wrong
 * variable.
 */
export function readCells(
  config: { readonly TENANTSCOPE_CELLS: readonly string[] } & Readonly<Record<string, unknown>>,
  url: string,
  environment: Environment = process.env,
): readonly CellUrls[] {
  const problems: string[] = [];
  const cells: CellUrls[] = [];
  for (const name of config.TENANTSCOPE_CELLS) {
    const given = Object.fromEntries(
      Object.keys(shape.shape).map((variable) => [variable, environment[nameCellVariable(name, variable)]]),
    );
    try {
      const read = readConfig(shape, given);
      const toUrl = (address: string) => {
        const moved = moveUrl(url, address);
        const isPlain = !moved.searchParams.has('sslmode');
        const problem = isPlain ? checkPlaintext('postgres', moved.hostname, config) : null;
        if (problem !== null) throw new ConfigError([`TENANTSCOPE_CELL_DATABASE: ${problem}`]);
        rememberPasswordUrl(moved.href, url);
        return moved.href;
      };
      cells.push({
        name,
        variables: {
          database: nameCellVariable(name, 'TENANTSCOPE_CELL_DATABASE'),
          standbys: nameCellVariable(name, 'TENANTSCOPE_CELL_STANDBYS'),
          standbyNames: nameCellVariable(name, 'TENANTSCOPE_CELL_STANDBY_NAMES'),
          replicas: nameCellVariable(name, 'TENANTSCOPE_CELL_READ_REPLICAS'),
        },
        database: toUrl(read.TENANTSCOPE_CELL_DATABASE),
        topicPrefix: read.TENANTSCOPE_CELL_TOPIC_PREFIX,
        standbys: read.TENANTSCOPE_CELL_STANDBYS.map(toUrl),
        standbyNames: read.TENANTSCOPE_CELL_STANDBY_NAMES,
        replicas: read.TENANTSCOPE_CELL_READ_REPLICAS.map(toUrl),
      });
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      problems.push(...error.problems.map((problem) => nameCellVariable(name, problem)));
    }
  }
  if (problems.length > 0) throw new ConfigError(problems);
  return cells;
}

function moveUrl(url: string, address: string): URL {
  if (!URL.canParse(url))
    throw new ConfigError(['TENANTSCOPE_CELL_DATABASE needs a database URL of the process with a host']);
  const [, host = '', port = '', database = ''] = addressPattern.exec(address) ?? [];
  const moved = new URL(url);
  if (moved.hostname === '' || moved.searchParams.has('host'))
    throw new ConfigError(['TENANTSCOPE_CELL_DATABASE needs a database URL of the process with a host']);
  moved.hostname = host;
  if (port !== '') moved.port = port.slice(1);
  if (database !== '') moved.pathname = database;
  return moved;
}

/** Names the variables of a cell: TENANTSCOPE_CELL_DATABASE becomes TENANTSCOPE_CELL_EU1_DATABASE. */
export function nameCellVariable(cell: string, text: string): string {
  const name = cell.toUpperCase().replaceAll('-', '_');
  return text.replaceAll('TENANTSCOPE_CELL_', `TENANTSCOPE_CELL_${name}_`);
}

/** Names that are invalid declare nothing; the process that reads the value reports them. */
const parseNames = (value: string): string[] =>
  commaList()
    .parse(value)
    .filter((name) => cellPattern.test(name));

const declareCell = (name: string, further: z.ZodRawShape): [variable: string, schema: z.core.$ZodType][] =>
  Object.entries(further).map(([variable, schema]) => [nameCellVariable(name, variable), schema]);
