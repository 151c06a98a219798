import { z } from 'zod';
import type { Json } from '../parameter/parameter-schema.ts';

/** A record is at most 1 MiB; making invisible characters visible can lengthen a text eightfold. */
const recordTextMax = 8_388_608;

/** Entries of a list that has no limit of its own: two bytes each fill a record. */
const recordListMax = 524_288;

export function schemaName(record: z.ZodObject): string {
  const id = record.meta()?.id;
  if (id === undefined) throw new TypeError('the record of an operation needs an id');
  return id;
}

/**
 * The schemas of a record and of the objects in it that have an id, by name. Of the input side, since its objects are open; nullable
 * members as `type: [T, "null"]`, which is shorter than a union, but for objects: of `type: ["object", "null"]`, openapi-generator's Go
 * client fails on null.
 */
export function recordSchemas(record: z.ZodObject): Record<string, Json> {
  const { $defs } = z.toJSONSchema(record, {
    io: 'input',
    override: ({ zodSchema, jsonSchema }) => {
      const [first, second, ...more] = (jsonSchema.anyOf ?? []) as Json[];
      // A reference has no type to add null to.
      if (first && !first.$ref && first.type !== 'object' && second?.type === 'null' && more.length === 0) {
        delete jsonSchema.anyOf;
        const nothing = { type: 'null' };
        // A union has no single type to add null to.
        if (Array.isArray(first.anyOf)) Object.assign(jsonSchema, first, { anyOf: [...first.anyOf, nothing] });
        else Object.assign(jsonSchema, first, { type: [first.type, nothing.type] });
      }
      if (zodSchema instanceof z.ZodDiscriminatedUnion) {
        // Of oneOf, openapi-generator's Go client needs a module for validation.
        const { oneOf: variants = [] } = jsonSchema;
        delete jsonSchema.oneOf;
        Object.assign(jsonSchema, {
          anyOf: variants,
          discriminator: describeDiscriminator(zodSchema, variants as Json[]),
        });
      }
      const types = [jsonSchema.type].flat();
      if (types.includes('string')) jsonSchema.maxLength ??= recordTextMax;
      if (types.includes('array')) jsonSchema.maxItems ??= recordListMax;
      if (types.includes('integer')) jsonSchema.format ??= 'int64';
    },
  });
  const text = JSON.stringify($defs).replaceAll('"#/$defs/', '"#/components/schemas/');
  const schemas = JSON.parse(text) as Record<string, Json>;
  return Object.fromEntries(Object.entries(schemas).map(([name, { id: _, ...schema }]) => [name, schema]));
}

/** Which variant a value of the discriminator names. Without it ogen generates nothing, and openapi-generator tries all variants. */
function describeDiscriminator({ def }: z.ZodDiscriminatedUnion, variants: readonly Json[]): Json {
  const propertyName = def.discriminator;
  const values = (def.options as z.ZodObject[]).map(({ shape }) => (shape[propertyName] as z.ZodLiteral).value);
  return { propertyName, mapping: Object.fromEntries(values.map((value, index) => [value, variants[index]?.$ref])) };
}

/**
 * The schemas with every record that an operation returns by id (`UserDetail`) as the record of its list (`User`) and further members: a
 * third of the document would be these members again. No `properties` next to `allOf`, which code generators read differently.
 */
export function extendListedRecords(schemas: Readonly<Record<string, Json>>): Record<string, Json> {
  return Object.fromEntries(
    Object.entries(schemas).map(([name, schema]) => {
      const listed = name.replace(/Detail$/, '');
      const base = listed === name ? undefined : schemas[listed];
      return [name, base && extendsRecord(schema, base) ? extendRecord(schema, base, listed) : schema];
    }),
  );
}

const membersOf = ({ properties }: Json): Readonly<Record<string, Json>> => properties as Record<string, Json>;
const requiredOf = ({ required }: Json): readonly string[] => required as string[];

function extendsRecord(schema: Json, base: Json): boolean {
  const members = membersOf(schema);
  return Object.entries(membersOf(base)).every(
    ([name, member]) =>
      JSON.stringify(members[name]) === JSON.stringify(member) &&
      requiredOf(schema).includes(name) === requiredOf(base).includes(name),
  );
}

function extendRecord({ description, ...schema }: Json, base: Json, name: string): Json {
  const inherited = membersOf(base);
  const added = Object.entries(membersOf(schema)).filter(([member]) => !Object.hasOwn(inherited, member));
  const required = requiredOf(schema).filter((member) => !Object.hasOwn(inherited, member));
  return {
    description,
    allOf: [{ $ref: `#/components/schemas/${name}` }, { ...schema, properties: Object.fromEntries(added), required }],
  };
}
