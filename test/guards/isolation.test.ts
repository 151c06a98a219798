import { findExampleId, type Operation, operations, requiredScopes, scopes } from '@tenantscope/contract';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ApiResponse } from '../installation/api-client.ts';
import { type ControlledInstallation, type Reader, startControlledInstallation } from './controlled-installation.ts';
import { captureStatement, gets, inspectList, type ListMapping, lists } from './list-mapping.ts';
import { createRowWriter, readOwner } from './row-writer.ts';

let product: ControlledInstallation;
/** Two tenants whose records have the same ids. */
let tenants: readonly [string, string];
let readers: readonly [Reader, Reader];
const mappings = new Map<string, ListMapping>();
/** By the path of the list: ids that both have, and one that only the second has. */
const ids = new Map<string, { both: readonly string[]; others: string }>();

const rowCount = 12;

beforeAll(async () => {
  product = await startControlledInstallation();
  tenants = [await product.createTenant(), await product.createTenant()];
  readers = [product.reader(tenants[0]), product.reader(tenants[1])];
  for (const list of lists) {
    const learned = await inspectList(product, readers[0], list);
    mappings.set(list.name, learned);
    const maker = await createRowWriter(product.superuser, learned);
    const rows = Array.from({ length: rowCount }, (_, number) => {
      const atMs = product.throughMs() - 1_000 * number;
      return { id: maker.id(number), times: Object.fromEntries(Object.keys(list.windows).map((axis) => [axis, atMs])) };
    });
    const others = { id: maker.id(rowCount), times: rows[0]?.times ?? {} };
    await maker.write(tenants[0], rows);
    await maker.write(tenants[1], [...rows, others]);
    ids.set(list.path, { both: rows.map(({ id }) => id), others: others.id });
  }
  for (const get of gets) await nameRecords(get);
});
afterAll(() => product?.[Symbol.asyncDispose]());

const named = <One extends Operation>(some: readonly One[]) => some.map((one) => [one.name, one] as const);
const reveal = (list: string) => mappings.get(list)?.revealing ?? {};
const holders = (page: ApiResponse) => new Set(page.body.data.map(readOwner));

/** By-id paths of records with aliases: the first record of both tenants has this one, and the last record of the second tenant has that one. */
const aliased = new Set<string>();
const [sharedName, othersName] = ['a-name-of-both', "a-name-of-the-other's"];

async function nameRecords(get: Operation): Promise<void> {
  const statement = await captureStatement(
    product,
    readers[0],
    get.path.replace('{id}', '00000000-0000-8000-8000-000000000000'),
    {},
  );
  const [, table] = / from (models\.\w+) a join /.exec(statement) ?? [];
  const [, kind] = /\ba\.kind = '(\w+)'/.exec(statement) ?? [];
  if (!table || !kind) return;
  aliased.add(get.name);
  const { both, others } = idsUnder(get.path);
  const write = (tenantId: string, alias: string, id: string | undefined) =>
    product.superuser.query(`insert into ${table} (tenant_id, kind, alias, id) values ($1, $2, $3, $4)`, [
      tenantId,
      kind,
      alias,
      id,
    ]);
  await write(tenants[0], sharedName, both[0]);
  await write(tenants[1], sharedName, both[1]);
  await write(tenants[1], othersName, others);
}

/** Ids for a by-id path, from its list. */
function idsUnder(path: string): { both: readonly string[]; others: string } {
  const entry = ids.get(path.replace(/\/\{id\}.*$/, ''));
  if (!entry) throw new Error(`no list for ${path}`);
  return entry;
}

const byId = (path: string, id: string) => path.replace('{id}', encodeURIComponent(id));

/** A record that both tenants have; the example id for a get without ids. */
function idFor(operation: Operation): string {
  if (operation.path.endsWith('/{id}') || operation.name === 'list_detection_logs')
    return idsUnder(operation.path).both[0] ?? '';
  return findExampleId(operation) ?? '';
}

test.each(named(lists))('%s returns the rows of its own tenant only', async (name, list) => {
  for (const sort of list.sorts)
    for (const [place, reader] of readers.entries()) {
      const page = await reader.get(list.path, { ...reveal(name), sort, limit: '1000' });
      expect(page.status, page.text).toBe(200);
      expect(page.body.data).toHaveLength(rowCount + place);
      expect(holders(page)).toEqual(new Set([tenants[place]]));
    }
});

if (gets.length > 0)
  test.each(named(gets))(
    '%s returns each tenant its own record when two tenants share an id or a name',
    async (_, get) => {
      for (const id of idsUnder(get.path).both)
        for (const [place, reader] of readers.entries()) {
          const response = await reader.get(byId(get.path, id));
          expect(response.status, `${id} ${response.text}`).toBe(200);
          expect(response.body.data).toMatchObject({ id });
          expect(readOwner(response.body.data)).toBe(tenants[place]);
        }
      if (!aliased.has(get.name)) return;
      for (const [place, reader] of readers.entries()) {
        const response = await reader.get(byId(get.path, sharedName));
        expect(response.body.data).toMatchObject({ id: idsUnder(get.path).both[place], ownerTenantId: tenants[place] });
      }
    },
  );

if (gets.length > 0)
  test.each(named(gets))('%s returns the same bytes for an id of another tenant and an unknown id', async (_, get) => {
    const { others } = idsUnder(get.path);
    expect((await readers[1].get(byId(get.path, others))).status).toBe(200);
    if (aliased.has(get.name)) expect((await readers[1].get(byId(get.path, othersName))).status).toBe(200);
    const unknown = others.replace(/[0-9a-f]$/, (digit) => (digit === '0' ? '1' : '0'));
    const [missing, ...theirs] = await Promise.all(
      [unknown, others, othersName].map((id) => readers[0].get(byId(get.path, id), {}, { 'X-Request-Id': 'the-same' })),
    );
    expect(missing).toMatchObject({ status: 404, code: 'NOT_FOUND' });
    for (const response of theirs) {
      expect(response.text).toBe(missing?.text);
      expect(steadyHeaders(response)).toEqual(steadyHeaders(missing));
    }
  });

const steadyHeaders = (response: ApiResponse | undefined) =>
  [...(response?.headers ?? [])].filter(([name]) => !/^(date|x-ratelimit-)/.test(name));

test.each(named(operations.filter(({ scope }) => scope !== null)))(
  '%s returns 403 without its scope for every request',
  async (_, operation) => {
    const path = byId(operation.path, idFor(operation));
    for (const required of requiredScopes(operation)) {
      const reader = product.reader(
        tenants[0],
        scopes.filter((scope) => scope !== required),
      );
      for (const parameters of [{}, { limit: '0', nonsense: '1' }]) {
        const response = await reader.get(path, parameters);
        expect(response).toMatchObject({ status: 403, code: 'INSUFFICIENT_SCOPE' });
        expect(response.body.error.details).toEqual([expect.objectContaining({ allowed: [required] })]);
      }
    }
    const only = product.reader(tenants[0], requiredScopes(operation));
    expect((await only.get(path)).status).toBe(200);
  },
);

/** The tenant predicate of the statements: the explicit isolation layer. */
const withoutPredicate = (statement: string) => statement.replaceAll(/\b\w+\.tenant_id = '[0-9a-f-]{36}'/g, 'true');

/** Requests every list and by-id read as the first tenant. */
async function requestAll(): Promise<{ name: string; response: ApiResponse }[]> {
  const responses: { name: string; response: ApiResponse }[] = [];
  for (const list of lists)
    for (const sort of list.sorts)
      responses.push({
        name: `${list.name} ${sort}`,
        response: await readers[0].get(list.path, { ...reveal(list.name), sort, limit: '1000' }),
      });
  for (const get of gets) {
    const { both, others } = idsUnder(get.path);
    for (const id of [both[0] ?? '', others, ...(aliased.has(get.name) ? [sharedName, othersName] : [])])
      responses.push({ name: `${get.name} ${id}`, response: await readers[0].get(byId(get.path, id)) });
  }
  return responses;
}

const seen = (responses: readonly { name: string; response: ApiResponse }[]) =>
  responses.map(({ name, response }) => ({ name, status: response.status, data: response.body.data }));

const allHolders = (responses: readonly { response: ApiResponse }[]) =>
  new Set(responses.flatMap(({ response }) => [response.body.data ?? []].flat().map(readOwner)));

async function withRewriting<Result>(
  change: (statement: string) => string,
  work: () => Promise<Result>,
): Promise<Result> {
  product.proxy.rewrite(change);
  try {
    return await work();
  } finally {
    product.proxy.rewrite(null);
  }
}

describe('each isolation layer works without the other', () => {
  test('statements contain both isolation layers', async () => {
    for (const list of lists) {
      const statement = await captureStatement(product, readers[0], list.path, {});
      expect(statement).toContain(`set_config('tenantscope.tenant', '${tenants[0]}', true)`);
      expect(withoutPredicate(statement)).not.toBe(statement);
    }
  });

  test('row-level security alone isolates the tenants', async () => {
    const before = seen(await requestAll());
    expect(seen(await withRewriting(withoutPredicate, requestAll))).toEqual(before);
  });

  test('a tenant setting that differs from the predicate returns nothing', async () => {
    const responses = await withRewriting(
      (statement) => statement.replace(/(set_config\('tenantscope\.tenant', ')[0-9a-f-]{36}/, `$1${tenants[1]}`),
      requestAll,
    );
    for (const { name, response } of responses)
      if (response.status === 200) expect(response.body.data, name).toEqual([]);
      else expect(response, name).toMatchObject({ status: 404 });
  });

  test('a missing tenant setting is an error and not an empty response', async () => {
    const responses = await withRewriting(
      (statement) => statement.replace(/set_config\('tenantscope\.tenant', '[^']*', true\)/, "''"),
      requestAll,
    );
    for (const { name, response } of responses)
      expect(response, name).toMatchObject({ status: 500, code: 'INTERNAL_ERROR' });
  });

  test('the predicate alone isolates the tenants, and without both layers other rows are visible', async () => {
    const before = seen(await requestAll());
    const { rows: walled } = await product.superuser.query<{ name: string }>(
      `select oid::regclass::text as name from pg_class where relrowsecurity and relnamespace = 'models'::regnamespace`,
    );
    const each = async (change: string) => {
      for (const { name } of walled) await product.superuser.query(`alter table ${name} ${change} row level security`);
    };
    await each('disable');
    try {
      expect(seen(await requestAll())).toEqual(before);
      const open = await withRewriting(withoutPredicate, requestAll);
      for (const one of open)
        if (one.response.status === 200 && Array.isArray(one.response.body.data))
          expect(allHolders([one]), one.name).toEqual(new Set(tenants));
    } finally {
      await each('enable');
    }
  });
});
