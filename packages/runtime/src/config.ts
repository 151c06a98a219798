import type { z } from 'zod';

/** The environment does not hold what a process needs. The message names every wrong variable and never a value. */
export class ConfigError extends Error {
  override name = 'ConfigError';
}

/**
 * Reads a process's whole configuration once. An empty variable counts as absent.
 * Throws ConfigError naming each missing or wrong variable; values never appear in it, since they may be secrets.
 */
export function readConfig<Shape extends z.ZodObject>(
  shape: Shape,
  env: NodeJS.ProcessEnv = process.env,
): z.infer<Shape> {
  const present = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== undefined && value !== ''));
  const parsed = shape.safeParse(present);
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues.map((issue) => {
    const name = issue.path.join('.');
    return name in present ? `${name}: ${issue.message}` : `${name} is not set`;
  });
  throw new ConfigError(`The configuration is incomplete. ${problems.join('; ')}.`);
}
