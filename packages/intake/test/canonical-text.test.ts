import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { canonicalizeJson } from '../src/json/canonical.ts';
import { canonicalizeText } from '../src/json/canonical-text.ts';
import { readJson } from '../src/json/read-json.ts';
import { isRejection } from '../src/message/rejection.ts';

/** The text's own way, null where it is not taken. */
function fromText(text: string): string | null {
  return canonicalizeText('', Buffer.from(text))?.toString() ?? null;
}

function fromValue(text: string): string {
  const parsed = readJson(Buffer.from(text), 'the value');
  if (isRejection(parsed)) throw new Error(parsed.detail);
  return canonicalizeJson(parsed.value, parsed.hasDuplicateNames);
}

describe('the canonical text of a JSON text', () => {
  const space = fc.constantFrom('', '', ' ', '\n\t', '\r\n');
  const string = fc.oneof(
    fc.string({ unit: 'binary' }).map((text) => JSON.stringify(text)),
    fc.constantFrom('"C:\\\\Users"', '"\\"quoted\\""', '"\\/"', '"\\u0041"', '"\\ud800"', '"ł"', '"a\\n\\\\"', '""'),
  );
  const name = fc.oneof(
    string,
    fc
      .constantFrom('a', 'A', 'ab', 'a b', 'a!', 'a#', '', '__proto__', '0', '10', '9', '-1', 'é')
      .map((each) => `"${each}"`),
  );
  const number = fc.stringMatching(/^-?(0|[1-9][0-9]{0,20})(\.[0-9]{1,20})?([eE][+-]?[0-9]{1,3})?$/);
  const { value } = fc.letrec<{ value: string }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 4 },
      number,
      string,
      fc.constantFrom('true', 'false', 'null', '{}', '[]', '{ }', '[ ]', '-0', '1.0'),
      fc
        .tuple(fc.array(tie('value'), { maxLength: 4 }), space)
        .map(([items, gap]) => `[${gap}${items.join(`${gap},${gap}`)}${gap}]`),
      fc
        .tuple(fc.array(fc.tuple(name, tie('value')), { maxLength: 6 }), space)
        .map(
          ([members, gap]) =>
            `{${gap}${members.map(([key, each]) => `${key}${gap}:${gap}${each}`).join(`${gap},${gap}`)}${gap}}`,
        ),
    ),
  }));

  test('is that of its value, whatever names, escapes, digits, repeated names and white space it has', {
    tags: 'exhaustive',
  }, () => {
    fc.assert(
      fc.property(value, space, (text, gap) => {
        const canonical = fromText(`${gap}${text}${gap}`);
        if (canonical !== null) expect(canonical).toBe(fromValue(text));
      }),
      { numRuns: 3_000 },
    );
  });

  test.each([
    ['members in another order', '{"b":1,"a":{"d":[{"z":1,"y":2}],"c":null},"B":true}'],
    ['names of which one begins with the other', '{"ab":1,"a":2,"a b":3,"a!":4,"":5}'],
    ['escapes with one spelling', '{"path":"C:\\\\Users\\t\\"x\\"\\n","after":1}'],
    ['a repeated name', '{"a":1,"b":2,"a":3,"a":1}'],
    ['numbers that a double would change', '{"n":1.0,"m":12345678901234567890,"l":-0,"k":1e3}'],
    ['text beyond ASCII', '{"name":"Łukasz 𝒳"}'],
    ['white space', ' {\r\n "b" : [ 1 , 2 ] ,\t"a" : { } }\n'],
    ['128 members', `{${Array.from({ length: 128 }, (_, at) => `"m${(at * 7) % 128}":${at}`).join()}}`],
    ['65,536 bytes', `{"b":"${'x'.repeat(65_522)}","a":1}`],
    ['32,767 elements', `[${'0,'.repeat(32_766)}0]`],
  ])('consists of the pieces of a text with %s', (_what, text) => {
    expect(fromText(text)).toBe(fromValue(text));
  });

  test.each([
    ['a name beyond ASCII', '{"é":1}'],
    ['a name with an escape', '{"a\\"b":1}'],
    ['a name that is an array index', '{"b":1,"10":2,"9":3}'],
    ['an escape of two spellings', '{"a":"\\/"}'],
    ['an escape by number inside a list', '{"a":[{"b":"\\u0041"}]}'],
    ['129 members', `{${Array.from({ length: 129 }, (_, at) => `"m${at}":1`).join()}}`],
    ['65,537 bytes', `{"b":"${'x'.repeat(65_523)}","a":1}`],
  ])('is left to the value for a text with %s', (_what, text) => {
    expect(fromText(text)).toBeNull();
  });

  test('begins with the prefix, also after a text that was left to its value', () => {
    expect(canonicalizeText('tenant\nfamily\n', Buffer.from('{"a":[1,{"é":2}]}'))).toBeNull();
    expect(canonicalizeText('tenant\nfamily\n', Buffer.from('{"b":2,"a":1}'))?.toString()).toBe(
      'tenant\nfamily\n{"a":1,"b":2}',
    );
  });
});
