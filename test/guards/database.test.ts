import type { List } from '@tenantscope/contract';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type AskedList, gets, learnList, lists, statementOf } from './asked.ts';
import { columnsOf } from './rows.ts';
import { type Reader, type StillProduct, stillProduct } from './still-product.ts';

let product: StillProduct;
let reader: Reader;
const asked: AskedList[] = [];

beforeAll(async () => {
  product = await stillProduct();
  reader = product.reader(await product.tenant());
  for (const list of lists) asked.push(await learnList(product, reader, list));
}, 90_000);
afterAll(() => product?.[Symbol.asyncDispose](), 60_000);

/** Columns that are no field of the record: the document itself and what only the inside needs. A new column is either a field or named here. */
const privateColumns: Readonly<Record<string, readonly string[]>> = {
  'models.audit_log': ['tenant_id', 'document', 'outcome', 'record_type', 'normaliser_version'],
  'models.action': ['ledger', 'steps', 'settled_at', 'noticed_at'],
  'models.detection': ['noticed_at'],
  'models.policy_scan': ['noticed_at'],
  'models.security_alert': ['first_left_new_at', 'noticed_at'],
  'models.entity_user': ['principal_key', 'mail_key'],
  'models.entity_file': ['sensitive_info_type_ids'],
  'models.entity_group': ['mail_key'],
  'models.entity_email': ['sender_key', 'recipient_keys'],
  'models.entity_license': ['part_key'],
};
const privateOfRecords = ['tenant_id', 'digest', 'document', 'detail'];
const privateOfEntities = ['is_deleted', 'name_key'];

test.each(lists.map((list) => [list.name, list] as const))(
  '%s: every column of its table is a field, a time of a window, a filter, or private by name',
  async (name, list) => {
    const { table, axes, filters } = askedOf(name);
    const filterColumns = Object.entries(filters).flatMap(([filter, { columns }]) =>
      columns.includes(columnName(filter)) ? [columnName(filter)] : [],
    );
    const known = new Set([...fieldsOf(list.record).map(columnName), ...Object.values(axes), ...filterColumns]);
    const hidden = [
      ...(privateColumns[table] ?? []),
      ...(isLog(table) ? [] : privateOfRecords),
      ...(table.startsWith('models.entity_') ? privateOfEntities : []),
    ];
    const columns = (await columnsOf(product.superuser, table)).map((column) => column.name);
    expect(columns.filter((column) => !known.has(column)).toSorted(), table).toEqual(hidden.toSorted());
  },
);

test.each(lists.map((list) => [list.name, list] as const))(
  '%s: statements select the document and where it stands, and order all rows',
  async (name, list) => {
    const { axes } = askedOf(name);
    for (const sort of list.sorts) {
      const statement = await statementOf(product, reader, list.path, { sort });
      selectsOnly(statement, Object.values(axes));
      // Ties too have an order, whatever way the rows are found.
      expect(statement).toMatch(/ order by (\w+)\.\w+ (asc|desc), \1\.id \2 limit \d+/);
    }
  },
);

if (gets.length > 0)
  test.each(gets.map((get) => [get.name, get] as const))(
    '%s: no statement selects a column beside the document',
    async (_, get) => {
      selectsOnly(await statementOf(product, reader, get.path.replace('{id}', 'x'), {}), []);
    },
  );

function selectsOnly(statement: string, axes: readonly string[]): void {
  const parts = [...statement.matchAll(/select ((?:(?!select ).)+?) from models\./g)].map(([, part]) => part ?? '');
  expect(parts.length, statement).toBeGreaterThan(0);
  const columns = parts.flatMap((part) => [...part.matchAll(/\b[a-z]+\.(\w+|\*)/g)].map(([, column]) => column));
  expect(columns, statement).toContain('document');
  expect(
    columns.filter((column) => !['document', 'detail', 'id', ...axes].includes(column ?? '')),
    statement,
  ).toEqual([]);
}

const isLog = (table: string) => table === 'models.audit_log';

function askedOf(name: string): AskedList {
  const found = asked.find((one) => one.list.name === name);
  if (!found) throw new Error(`${name} was not asked`);
  return found;
}

type RecordSchema = List['record'];

/** Names of a record's members, and of members of its objects, alone and joined with theirs: `entity.type` is `entityType`. */
function fieldsOf(record: RecordSchema): string[] {
  return Object.entries<unknown>(record.shape).flatMap(([name, member]) => {
    const inner = objectIn(member);
    const nested = inner ? fieldsOf(inner) : [];
    return [name, ...nested, ...nested.map((field) => name + field.slice(0, 1).toUpperCase() + field.slice(1))];
  });
}

/** The object that a member is, may be, or is one alternative of. */
function objectIn(member: unknown): RecordSchema | null {
  const { def } = member as { def: { type: string; innerType?: unknown; options?: readonly unknown[] } };
  if (def.type === 'object') return member as RecordSchema;
  const within = [...(def.innerType ? [def.innerType] : []), ...(def.options ?? [])];
  return within.map(objectIn).find((found) => found !== null) ?? null;
}

const columnName = (field: string) => field.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
