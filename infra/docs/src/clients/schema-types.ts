import type { DescribedSchema } from '@tenantscope/contract';

/** A JSON Schema of the OpenAPI document, as far as clients have types for it. */
export interface Schema extends DescribedSchema {
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
}

export type ClientType =
  | { readonly kind: 'text' | 'number' | 'integer' | 'flag' | 'null' | 'any' | 'object' }
  | { readonly kind: 'list'; readonly of: ClientType }
  | { readonly kind: 'union'; readonly of: readonly ClientType[] }
  | { readonly kind: 'record'; readonly name: string };

export interface ClientMember {
  readonly name: string;
  readonly type: ClientType;
  readonly isRequired: boolean;
  readonly description: string;
}

/** A record with a name. Objects inside of a record are records of their own: `DetectionEntity`. */
export interface ClientRecord {
  readonly name: string;
  readonly description: string;
  /** The record whose members it has too. */
  readonly base: string | null;
  readonly members: readonly ClientMember[];
}

const capitalize = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1);

/** The records of the schemas, each after those that it refers to. */
export function listRecords(schemas: Readonly<Record<string, Schema>>): readonly ClientRecord[] {
  const records = new Map<string, ClientRecord>();
  const toType = (schema: Schema, name: string): ClientType => {
    if (schema.$ref !== undefined) {
      const target = schema.$ref.split('/').at(-1) ?? '';
      add(target);
      return { kind: 'record', name: target };
    }
    if (schema.anyOf) {
      const isSingle = schema.anyOf.filter(({ type }) => type !== 'null').length === 1;
      return union(schema.anyOf.map((one, index) => toType(one, isSingle ? name : `${name}${index + 1}`)));
    }
    return union([schema.type ?? 'any'].flat().map((type) => toPlainType(type, schema, name)));
  };
  const toPlainType = (type: string, schema: Schema, name: string): ClientType => {
    if (type === 'array') return { kind: 'list', of: toType(schema.items ?? {}, name) };
    if (type !== 'object') return { kind: plainKinds[type] ?? 'any' };
    if (Object.keys(schema.properties ?? {}).length === 0) return { kind: 'object' };
    addRecord(name, schema, null);
    return { kind: 'record', name };
  };
  const addRecord = (name: string, schema: Schema, base: string | null) => {
    const members = Object.entries(schema.properties ?? {}).map(([member, inner]) => ({
      name: member,
      type: toType(inner, name + capitalize(member)),
      isRequired: schema.required?.includes(member) ?? false,
      description: inner.description ?? '',
    }));
    records.set(name, { name, description: schema.description ?? '', base, members });
  };
  const add = (name: string) => {
    const schema = schemas[name];
    // A union is no record.
    if (records.has(name) || schema === undefined || schema.oneOf) return;
    const [base, own] = schema.allOf ?? [];
    if (base === undefined || own === undefined) return addRecord(name, schema, null);
    const type = toType(base, name);
    addRecord(name, { ...own, description: schema.description ?? '' }, type.kind === 'record' ? type.name : null);
  };
  for (const name of Object.keys(schemas)) add(name);
  return [...records.values()];
}

const plainKinds: Readonly<Record<string, 'text' | 'number' | 'integer' | 'flag' | 'null' | 'any'>> = {
  string: 'text',
  number: 'number',
  integer: 'integer',
  boolean: 'flag',
  null: 'null',
};

function union(types: readonly ClientType[]): ClientType {
  const different = [...new Map(types.map((type) => [JSON.stringify(type), type])).values()];
  return different.length === 1 && different[0] !== undefined ? different[0] : { kind: 'union', of: different };
}
