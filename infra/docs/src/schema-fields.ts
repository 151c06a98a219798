/** The parts of a JSON Schema that the reference describes. */
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
  readonly description: string;
}

/** Members of an object in their order, each followed by its own members. */
export function listFields(schema: Schema, prefix = ''): readonly FieldRow[] {
  return Object.entries(schema.properties ?? {}).flatMap(([member, inner]) => {
    const path = prefix + member;
    return [
      { name: path, type: describeType(inner), description: inner.description ?? '' },
      ...listAlternatives(inner).flatMap((one) => listFields(one, `${path}.`)),
      ...listAlternatives(inner).flatMap((one) => listFields(one.items ?? {}, `${path}[].`)),
    ];
  });
}

const listAlternatives = (schema: Schema): readonly Schema[] => schema.anyOf ?? [schema];

function describeType(schema: Schema): string {
  if (schema.anyOf) return [...new Set(schema.anyOf.map(describeType))].join(' or ');
  const types = [schema.type ?? 'any value'].flat();
  const [one] = types.filter((type) => type !== 'null');
  const name =
    schema.format === 'date-time' ? 'time' : one === 'array' ? `list of ${describeType(schema.items ?? {})}` : one;
  return types.includes('null') ? `${name ?? 'null'} or null` : (name ?? 'null');
}
