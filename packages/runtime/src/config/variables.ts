import { z } from 'zod';

interface VariableTraits {
  /** What it sets, with the unit of its value. */
  readonly description: string;
  /** The variable may be read from the file that NAME_FILE names instead. */
  readonly isSecret?: boolean;
  /** One or several PostgreSQL URLs, to which the TLS settings of `postgresVariables` apply. */
  readonly isDatabaseUrl?: boolean;
}

const traits = z.registry<VariableTraits>();
/** The further variables that the value of a variable declares. */
const declarations = new WeakMap<z.core.$ZodType, (value: string) => z.ZodRawShape>();

/** Declares a variable. Its description is a sentence of the reference. Apply it last, since methods of the schema create a new one. */
export function variable<Schema extends z.ZodType>(description: string, schema: Schema): Schema {
  traits.add(schema, { description });
  return schema;
}

/** Declares a variable that contains a secret. It may be given as a file: NAME_FILE. Apply it last. */
export function secret<Schema extends z.ZodType>(description: string, schema: Schema): Schema {
  traits.add(schema, { description, isSecret: true });
  return schema;
}

/** Declares a variable whose value declares further ones. Apply it last. */
export function declaring<Schema extends z.ZodType>(
  description: string,
  schema: Schema,
  declare: (value: string) => z.ZodRawShape,
): Schema {
  declarations.set(schema, declare);
  return variable(description, schema);
}

const databaseUrlPattern = /^postgres(ql)?:\/\//;
const databaseUrlMessage = 'must be a postgres:// URL';

/** Declares a variable with a PostgreSQL URL. Its process also declares `postgresVariables`. */
export function databaseUrl(description: string) {
  return declareUrl(description, z.string().regex(databaseUrlPattern, databaseUrlMessage));
}

export function optionalDatabaseUrl(description: string) {
  return declareUrl(description, z.string().regex(databaseUrlPattern, databaseUrlMessage).optional());
}

/** Declares a variable with a comma list of PostgreSQL URLs, empty by default. */
export function databaseUrlList(description: string) {
  return declareUrl(
    description,
    commaList()
      .refine((urls) => urls.every((url) => databaseUrlPattern.test(url)), databaseUrlMessage)
      .default([]),
  );
}

function declareUrl<Schema extends z.ZodType>(description: string, schema: Schema): Schema {
  traits.add(schema, { description, isSecret: true, isDatabaseUrl: true });
  return schema;
}

export function commaList() {
  return z.string().transform((text) =>
    text
      .split(',')
      .map((item) => item.trim())
      .filter((item) => item !== ''),
  );
}

export function port(description: string, preset: number) {
  return variable(description, z.coerce.number().int().min(0).max(65_535).default(preset));
}

/** The declared variables, and those that values of `environment` declare. */
export function collectVariables(
  { shape }: z.ZodObject,
  environment: Readonly<Record<string, string | undefined>>,
): [name: string, schema: z.core.$ZodType][] {
  const declared = Object.entries(shape);
  const further = declared.flatMap(([name, schema]) =>
    Object.entries(declarations.get(schema)?.(environment[name] ?? '') ?? {}),
  );
  return [...declared, ...further];
}

/** The names of the variables that a process reads: the declared ones, those that values of `environment` declare, and NAME_FILE of each secret. */
export function listVariables(
  shape: z.ZodObject,
  environment: Readonly<Record<string, string | undefined>> = {},
): string[] {
  return collectVariables(shape, environment).flatMap(([name, schema]) =>
    isSecret(schema) ? [name, fileVariable(name)] : [name],
  );
}

/** A variable as the reference describes it. */
export interface Variable {
  readonly name: string;
  readonly description: string;
  readonly isRequired: boolean;
  readonly isSecret: boolean;
  /** The value that applies where it is not set; null where there is none. */
  readonly preset: string | null;
  /** Allowed values or the range of a number; null where the description says what is allowed. */
  readonly values: string | null;
}

/** Throws TypeError where a variable has no description. */
export function describeVariables(shape: z.ZodObject): Variable[] {
  return Object.entries(shape.shape).map(([name, schema]) => {
    const description = traits.get(schema)?.description;
    if (description === undefined) throw new TypeError(`${name} has no description`);
    const absent = z.safeParse(schema, undefined);
    const preset = absent.success && absent.data !== undefined ? String(absent.data) : '';
    return {
      name,
      description,
      isRequired: !absent.success,
      isSecret: isSecret(schema),
      preset: preset === '' ? null : preset,
      values: describeValues(schema),
    };
  });
}

/** The allowed values, or the range of a number; null for other texts. */
export function describeValues(schema: z.core.$ZodType): string | null {
  const json = z.toJSONSchema(schema, { io: 'output', unrepresentable: 'any' });
  if (json.enum !== undefined) return `one of ${json.enum.join(', ')}`;
  const { minimum, exclusiveMinimum, maximum } = json;
  const from = minimum ?? exclusiveMinimum;
  if (from === undefined || json.type === undefined) return null;
  const isOpen = maximum === undefined || maximum >= Number.MAX_SAFE_INTEGER;
  if (minimum === undefined) return isOpen ? `more than ${from}` : `more than ${from}, at most ${maximum}`;
  return isOpen ? `${from} or more` : `${from} to ${maximum}`;
}

export function isSecret(schema: z.core.$ZodType): boolean {
  return traits.get(schema)?.isSecret ?? false;
}

export function isDatabaseUrl(schema: z.core.$ZodType): boolean {
  return traits.get(schema)?.isDatabaseUrl ?? false;
}

export function fileVariable(name: string): string {
  return `${name}_FILE`;
}
