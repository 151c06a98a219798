/** What of a JSON Schema the reference tells. */
export interface Schema {
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
}

export interface FieldRow {
  /** `entity.id` of an object, `groups[].id` of a list of objects. */
  readonly name: string;
  readonly type: string;
  readonly words: string;
}

/** Members of an object in their order, each followed by the members of its own. */
export function fieldsOf(schema: Schema, prefix = ''): readonly FieldRow[] {
  return Object.entries(schema.properties ?? {}).flatMap(([member, inner]) => {
    const name = prefix + member;
    return [
      { name, type: typeOf(inner), words: inner.description ?? '' },
      ...alternativesOf(inner).flatMap((one) => fieldsOf(one, `${name}.`)),
      ...alternativesOf(inner).flatMap((one) => fieldsOf(one.items ?? {}, `${name}[].`)),
    ];
  });
}

const alternativesOf = (schema: Schema): readonly Schema[] => schema.anyOf ?? [schema];

function typeOf(schema: Schema): string {
  if (schema.anyOf) return [...new Set(schema.anyOf.map(typeOf))].join(' or ');
  const types = [schema.type ?? 'any value'].flat();
  const [one] = types.filter((type) => type !== 'null');
  const called =
    schema.format === 'date-time' ? 'time' : one === 'array' ? `list of ${typeOf(schema.items ?? {})}` : one;
  return types.includes('null') ? `${called ?? 'null'} or null` : (called ?? 'null');
}
