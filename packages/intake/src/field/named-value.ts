import { isObject, type Json } from '../json/value.ts';

/**
 * The value of the first entry of a list of names and values. Providers write `{Name, Value}` and `{Key, Value}`, Entra
 * `{key, value}`, Google `{name, value}`; a list may also come as JSON text or as anything else, which then has no such
 * name. A name may repeat: the list is never folded into an object.
 */
export function findNamedValue(list: Json | undefined, name: string): Json | undefined {
  if (!Array.isArray(list)) return undefined;
  for (const entry of list) {
    if (isObject(entry) && (entry.Name ?? entry.name ?? entry.Key ?? entry.key) === name)
      return entry.Value ?? entry.value;
  }
  return undefined;
}
