import { deadLetterReasons, type Message, readActivity, readTenantRecord } from '@tenantscope/intake';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { context, management, message, tenantId } from './message.ts';

/** `npm run torture -- --seed N` repeats a long run. */
const { TENANTSCOPE_TORTURE: long, TENANTSCOPE_TORTURE_SEED: seed } = process.env;
const options = { numRuns: long ? 100_000 : 1_000, ...(seed ? { seed: Number(seed) } : {}) };
const timeout = long ? 900_000 : 30_000;

const valid = message('o365.management-activity', management());
const structured = (more: object = {}) =>
  JSON.stringify({
    specversion: '1.0',
    type: valid.headers.ce_type,
    tenantid: tenantId,
    data: management(),
    ...more,
  });

const headerNames = fc.oneof(
  fc.constantFrom('content-type', 'ce_specversion', 'ce_type', 'ce_tenantid', 'ce_time', 'CE_TYPE', '__proto__', ''),
  fc.string({ unit: 'binary', maxLength: 20 }),
);
const headerValue = fc.oneof(
  fc.constantFrom('1.0', tenantId, String(valid.headers.ce_type), 'application/cloudevents+json', 'application/json'),
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes)),
);
const headers = fc
  .array(fc.tuple(headerNames, fc.oneof(headerValue, fc.array(headerValue, { maxLength: 3 }))), { maxLength: 6 })
  .map((pairs) => Object.fromEntries(pairs));

/** Bytes cut, doubled, overwritten and inserted at random places of a valid value. */
const edits = fc.array(
  fc.tuple(fc.constantFrom('cut', 'double', 'overwrite', 'insert'), fc.nat(2_000), fc.uint8Array({ maxLength: 6 })),
  { minLength: 1, maxLength: 4 },
);
function edit(value: Buffer, steps: readonly [string, number, Uint8Array][]): Buffer {
  return steps.reduce<Buffer>((bytes, [kind, position, given]) => {
    const at = position % (bytes.length + 1);
    const [head, tail] = [bytes.subarray(0, at), bytes.subarray(at)];
    if (kind === 'cut') return Buffer.concat([head, tail.subarray(given.length)]);
    if (kind === 'double') return Buffer.concat([head, tail, tail]);
    return Buffer.concat([head, given, kind === 'insert' ? tail : tail.subarray(given.length)]);
  }, value);
}

const hostile: fc.Arbitrary<Message> = fc
  .record({
    key: fc.oneof(
      fc.constant(null),
      fc.uint8Array({ maxLength: 60 }).map((bytes) => Buffer.from(bytes)),
    ),
    base: fc.oneof(
      fc.constant(valid.value as Buffer),
      fc.constant(Buffer.from(structured())),
      fc.string({ unit: 'binary' }).map((text) => Buffer.from(structured({ data_base64: text, data: undefined }))),
    ),
    steps: edits,
    ownHeaders: fc.boolean(),
    headers,
  })
  .map(({ key, base, steps, ownHeaders, headers: more }) => ({
    key,
    value: edit(base, steps),
    headers: ownHeaders ? { ...valid.headers, ...more } : more,
  }));

test('a damaged message becomes rows of its own tenant or rejections with a reason, and the same ones each time', {
  tags: 'exhaustive',
  timeout,
}, () => {
  fc.assert(
    fc.property(hostile, (given) => {
      const outcomes = readActivity(given, context);
      expect(outcomes.length).toBeGreaterThanOrEqual(1);
      for (const outcome of outcomes) {
        if (outcome.kind === 'rejected') {
          expect(deadLetterReasons).toContain(outcome.reason);
          expect(outcome.detail.length).toBeLessThanOrEqual(512);
        } else expect(JSON.stringify(outcome)).toContain(tenantId);
      }
      expect(readActivity(given, context)).toEqual(outcomes);
      expect(['tenant', 'organization', 'rejected']).toContain(readTenantRecord(given, Date.now()).kind);
    }),
    options,
  );
});
