import { readJson } from '../json/read-json.ts';
import { isObject, type Json, type JsonObject, toList, toText } from '../json/value.ts';
import { isRejection } from '../message/rejection.ts';
import { toTexts } from './found-elements.ts';

/**
 * Members by their names in lower case. Azure's APIs write `systemAlertId`, its exports and Log Analytics `SystemAlertId`,
 * of the same objects; some columns of Log Analytics are JSON text.
 */
export class Members {
  private readonly values = new Map<string, Json | undefined>();

  constructor(object: JsonObject) {
    for (const [name, value] of Object.entries(object)) this.values.set(name.toLowerCase(), value);
  }

  get(name: string): Json | undefined {
    return this.values.get(name);
  }

  /** The first member with a text. */
  text(...names: readonly string[]): string | null {
    for (const name of names) {
      const text = toText(this.values.get(name));
      if (text !== null) return text;
    }
    return null;
  }

  /** An object, also from JSON text; empty where there is none. */
  object(name: string): Members {
    const value = this.parse(name);
    return new Members(isObject(value) ? value : {});
  }

  list(name: string): readonly Json[] {
    return toList(this.parse(name));
  }

  /** A list of texts, also from JSON text or from one text with commas. */
  texts(name: string): string[] {
    const value = this.parse(name);
    if (Array.isArray(value)) return toTexts(value);
    const text = toText(value);
    return text === null ? [] : text.split(',').flatMap((part) => part.trim() || []);
  }

  private parse(name: string): Json | undefined {
    const value = this.values.get(name);
    if (typeof value !== 'string' || !/^\s*[[{]/.test(value)) return value;
    const parsed = readJson(Buffer.from(value), 'the member');
    return isRejection(parsed) ? value : parsed.value;
  }
}
