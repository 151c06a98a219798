import { isObject, type Json, type JsonObject, toList, toObject, toText } from '../json/value.ts';

export interface ChangedProperty {
  readonly name: string;
  readonly from: string | null;
  readonly to: string | null;
}

/** The audit record of a directory: the record itself, or the one inside Azure Monitor's frame. */
export function readAuditBody(record: JsonObject): JsonObject {
  return isObject(record.properties) ? record.properties : record;
}

/** The changed properties of a directory's record: the Management API has them in the record, Entra in each target. */
export function readChangedProperties(record: JsonObject): ChangedProperty[] {
  const body = readAuditBody(record);
  return [record.ModifiedProperties, ...toList(body.targetResources).map((one) => toObject(one).modifiedProperties)]
    .flatMap(toList)
    .map(toObject)
    .flatMap((property) => {
      const name = toText(property.Name) ?? toText(property.displayName);
      if (name === null) return [];
      return [
        {
          name,
          from: unquote(property.OldValue ?? property.oldValue),
          to: unquote(property.NewValue ?? property.newValue),
        },
      ];
    });
}

/** The new value of the first property of that name that has one. */
export function findNewValue(record: JsonObject, name: string): string | null {
  return readChangedProperties(record).find((one) => one.name === name && one.to !== null)?.to ?? null;
}

export function findOldValue(record: JsonObject, name: string): string | null {
  return readChangedProperties(record).find((one) => one.name === name && one.from !== null)?.from ?? null;
}

/** Entra writes values as JSON: a text in quotes is the text. */
function unquote(value: Json | undefined): string | null {
  const text = toText(value);
  if (text === null || !text.startsWith('"')) return text;
  try {
    return toText(JSON.parse(text) as Json);
  } catch {
    return text;
  }
}
