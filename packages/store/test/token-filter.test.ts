import fc from 'fast-check';
import { expect, test } from 'vitest';
import { textArrayField } from '../src/ingest/row/binary-copy.ts';
import { logFilterColumns } from '../src/read/log/log-page-statement.ts';
import { listTokenBits, TokenFilter, tokenColumns } from '../src/resource/token-filter.ts';

const columnOf = (name: string) => {
  const column = tokenColumns.find((one) => one.column === name);
  if (!column) throw new Error(`no column ${name}`);
  return column;
};

/** Adds the value in the binary format of COPY, without its length. */
function add(filter: TokenFilter, name: string, value: string | boolean | readonly string[]): void {
  const bytes =
    typeof value === 'boolean'
      ? Buffer.of(value ? 1 : 0)
      : typeof value === 'string'
        ? Buffer.from(value)
        : Buffer.from(textArrayField(value), 'latin1').subarray(4);
  filter.add(columnOf(name), bytes, 0, bytes.length);
}

/** As get_bit of PostgreSQL. */
const mayHave = ({ bytes }: TokenFilter, name: string, value: string | boolean): boolean =>
  listTokenBits(name, value).every((bit) => (((bytes[bit >> 3] as number) >> (bit & 7)) & 1) === 1);

const text = fc.oneof(fc.string({ unit: 'binary' }), fc.string({ unit: 'grapheme' }), fc.constant(''));

test('a filter has every value that was added to it', () => {
  fc.assert(
    fc.property(
      fc.array(fc.tuple(fc.constantFrom(...tokenColumns), text), { maxLength: 200 }),
      fc.boolean(),
      (values, flag) => {
        const filter = new TokenFilter();
        add(filter, 'is_managed_device', flag);
        for (const [{ column, form }, value] of values)
          if (form !== 'flag') add(filter, column, form === 'texts' ? ['before', value, 'after'] : value);
        expect(mayHave(filter, 'is_managed_device', flag)).toBe(true);
        for (const [{ column, form }, value] of values)
          if (form !== 'flag') expect(mayHave(filter, column, value), `${column} ${JSON.stringify(value)}`).toBe(true);
      },
    ),
  );
});

test('actors are found by either column ignoring case within ASCII', () => {
  const filter = new TokenFilter();
  add(filter, 'actor_user_id', 'Ada@Contoso.example');
  expect(mayHave(filter, 'actor_id', 'ada@contoso.EXAMPLE')).toBe(true);
  expect(mayHave(filter, 'actor_id', 'ada@fabrikam.example')).toBe(false);
  add(filter, 'actor_id', 'ÄDA');
  expect(mayHave(filter, 'actor_id', 'Äda')).toBe(true);
  expect(mayHave(filter, 'actor_id', 'äda')).toBe(false);
});

test('a full filter is wrong about fewer than 1 of 5,000 values that it does not have', () => {
  const filter = new TokenFilter();
  let values = 0;
  for (; !filter.isFull(); values++) add(filter, 'external_event_id', `present-${values}`);
  expect(values).toBeGreaterThan(790);
  expect(values).toBeLessThan(840);
  const absent = Array.from({ length: 50_000 }, (_, number) => `absent-${number}`);
  expect(absent.filter((value) => mayHave(filter, 'external_event_id', value)).length).toBeLessThan(10);
  // A value of another column is absent too.
  expect(absent.filter((value) => mayHave(filter, 'session_id', value)).length).toBeLessThan(10);
});

test('the bits of a value are those of stored blocks', () => {
  const bits = (column: string, value: string | boolean) => listTokenBits(column, value).slice(0, 3);
  expect(bits('severity', 'high')).toMatchInlineSnapshot(`
    [
      14789,
      15902,
      631,
    ]
  `);
  expect(bits('actor_id', 'Ada@Contoso.example')).toMatchInlineSnapshot(`
    [
      4766,
      10325,
      15884,
    ]
  `);
  expect(bits('is_managed_device', true)).toMatchInlineSnapshot(`
    [
      590,
      1045,
      1500,
    ]
  `);
  expect(bits('target_ids', 'ä/ł')).toMatchInlineSnapshot(`
    [
      5590,
      8387,
      11184,
    ]
  `);
  expect(tokenColumns.map(({ column, kind }) => `${kind} ${column}`).join()).toMatchInlineSnapshot(
    `"1 severity,2 action,3 actor_id,3 actor_user_id,4 actor_type,5 actor_ip,6 resource_id,7 resource_type,8 workload,9 source_type,10 client_app,11 device_id,12 is_managed_device,13 application_id,14 external_event_id,15 outcome,16 error_code,17 session_id,18 correlation_id,19 target_ids"`,
  );
});

test('blocks have tokens of every column that a filter compares', () => {
  const columns = new Set(tokenColumns.map(({ column }) => column));
  expect(Object.values(logFilterColumns).filter((column) => !columns.has(column))).toEqual([]);
});
