import { randomUUID } from 'node:crypto';
import type { List } from '@tenantscope/contract';
import { identityStatement, logRecordStatement } from '@tenantscope/store/read';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ControlledInstallation, type Reader, startControlledInstallation } from './controlled-installation.ts';
import { captureStatement, gets, inspectList, type ListMapping, lists } from './list-mapping.ts';
import { readColumns } from './row-writer.ts';

let product: ControlledInstallation;
let reader: Reader;
const mappings: ListMapping[] = [];

beforeAll(async () => {
  product = await startControlledInstallation();
  reader = product.reader(await product.createTenant());
  for (const list of lists) mappings.push(await inspectList(product, reader, list));
});
afterAll(() => product?.[Symbol.asyncDispose]());

/** Columns that are not fields of the record: the document and internal columns. A new column is either a field or listed here. */
const privateColumns: Readonly<Record<string, readonly string[]>> = {
  'models.audit_log': ['member_lines', 'normaliser_version', 'target_ids'],
  'models.action': ['ledger', 'steps', 'settled_at', 'first_seen_at'],
  'models.detection': ['first_seen_at'],
  'models.policy_scan': ['first_seen_at'],
  'models.security_alert': ['first_triaged_at', 'first_seen_at'],
  'models.entity_user': ['principal_key', 'mail_key'],
  'models.entity_file': ['sensitive_info_type_ids'],
  'models.entity_group': ['mail_key'],
  'models.entity_email': ['sender_key', 'recipient_keys'],
  'models.entity_license': ['part_key'],
};
const privateOfRecords = ['digest', 'document', 'detail'];
const privateOfEntities = ['is_deleted', 'name_key'];

test.each(lists.map((list) => [list.name, list] as const))(
  'every column of the table of %s is a field, a window time, a filter or private by name',
  async (name, list) => {
    const { table, axes, filters } = findMapping(name);
    const filterColumns = Object.entries(filters).flatMap(([filter, { columns }]) =>
      columns.includes(columnName(filter)) ? [columnName(filter)] : [],
    );
    const expectedColumns = new Set([
      ...fieldsOf(list.record).map(columnName),
      ...Object.values(axes),
      ...filterColumns,
    ]);
    const hidden = [
      ...(privateColumns[table] ?? []),
      ...(isLog(table) ? [] : privateOfRecords),
      ...(table.startsWith('models.entity_') ? privateOfEntities : []),
    ];
    const columns = (await readColumns(product.superuser, table)).map((column) => column.name);
    expect(columns.filter((column) => !expectedColumns.has(column)).toSorted(), table).toEqual(hidden.toSorted());
  },
);

test.each(lists.map((list) => [list.name, list] as const))(
  'the statements of %s select the document and its position and order all rows',
  async (name, list) => {
    const { axes } = findMapping(name);
    for (const sort of list.sorts) {
      const statement = await captureStatement(product, reader, list.path, { sort });
      selectsOnly(statement, Object.values(axes));
      // Ties have an order too, for every plan.
      expect(statement).toMatch(/ order by (\w+)\.\w+ (asc|desc), \1\.id \2 limit \d+/);
    }
  },
);

const recordGets = gets.filter(({ name }) => name !== 'get_log');
if (recordGets.length > 0)
  test.each(recordGets.map((get) => [get.name, get] as const))(
    'the statement of %s selects only the document',
    async (_, get) => {
      selectsOnly(await captureStatement(product, reader, get.path.replace('{id}', 'x'), {}), []);
    },
  );

test('the statements of get_log select the time, the document and the raw block of the row', async () => {
  const id = randomUUID();
  const first = await captureStatement(product, reader, `/logs/${id}`, {});
  expect(first).toContain(identityStatement(reader.tenantId, id));
  const second = logRecordStatement(reader.tenantId, id, product.throughMs());
  expect(second.slice(0, second.indexOf(' from '))).toBe('select r.member_lines, (extract(epoch');
  for (const statement of [first, second])
    expect(statement).toMatch(new RegExp(`where \\w\\.tenant_id = '${reader.tenantId}'`));
});

function selectsOnly(statement: string, axes: readonly string[]): void {
  const parts = [...statement.matchAll(/select ((?:(?!select ).)+?) from models\./g)].map(([, part]) => part ?? '');
  expect(parts.length, statement).toBeGreaterThan(0);
  const columns = parts.flatMap((part) => [...part.matchAll(/\b[a-z]+\.(\w+|\*)/g)].map(([, column]) => column));
  expect(columns.includes('document') !== columns.includes('member_lines'), statement).toBe(true);
  expect(
    columns.filter((column) => !['document', 'detail', 'member_lines', 'id', ...axes].includes(column ?? '')),
    statement,
  ).toEqual([]);
}

const isLog = (table: string) => table === 'models.audit_log';

function findMapping(name: string): ListMapping {
  const found = mappings.find((one) => one.list.name === name);
  if (!found) throw new Error(`no mapping of ${name}`);
  return found;
}

type RecordSchema = List['record'];

/** Names of the members of a record and of its objects, alone and joined: `entity.type` is `entityType`. */
function fieldsOf(record: RecordSchema): string[] {
  return Object.entries<unknown>(record.shape).flatMap(([name, member]) => {
    const inner = objectIn(member);
    const nested = inner ? fieldsOf(inner) : [];
    return [name, ...nested, ...nested.map((field) => name + field.slice(0, 1).toUpperCase() + field.slice(1))];
  });
}

/** The object type of a member, also when it is optional or one of several alternatives. */
function objectIn(member: unknown): RecordSchema | null {
  const { def } = member as { def: { type: string; innerType?: unknown; options?: readonly unknown[] } };
  if (def.type === 'object') return member as RecordSchema;
  const within = [...(def.innerType ? [def.innerType] : []), ...(def.options ?? [])];
  return within.map(objectIn).find((found) => found !== null) ?? null;
}

const columnName = (field: string) => field.replaceAll(/[A-Z]/g, (capital) => `_${capital.toLowerCase()}`);
