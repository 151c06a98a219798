// @module-tag exhaustive
import { ApiError, type Operation, operations, parseInput } from '@tenantscope/contract';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseQueryParameters } from '../src/http/query-string.ts';

/** `npm run torture -- --seed N` repeats a long run. */
const { TENANTSCOPE_TORTURE: long, TENANTSCOPE_TORTURE_SEED: seed } = process.env;
const options = { numRuns: long ? 100_000 : 500, ...(seed ? { seed: Number(seed) } : {}) };
const timeout = long ? 900_000 : 30_000;

const names = [
  ...new Set(operations.flatMap((operation) => Object.keys(operation.parameters))),
  'limit',
  'cursor',
  'sort',
  '__proto__',
  'constructor',
];
const fragment = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 30 }),
  fc.constantFrom('%', '%%', '%zz', '%00', '%c3%28', '%ED%A0%80', '+', ',', '&', '=', '?', '#', ';', '\0', '1e9', '-1'),
  fc.constantFrom('2026-11-22T10:00:00Z', '2026-11-22', '1790000000', '9'.repeat(400), 'true', 'high', 'null', 'NaN'),
);
const value = fc.array(fragment, { maxLength: 4 }).map((parts) => parts.join(''));
const query = fc
  .array(fc.tuple(fc.oneof(fc.constantFrom(...names), fragment), value), { maxLength: 8 })
  .map((pairs) => pairs.map(([name, text]) => `${name}=${text}`).join('&'));

/** The parsed input, or the error that rejects it. */
function parse(operation: Operation, text: string): object | ApiError {
  try {
    return parseInput(operation, parseQueryParameters(`/api/v1${operation.path}?${text}`), 'id');
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
}

test('a query string is parsed or rejected with the names of its parameters, for every operation', {
  tags: 'exhaustive',
  timeout,
}, () => {
  const byName = new Map<string, Operation>(operations.map((operation) => [operation.name, operation]));
  fc.assert(
    fc.property(fc.constantFrom(...byName.keys()), query, (name, text) => {
      const parsed = parse(byName.get(name) as Operation, text);
      if (!(parsed instanceof ApiError)) {
        const { limit = 1 } = parsed as { limit?: number | null };
        // Null: the cursor has it.
        expect(limit ?? 1).toBeGreaterThanOrEqual(1);
        expect(limit ?? 1).toBeLessThanOrEqual(1_000);
        return;
      }
      expect(parsed.status).toBe(400);
      if (parsed.code === 'INVALID_CURSOR') return;
      expect(parsed.code).toBe('INVALID_PARAMETER');
      expect(parsed.details?.length).toBeGreaterThan(0);
      for (const detail of parsed.details ?? [])
        expect(detail).toMatchObject({ parameter: expect.any(String), reason: expect.any(String) });
    }),
    options,
  );
});

test('encoded parameters arrive as they were sent, repeated ones in their order', { timeout }, () => {
  const pair = fc.tuple(fc.string({ unit: 'grapheme', minLength: 1 }), fc.string({ unit: 'grapheme' }));
  fc.assert(
    fc.property(fc.array(pair), (pairs) => {
      const text = pairs.map((each) => each.map(encodeURIComponent).join('=')).join('&');
      expect(parseQueryParameters(`/?${text}`)).toEqual(pairs);
    }),
    options,
  );
});
