import { findAddress } from '../field/address.ts';
import { firstId } from '../field/guid.ts';
import { readJson } from '../json/read-json.ts';
import { serializeLossless } from '../json/serialize-lossless.ts';
import { isObject, type Json, type JsonObject, toBoolean, toInteger, toText } from '../json/value.ts';
import { isRejection } from '../message/rejection.ts';
import type { Detail } from './event-context.ts';

/**
 * The columns of one row of a table. Whatever no member of the log row shows becomes a detail, so that every column is
 * shown exactly once, whichever of several columns a member was read from.
 */
export class RowReader {
  readonly columns: JsonObject;
  private readonly shown = new Set<string>();

  constructor(columns: JsonObject) {
    this.columns = columns;
  }

  /** The first column with a text other than an id of zeros, which counts as shown. */
  text(...names: readonly string[]): string | null {
    for (const name of names) {
      const text = firstId(this.columns[name]);
      if (text === null) continue;
      this.shown.add(name);
      return text;
    }
    return null;
  }

  /** The first column with an address, in its canonical form. */
  address(...names: readonly string[]): string | null {
    for (const name of names) {
      const text = toText(this.columns[name]);
      const address = text === null ? null : findAddress(text);
      if (address === null) continue;
      this.shown.add(name);
      return address;
    }
    return null;
  }

  /** A column of the type bool, which some exports write as 0 and 1. */
  flag(name: string): boolean | null {
    const number = toInteger(this.columns[name]);
    return number === null ? toBoolean(this.columns[name]) : number !== 0;
  }

  /** A column that is an object, a list, or either of them as JSON text; undefined where it is none. */
  json(name: string): Json | undefined {
    const value = this.columns[name];
    return typeof value === 'string' ? parseColumn(value) : value;
  }

  markShown(...names: readonly string[]): void {
    for (const name of names) this.shown.add(name);
  }

  /** Every column that has a value and was not shown; of `expanded` columns their members. */
  listDetails(expanded: readonly string[]): Detail[] {
    const details: Detail[] = [];
    for (const [name, value] of Object.entries(this.columns)) {
      if (this.shown.has(name)) continue;
      const members = expanded.includes(name) ? this.json(name) : undefined;
      if (isObject(members)) addMembers(details, name, members);
      else addDetail(details, name, value);
    }
    return details;
  }
}

/** Columns of JSON begin with a brace or a bracket; anything else is not parsed at all. */
function parseColumn(text: string): Json | undefined {
  const start = text.trimStart()[0];
  if (start !== '{' && start !== '[') return undefined;
  const parsed = readJson(Buffer.from(text), 'the column');
  return isRejection(parsed) ? undefined : parsed.value;
}

function addMembers(details: Detail[], column: string, members: JsonObject): void {
  let count = 0;
  for (const [name, value] of Object.entries(members)) {
    if (count === expandedMax) return;
    if (addDetail(details, `${column}.${name}`, value)) count += 1;
  }
}

/** Returns whether there was a value. */
function addDetail(details: Detail[], name: string, value: Json | undefined): boolean {
  const text = typeof value === 'boolean' ? String(value) : toText(value);
  if (text !== null) details.push([name, text]);
  else if (typeof value === 'object' && value !== null && Object.keys(value).length > 0) {
    details.push([name, serializeLossless(value)]);
  } else return false;
  return true;
}

/** Of one column, so that its members leave room for the other columns of the table. */
const expandedMax = 32;
