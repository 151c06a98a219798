import { ExactNumber, type Json, type JsonObject } from './value.ts';

/** Members of an object that a later member of the same name hides, in the order they were written. */
export const hidden = Symbol('hidden members');
export type HiddenMembers = readonly (readonly [name: string, value: Json])[];

/**
 * Reads JSON as `JSON.parse` does (the last of repeated names wins) but keeps what that loses: digits a double would
 * change, as `ExactNumber`, and the hidden ones of repeated names, under `hidden`.
 *
 * @param text valid JSON, nested no deeper than the call stack allows: both were checked before
 */
export function readLosslessly(text: string): Json {
  let at = 0;

  function value(): Json {
    skipSpace();
    const first = text[at];
    if (first === '"') return string();
    if (first === '{') return object();
    if (first === '[') return array();
    if (first === 't') return literal('true', true);
    if (first === 'f') return literal('false', false);
    if (first === 'n') return literal('null', null);
    return number();
  }

  function object(): JsonObject {
    const members: { [name: string]: Json; [hidden]?: (readonly [string, Json])[] } = {};
    at++;
    for (skipSpace(); text[at] !== '}'; skipSpace()) {
      if (text[at] === ',') at++;
      skipSpace();
      const name = string();
      skipSpace();
      at++; // the colon
      const member = value();
      if (Object.hasOwn(members, name)) {
        members[hidden] ??= [];
        members[hidden].push([name, members[name] as Json]);
      }
      // An assignment to `__proto__` would set the prototype and lose the member.
      if (name === '__proto__') Object.defineProperty(members, name, { value: member, ...plainMember });
      else members[name] = member;
    }
    at++;
    return members;
  }

  function array(): Json[] {
    const items: Json[] = [];
    at++;
    for (skipSpace(); text[at] !== ']'; skipSpace()) {
      if (text[at] === ',') at++;
      items.push(value());
    }
    at++;
    return items;
  }

  function string(): string {
    const start = at;
    at = text.indexOf('"', start + 1) + 1;
    const plain = text.slice(start + 1, at - 1);
    if (!plain.includes('\\')) return plain;
    at = start + 1;
    while (text[at] !== '"') at += text[at] === '\\' ? 2 : 1;
    at++;
    return JSON.parse(text.slice(start, at)) as string;
  }

  function number(): Json {
    numberToken.lastIndex = at;
    const digits = numberToken.exec(text)?.[0] as string;
    at += digits.length;
    const double = Number(digits);
    return String(double) === digits ? double : new ExactNumber(digits);
  }

  function literal<Value>(word: string, meaning: Value): Value {
    at += word.length;
    return meaning;
  }

  function skipSpace(): void {
    while (isSpace(text.charCodeAt(at))) at++;
  }

  return value();
}

/** Space, tab, newline, carriage return. */
function isSpace(code: number): boolean {
  return code === 0x20 || code === 0x09 || code === 0x0a || code === 0x0d;
}

const plainMember = { writable: true, enumerable: true, configurable: true };
const numberToken = /[-+.0-9eE]+/y;
