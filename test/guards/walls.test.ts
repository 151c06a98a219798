import { type Operation, operations, scopes } from '@tenantscope/contract';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Called } from '../product/caller.ts';
import { type AskedList, gets, learnList, lists, statementOf } from './asked.ts';
import { rowMaker } from './rows.ts';
import { type Reader, type StillProduct, stillProduct } from './still-product.ts';

let product: StillProduct;
/** Two tenants whose records have the same ids. */
let tenants: readonly [string, string];
let readers: readonly [Reader, Reader];
const asked = new Map<string, AskedList>();
/** By the path of the list: ids that both have, and one that only the second has. */
const ids = new Map<string, { both: readonly string[]; others: string }>();

const rowCount = 12;

beforeAll(async () => {
  product = await stillProduct();
  tenants = [await product.tenant(), await product.tenant()];
  readers = [product.reader(tenants[0]), product.reader(tenants[1])];
  for (const list of lists) {
    const learned = await learnList(product, readers[0], list);
    asked.set(list.name, learned);
    const maker = await rowMaker(product.superuser, learned);
    const rows = Array.from({ length: rowCount }, (_, number) => {
      const atMs = product.throughMs() - 1_000 * number;
      return { id: maker.id(number), times: Object.fromEntries(Object.keys(list.windows).map((axis) => [axis, atMs])) };
    });
    const others = { id: maker.id(rowCount), times: rows[0]?.times ?? {} };
    await maker.write(tenants[0], rows);
    await maker.write(tenants[1], [...rows, others]);
    ids.set(list.path, { both: rows.map(({ id }) => id), others: others.id });
  }
  for (const get of gets) await nameThem(get);
}, 90_000);
afterAll(() => product?.[Symbol.asyncDispose](), 60_000);

const named = <One extends Operation>(some: readonly One[]) => some.map((one) => [one.name, one] as const);
const reveal = (list: string) => asked.get(list)?.revealing ?? {};
const holders = (page: Called) => new Set(page.body.data.map(({ heldBy }: { heldBy: string }) => heldBy));

/** By-id paths where records have other names too: both tenants' first record has this one, and the second tenant's last has that. */
const aliased = new Set<string>();
const [sharedName, othersName] = ['a-name-of-both', "a-name-of-the-other's"];

async function nameThem(get: Operation): Promise<void> {
  const statement = await statementOf(product, readers[0], get.path.replace('{id}', 'x'), {});
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

/** Ids under a by-id path, from the list beside it. */
function idsUnder(path: string): { both: readonly string[]; others: string } {
  const known = ids.get(path.replace('/{id}', ''));
  if (!known) throw new Error(`no list beside ${path} says which ids there are`);
  return known;
}

const byId = (path: string, id: string) => path.replace('{id}', encodeURIComponent(id));

/** A record both tenants have; for what is no by-id read the example of its id. */
function idFor(operation: Operation): string {
  if (operation.path.endsWith('/{id}')) return idsUnder(operation.path).both[0] ?? '';
  return operation.kind === 'get' ? operation.exampleId : '';
}

test.each(named(lists))("%s: each tenant's rows and nobody else's", async (name, list) => {
  for (const sort of list.sorts)
    for (const [place, reader] of readers.entries()) {
      const page = await reader.get(list.path, { ...reveal(name), sort, limit: '1000' });
      expect(page.status, page.text).toBe(200);
      expect(page.body.data).toHaveLength(rowCount + place);
      expect(holders(page)).toEqual(new Set([tenants[place]]));
    }
});

if (gets.length > 0)
  test.each(named(gets))('%s: of two tenants with one id, or one name, each reads its own', async (_, get) => {
    for (const id of idsUnder(get.path).both)
      for (const [place, reader] of readers.entries()) {
        const answer = await reader.get(byId(get.path, id));
        expect(answer.status, `${id} ${answer.text}`).toBe(200);
        expect(answer.body.data).toMatchObject({ id, heldBy: tenants[place] });
      }
    if (!aliased.has(get.name)) return;
    for (const [place, reader] of readers.entries()) {
      const answer = await reader.get(byId(get.path, sharedName));
      expect(answer.body.data).toMatchObject({ id: idsUnder(get.path).both[place], heldBy: tenants[place] });
    }
  });

if (gets.length > 0)
  test.each(named(gets))(
    "%s: another tenant's id and an unknown id are answered alike, byte for byte",
    async (_, get) => {
      const { others } = idsUnder(get.path);
      expect((await readers[1].get(byId(get.path, others))).status).toBe(200);
      if (aliased.has(get.name)) expect((await readers[1].get(byId(get.path, othersName))).status).toBe(200);
      const unknown = others.replace(/[0-9a-f]$/, (digit) => (digit === '0' ? '1' : '0'));
      const [nobodys, ...theirs] = await Promise.all(
        [unknown, others, othersName].map((id) =>
          readers[0].get(byId(get.path, id), {}, { 'X-Request-Id': 'the-same' }),
        ),
      );
      expect(nobodys).toMatchObject({ status: 404, code: 'NOT_FOUND' });
      for (const answer of theirs) {
        expect(answer.text).toBe(nobodys?.text);
        expect(steadyHeaders(answer)).toEqual(steadyHeaders(nobodys));
      }
    },
  );

const steadyHeaders = (answer: Called | undefined) =>
  [...(answer?.headers ?? [])].filter(([name]) => !/^(date|x-ratelimit-)/.test(name));

test.each(named(operations.filter(({ scope }) => scope !== null)))(
  '%s: without its scope 403, whatever else is asked',
  async (_, operation) => {
    const reader = product.reader(
      tenants[0],
      scopes.filter((scope) => scope !== operation.scope),
    );
    const path = byId(operation.path, idFor(operation));
    for (const parameters of [{}, { limit: '0', nonsense: '1' }]) {
      const answer = await reader.get(path, parameters);
      expect(answer).toMatchObject({ status: 403, code: 'INSUFFICIENT_SCOPE' });
      expect(answer.body.error.details).toEqual([expect.objectContaining({ allowed: [operation.scope] })]);
    }
    const only = product.reader(tenants[0], operation.scope ? [operation.scope] : []);
    expect((await only.get(path)).status).toBe(200);
  },
);

/** The rows' tenant as the statements name it: the explicit wall. */
const withoutPredicate = (statement: string) => statement.replaceAll(/\b\w+\.tenant_id = '[0-9a-f-]{36}'/g, 'true');

/** Asks every list and by-id read as the first tenant. */
async function askAll(): Promise<{ name: string; answer: Called }[]> {
  const answers: { name: string; answer: Called }[] = [];
  for (const list of lists)
    for (const sort of list.sorts)
      answers.push({
        name: `${list.name} ${sort}`,
        answer: await readers[0].get(list.path, { ...reveal(list.name), sort, limit: '1000' }),
      });
  for (const get of gets) {
    const { both, others } = idsUnder(get.path);
    for (const id of [both[0] ?? '', others, ...(aliased.has(get.name) ? [sharedName, othersName] : [])])
      answers.push({ name: `${get.name} ${id}`, answer: await readers[0].get(byId(get.path, id)) });
  }
  return answers;
}

const seen = (answers: readonly { name: string; answer: Called }[]) =>
  answers.map(({ name, answer }) => ({ name, status: answer.status, data: answer.body.data }));

const allHolders = (answers: readonly { answer: Called }[]) =>
  new Set(
    answers.flatMap(({ answer }) => [answer.body.data ?? []].flat().map(({ heldBy }: { heldBy: string }) => heldBy)),
  );

async function withRewriting<Result>(
  change: (statement: string) => string,
  work: () => Promise<Result>,
): Promise<Result> {
  product.wire.rewrite(change);
  try {
    return await work();
  } finally {
    product.wire.rewrite(null);
  }
}

describe('each wall holds with the other one taken away', () => {
  test('the statements carry both', async () => {
    for (const list of lists) {
      const statement = await statementOf(product, readers[0], list.path, {});
      expect(statement).toContain(`set_config('tenantscope.tenant', '${tenants[0]}', true)`);
      expect(withoutPredicate(statement)).not.toBe(statement);
    }
  });

  test('without the predicate row-level security answers the same', async () => {
    const before = seen(await askAll());
    expect(seen(await withRewriting(withoutPredicate, askAll))).toEqual(before);
  });

  test('row-level security set to another tenant than the predicate: nothing', async () => {
    const answers = await withRewriting(
      (statement) => statement.replace(/(set_config\('tenantscope\.tenant', ')[0-9a-f-]{36}/, `$1${tenants[1]}`),
      askAll,
    );
    for (const { name, answer } of answers)
      if (answer.status === 200) expect(answer.body.data, name).toEqual([]);
      else expect(answer, name).toMatchObject({ status: 404 });
  });

  test('a tenant that was never set is a failure, not an empty answer', async () => {
    const answers = await withRewriting(
      (statement) => statement.replace(/set_config\('tenantscope\.tenant', '[^']*', true\)/, "''"),
      askAll,
    );
    for (const { name, answer } of answers) expect(answer, name).toMatchObject({ status: 500, code: 'INTERNAL_ERROR' });
  });

  test("without row-level security the predicate answers the same; without both, others' rows would show", async () => {
    const before = seen(await askAll());
    const { rows: walled } = await product.superuser.query<{ name: string }>(
      `select oid::regclass::text as name from pg_class where relrowsecurity and relnamespace = 'models'::regnamespace`,
    );
    const each = async (change: string) => {
      for (const { name } of walled) await product.superuser.query(`alter table ${name} ${change} row level security`);
    };
    await each('disable');
    try {
      expect(seen(await askAll())).toEqual(before);
      const open = await withRewriting(withoutPredicate, askAll);
      for (const one of open)
        if (one.answer.status === 200 && Array.isArray(one.answer.body.data))
          expect(allHolders([one]), one.name).toEqual(new Set(tenants));
    } finally {
      await each('enable');
    }
  });
});
