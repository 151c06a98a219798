import { z } from 'zod';

interface VariableTraits {
  /** The variable may be read from the file that NAME_FILE names instead. */
  readonly isSecret?: boolean;
  /** One or several PostgreSQL URLs, to which the TLS settings of `postgresVariables` apply. */
  readonly isDatabaseUrl?: boolean;
}

const traits = z.registry<VariableTraits>();

/** Declares a variable that contains a secret. It may be given as a file: NAME_FILE. Apply it last, since other methods of the schema create a new one. */
export function secret<Schema extends z.ZodType>(schema: Schema): Schema {
  traits.add(schema, { isSecret: true });
  return schema;
}

const databaseUrlPattern = /^postgres(ql)?:\/\//;
const databaseUrlMessage = 'must be a postgres:// URL';

/** Declares a variable with a PostgreSQL URL. Its process also declares `postgresVariables`. */
export function databaseUrl() {
  return z
    .string()
    .regex(databaseUrlPattern, databaseUrlMessage)
    .register(traits, { isSecret: true, isDatabaseUrl: true });
}

export function optionalDatabaseUrl() {
  return databaseUrl().optional().register(traits, { isSecret: true, isDatabaseUrl: true });
}

/** Declares a variable with a comma list of PostgreSQL URLs, empty by default. */
export function databaseUrlList() {
  return commaList()
    .refine((urls) => urls.every((url) => databaseUrlPattern.test(url)), databaseUrlMessage)
    .default([])
    .register(traits, { isSecret: true, isDatabaseUrl: true });
}

export function commaList() {
  return z.string().transform((text) =>
    text
      .split(',')
      .map((item) => item.trim())
      .filter((item) => item !== ''),
  );
}

/** The names of the variables that a process reads: the declared ones, and NAME_FILE of each secret. */
export function listVariables(shape: z.ZodObject): string[] {
  return Object.entries(shape.shape).flatMap(([name, schema]) =>
    isSecret(schema) ? [name, fileVariable(name)] : [name],
  );
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
