import { type Get, type List, type Operation, operations } from '@tenantscope/contract';
import type { ControlledInstallation, Reader } from './controlled-installation.ts';

/** How a list maps to its table, learned from the statements of the api, so that no test needs an entry for a new list. */
export interface ListMapping {
  readonly list: List;
  /** Schema-qualified. */
  readonly table: string;
  /** The column of each axis. */
  readonly axes: Readonly<Record<string, string>>;
  /** Other columns with a fixed value, when a table contains the rows of several lists. */
  readonly fixed: Readonly<Record<string, string>>;
  /** The columns that each filter compares and the texts it compares with. */
  readonly filters: Readonly<
    Record<string, { readonly columns: readonly string[]; readonly values: readonly string[] }>
  >;
  /** Flags without which some rows are hidden. */
  readonly revealing: Readonly<Record<string, string>>;
}

const every: readonly Operation[] = operations;
/** Lists that are requested by windows. A history has no windows and its own test. */
export const lists = every.filter(
  (operation): operation is List => operation.kind === 'list' && Object.keys(operation.windows).length > 0,
);
/** Reads of one record by its id. A report is rendered from many records and has its own tests. */
export const gets = every.filter(
  (operation): operation is Get => operation.kind === 'get' && operation.path.endsWith('/{id}'),
);

export async function inspectList(product: ControlledInstallation, reader: Reader, list: List): Promise<ListMapping> {
  const capture = (parameters: Record<string, string>) => captureStatement(product, reader, list.path, parameters);
  const axes: Record<string, string> = {};
  let table = '';
  for (const sort of list.sorts) {
    const statement = await capture({ sort });
    const [, column] = /order by \w+\.(\w+)/.exec(statement) ?? [];
    table = / from (models\.\w+)/.exec(statement)?.[1] ?? '';
    axes[sort.replace(/(Asc|Desc)$/, '')] = column ?? '';
  }
  for (const [axis, { from }] of Object.entries(list.windows)) {
    const { added } = difference(await capture({}), await capture({ [from]: '2020-01-01T00:00:00Z' }));
    axes[axis] ??= columnsIn(added)[0] ?? '';
  }
  const plain = await capture({});
  const filters: Record<string, { columns: string[]; values: string[] }> = {};
  const revealing: Record<string, string> = {};
  for (const [name, filter] of Object.entries(list.filters)) {
    const given =
      filter.kind === 'choices' ? filter.allowed.join(',') : filter.kind === 'flag' ? 'true' : filter.example;
    const { added, removed } = difference(plain, await capture({ [name]: given }));
    if (filter.kind === 'flag' && added === '' && removed !== '') revealing[name] = 'true';
    filters[name] = { columns: columnsIn(added + removed), values: textsIn(added) };
  }
  const fixed = splitConditions(plain).flatMap((condition) => {
    const [, column = '', value = ''] = /^\w+\.(\w+) = '([^']*)'$/.exec(condition) ?? [];
    return column === '' || column === 'tenant_id' ? [] : [[column, value] as const];
  });
  return { list, table, axes, fixed: Object.fromEntries(fixed), filters, revealing };
}

/**
 * The statement that reads the rows of a page. Before it, the newest block of the log is read, and for a filter on users their aliases and, since no
 * directory reports the example, the newest rows with that name. After an empty page, values of vocabularies are searched for.
 */
export async function captureStatement(
  { proxy: wire }: ControlledInstallation,
  reader: Reader,
  path: string,
  parameters: Record<string, string>,
): Promise<string> {
  const { result, statements: sent } = await wire.capture(reader.tenantId, () => reader.get(path, parameters));
  const statements = sent.filter((statement) => !statement.includes(' from models.log_block b '));
  const onRows = statements.filter((statement) => !statement.includes(';with candidate as ('));
  const searches = parameters.user ? 1 : 0;
  const page = onRows[searches];
  const following = result.body?.data?.length === 0 ? onRows.length - 1 - searches : 0;
  if (
    page === undefined ||
    onRows.length !== 1 + searches + following ||
    statements.length - onRows.length !== searches
  )
    throw new Error(
      `${path} responded ${result.status} with ${statements.length} statements: ${result.text.slice(0, 300)}`,
    );
  return page;
}

/**
 * What a parameter changes about a statement, in whole conditions. Those of the window and the position on the axis of the sort are left out: the
 * watermark may have moved between the two, and a page without filters has them in another form.
 */
function difference(before: string, after: string): { added: string; removed: string } {
  const [ours, theirs] = [before, after].map((statement) => {
    const [, axis = ''] = / order by (\w+\.\w+) /.exec(statement) ?? [];
    return splitConditions(statement)
      .filter((condition) => !condition.startsWith(axis) && !condition.startsWith(`(${axis},`))
      .map((condition) => condition.replace(/'[^']*'::timestamptz/, "'…'::timestamptz"));
  }) as [string[], string[]];
  const without = (some: string[], others: string[]) => some.filter((one) => !others.includes(one)).join(' and ');
  return { added: without(theirs, ours), removed: without(ours, theirs) };
}

/** The conditions of the outermost `where`; an "and" inside brackets or quotes belongs to its condition. */
export function splitConditions(statement: string): string[] {
  const where = statement.slice(statement.indexOf(' where ') + ' where '.length, statement.lastIndexOf(' order by '));
  let depth = 0;
  let start = 0;
  const found: string[] = [];
  for (const { 0: token, index } of where.matchAll(/'(?:[^']|'')*'|[()]| and /g)) {
    if (token === '(') depth++;
    if (token === ')') depth--;
    if (token !== ' and ' || depth > 0) continue;
    found.push(where.slice(start, index));
    start = index + token.length;
  }
  return [...found, where.slice(start)];
}

const columnsIn = (sql: string): string[] => [
  ...new Set([...sql.matchAll(/\b[a-z]+\.(\w+)/g)].map(([, name]) => name ?? '')),
];

const textsIn = (sql: string): string[] => [
  ...new Set([...sql.matchAll(/'((?:[^']|'')*)'/g)].map(([, text]) => (text ?? '').replaceAll("''", "'"))),
];
