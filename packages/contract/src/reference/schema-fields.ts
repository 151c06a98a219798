/** The parts of a JSON Schema that the reference describes. */
export interface Schema {
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly $ref?: string;
}

export type NamedSchemas = Readonly<Record<string, Schema>>;

/** The schema without references: each replaced by what it names, the parts of `allOf` merged in their order. Schemas have no cycles. */
export function resolveReferences(schema: Schema, named: NamedSchemas): Schema {
  const { $ref, allOf = [], ...own } = schema;
  const target = $ref === undefined ? undefined : named[$ref.slice('#/components/schemas/'.length)];
  if ($ref !== undefined && !target) throw new Error(`${$ref} names no schema`);
  const parts = [...(target ? [target] : []), ...allOf].map((part) => resolveReferences(part, named));
  const { items, anyOf, properties = {} } = own;
  const members = Object.entries(properties).map(([name, member]) => [name, resolveReferences(member, named)] as const);
  return {
    ...Object.assign({}, ...parts),
    ...own,
    ...(items && { items: resolveReferences(items, named) }),
    ...(anyOf && { anyOf: anyOf.map((one) => resolveReferences(one, named)) }),
    properties: Object.assign({}, ...parts.map((part) => part.properties), Object.fromEntries(members)),
  };
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
  if (name === undefined) return 'null';
  return types.includes('null') ? `${name} or null` : name;
}
