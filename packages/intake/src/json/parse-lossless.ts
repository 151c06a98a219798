import { ExactNumber, type Json, type JsonObject } from './value.ts';

/** Members of an object that a later member of the same name replaces, in their order. */
export const duplicates = Symbol('hidden members');
export type DuplicateMembers = readonly (readonly [name: string, value: Json])[];

/**
 * Parses JSON as `JSON.parse` does (the last of duplicate names wins) but preserves what that loses: digits a double would
 * change, as `ExactNumber`, and the replaced members of duplicate names, under `duplicates`.
 *
 * @param text valid JSON, nested no deeper than the call stack allows: both were checked before
 */
export function parseLossless(text: string): Json {
  let position = 0;

  function value(): Json {
    skipSpace();
    const first = text[position];
    if (first === '"') return string();
    if (first === '{') return object();
    if (first === '[') return array();
    if (first === 't') return literal('true', true);
    if (first === 'f') return literal('false', false);
    if (first === 'n') return literal('null', null);
    return number();
  }

  function object(): JsonObject {
    const members: { [name: string]: Json; [duplicates]?: (readonly [string, Json])[] } = {};
    position++;
    for (skipSpace(); text[position] !== '}'; skipSpace()) {
      if (text[position] === ',') position++;
      skipSpace();
      const name = string();
      skipSpace();
      position++; // the colon
      const member = value();
      if (Object.hasOwn(members, name)) {
        members[duplicates] ??= [];
        members[duplicates].push([name, members[name] as Json]);
      }
      // An assignment to `__proto__` would set the prototype and lose the member.
      if (name === '__proto__') Object.defineProperty(members, name, { value: member, ...plainMember });
      else members[name] = member;
    }
    position++;
    return members;
  }

  function array(): Json[] {
    const items: Json[] = [];
    position++;
    for (skipSpace(); text[position] !== ']'; skipSpace()) {
      if (text[position] === ',') position++;
      items.push(value());
    }
    position++;
    return items;
  }

  function string(): string {
    const start = position;
    position = text.indexOf('"', start + 1) + 1;
    const plain = text.slice(start + 1, position - 1);
    if (!plain.includes('\\')) return plain;
    position = start + 1;
    while (text[position] !== '"') position += text[position] === '\\' ? 2 : 1;
    position++;
    return JSON.parse(text.slice(start, position)) as string;
  }

  function number(): Json {
    numberToken.lastIndex = position;
    const digits = numberToken.exec(text)?.[0] as string;
    position += digits.length;
    const double = Number(digits);
    return String(double) === digits ? double : new ExactNumber(digits);
  }

  function literal<Value>(word: string, meaning: Value): Value {
    position += word.length;
    return meaning;
  }

  function skipSpace(): void {
    while (isSpace(text.charCodeAt(position))) position++;
  }

  return value();
}

/** Space, tab, newline, carriage return. */
function isSpace(code: number): boolean {
  return code === 0x20 || code === 0x09 || code === 0x0a || code === 0x0d;
}

const plainMember = { writable: true, enumerable: true, configurable: true };
const numberToken = /[-+.0-9eE]+/y;
