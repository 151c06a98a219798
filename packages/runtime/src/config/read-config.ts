import { readFileSync } from 'node:fs';
import type { z } from 'zod';
import { secureDatabaseUrl } from '../connection/postgres.ts';
import { rememberUrlFile } from '../connection/postgres-password.ts';
import { ConfigError } from './config-error.ts';
import { describeValues, fileVariable, isDatabaseUrl, isSecret } from './variables.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Reads a process's whole configuration once. An empty variable counts as absent; a secret may be in the file that NAME_FILE names.
 * PostgreSQL URLs are returned with the TLS settings that apply to them. Throws ConfigError naming each missing or wrong variable;
 * values never appear in it, since they may be secrets.
 */
export function readConfig<Shape extends z.ZodObject>(shape: Shape, env: Environment = process.env): z.infer<Shape> {
  const problems: string[] = [];
  const present: Record<string, string> = {};
  for (const [name, schema] of Object.entries(shape.shape)) {
    const value = isSecret(schema) ? readSecret(name, env, problems) : env[name];
    if (value) present[name] = value;
  }
  const parsed = shape.safeParse(present);
  for (const issue of parsed.error?.issues ?? []) {
    const name = String(issue.path[0]);
    if (name in present) problems.push(`${name}: ${describeProblem(shape.shape[name], issue)}`);
    else if (!problems.some((problem) => problem.startsWith(name))) problems.push(`${name} is not set`);
  }
  if (!parsed.success) throw new ConfigError(problems);
  const config: Record<string, unknown> = { ...parsed.data };
  for (const [name, schema] of Object.entries(shape.shape)) {
    if (isDatabaseUrl(schema)) config[name] = secureUrls(name, config, problems, env[fileVariable(name)]);
  }
  if (problems.length > 0) throw new ConfigError(problems);
  return config as z.infer<Shape>;
}

/** Says what is allowed; zod would say what kind of value it received. */
function describeProblem(schema: z.core.$ZodType | undefined, issue: z.core.$ZodIssue): string {
  const values = issue.code === 'custom' || schema === undefined ? null : describeValues(schema);
  return values === null ? issue.message : `must be ${values}`;
}

function readSecret(name: string, env: Environment, problems: string[]): string | undefined {
  const file = env[fileVariable(name)];
  if (!file) return env[name];
  if (env[name]) problems.push(`${name} and ${fileVariable(name)} are both set; remove one`);
  try {
    return readFileSync(file, 'utf8').trim();
  } catch (error) {
    problems.push(`${fileVariable(name)}: cannot read the file (${(error as NodeJS.ErrnoException).code})`);
    return undefined;
  }
}

function secureUrls(
  name: string,
  config: Record<string, unknown>,
  problems: string[],
  file: string | undefined,
): unknown {
  const secure = (url: string) => {
    const secured = secureDatabaseUrl(url, config);
    if (secured.problem !== null) problems.push(`${name}: ${secured.problem}`);
    if (file) rememberUrlFile(secured.url, file);
    return secured.url;
  };
  const value = config[name] as string | string[] | undefined;
  return Array.isArray(value) ? value.map(secure) : value && secure(value);
}
