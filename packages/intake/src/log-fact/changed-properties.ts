import { isObject, type Json, type JsonObject, listOf, objectOf, textOf } from '../json/value.ts';

export interface ChangedProperty {
  readonly name: string;
  readonly from: string | null;
  readonly to: string | null;
}

/** A directory's audit record: the record itself, or what Azure Monitor put a frame around. */
export function auditBody(record: JsonObject): JsonObject {
  return isObject(record.properties) ? record.properties : record;
}

/** What a directory's record says was changed: the Management API tells it in the record, Entra at each target. */
export function changedProperties(record: JsonObject): ChangedProperty[] {
  const body = auditBody(record);
  return [record.ModifiedProperties, ...listOf(body.targetResources).map((one) => objectOf(one).modifiedProperties)]
    .flatMap(listOf)
    .map(objectOf)
    .flatMap((property) => {
      const name = textOf(property.Name) ?? textOf(property.displayName);
      if (name === null) return [];
      return [
        { name, from: bare(property.OldValue ?? property.oldValue), to: bare(property.NewValue ?? property.newValue) },
      ];
    });
}

/** The new value of the first property of that name that has one. */
export function changedTo(record: JsonObject, name: string): string | null {
  return changedProperties(record).find((one) => one.name === name && one.to !== null)?.to ?? null;
}

export function changedFrom(record: JsonObject, name: string): string | null {
  return changedProperties(record).find((one) => one.name === name && one.from !== null)?.from ?? null;
}

/** Entra writes values as JSON: a text in quotes is the text. */
function bare(value: Json | undefined): string | null {
  const text = textOf(value);
  if (text === null || !text.startsWith('"')) return text;
  try {
    return textOf(JSON.parse(text) as Json);
  } catch {
    return text;
  }
}
