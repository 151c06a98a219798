import { firstText, isObject, type Json, textOf } from '../json/value.ts';

/**
 * The value of the first entry of a list of names and values. Providers write `{Name, Value}` and `{Key, Value}`, Entra
 * `{key, value}`, Google `{name, value}`; a list may also come as JSON text or as something else altogether, which then
 * holds no such name. A name may repeat: the list is never folded into an object.
 */
export function namedValue(list: Json | undefined, name: string): Json | undefined {
  if (!Array.isArray(list)) return undefined;
  for (const entry of list) {
    if (isObject(entry) && (entry.Name ?? entry.name ?? entry.Key ?? entry.key) === name)
      return entry.Value ?? entry.value;
  }
  return undefined;
}

/** The new value of a modified property, of either spelling («NewValue», «newValue»), or null. */
export function newValueOf(list: Json | undefined, name: string): string | null {
  if (!Array.isArray(list)) return null;
  for (const entry of list) {
    if (isObject(entry) && firstText(entry.Name, entry.displayName) === name)
      return textOf(entry.NewValue ?? entry.newValue);
  }
  return null;
}
