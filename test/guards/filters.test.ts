import type { List } from '@tenantscope/contract';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ControlledInstallation, type Reader, startControlledInstallation } from './controlled-installation.ts';
import { inspectList, type ListMapping, lists } from './list-mapping.ts';
import { createRowWriter } from './row-writer.ts';

type Filter = List['filters'][string];

let product: ControlledInstallation;
let reader: Reader;
const mappings = new Map<string, ListMapping>();

const rowCount = 120;

beforeAll(async () => {
  product = await startControlledInstallation();
  reader = product.reader(await product.createTenant());
  for (const list of lists) {
    const learned = await inspectList(product, reader, list);
    mappings.set(list.name, learned);
    const maker = await createRowWriter(product.superuser, learned);
    const times = (number: number) =>
      Object.fromEntries(Object.keys(list.windows).map((axis) => [axis, product.throughMs() - number]));
    await maker.write(
      reader.tenantId,
      Array.from({ length: rowCount }, (_, number) => ({ id: maker.id(number), times: times(number) })),
    );
  }
});
afterAll(() => product?.[Symbol.asyncDispose]());

const common = (one?: ReadonlySet<string>, other?: ReadonlySet<string>) =>
  new Set([...(one ?? [])].filter((id) => other?.has(id)));

const valuesOf = (filter: Filter): readonly string[] => {
  if (filter.kind === 'flag') return ['true', 'false'];
  if (filter.kind === 'choices') return filter.allowed;
  return filter.hasCommas ? [filter.example] : filter.example.split(',');
};

test.each(lists.map((list) => [list.name, list] as const))(
  'every filter of %s excludes rows, and several values match any of them',
  async (name, list) => {
    const revealing = mappings.get(name)?.revealing ?? {};
    const idsOf = async (parameters: Record<string, string>): Promise<Set<string>> => {
      const page = await reader.get(list.path, { ...revealing, ...parameters, limit: '1000' });
      expect(page.status, page.text).toBe(200);
      return new Set(page.body.data.map(({ id }: { id: string }) => id));
    };
    const all = await idsOf({});
    expect(all.size).toBe(rowCount);
    for (const [filter, declared] of Object.entries<Filter>(list.filters)) {
      const values = valuesOf(declared);
      const found = await Promise.all(values.map((value) => idsOf({ [filter]: value })));
      if (filter in revealing) {
        const [shown = new Set(), matching = new Set()] = found;
        expect(shown, filter).toEqual(all);
        expect(matching.size, filter).toBeGreaterThan(0);
        expect(matching.size, filter).toBeLessThan(rowCount);
        continue;
      }
      for (const [place, one] of found.entries()) {
        expect(one.size, `${filter}=${values[place]}`).toBeGreaterThan(0);
        expect(one.size, `${filter}=${values[place]}`).toBeLessThan(rowCount);
      }
      if (declared.kind === 'flag') expect(common(found[0], found[1]), filter).toEqual(new Set());
      else
        expect(await idsOf({ [filter]: values.join(',') }), filter).toEqual(new Set(found.flatMap((one) => [...one])));
    }
  },
);

test.each(lists.map((list) => [list.name, list] as const))('several filters of %s all apply', async (name, list) => {
  const revealing = mappings.get(name)?.revealing ?? {};
  const given = Object.entries<Filter>(list.filters).filter(([filter]) => !(filter in revealing));
  const idsOf = async (parameters: Record<string, string>): Promise<Set<string>> => {
    const page = await reader.get(list.path, { ...revealing, ...parameters, limit: '1000' });
    return new Set(page.body.data.map(({ id }: { id: string }) => id));
  };
  for (const [place, [one, declared]] of given.entries()) {
    const [other, otherDeclared] = given[(place + 1) % given.length] ?? [one, declared];
    const [left, right] = [{ [one]: valuesOf(declared).join(',') }, { [other]: valuesOf(otherDeclared).join(',') }];
    if (declared.kind === 'flag') left[one] = 'true';
    if (otherDeclared.kind === 'flag') right[other] = 'true';
    const [a, b, both] = await Promise.all([idsOf(left), idsOf(right), idsOf({ ...left, ...right })]);
    expect(both, `${one} and ${other}`).toEqual(common(a, b));
  }
});
