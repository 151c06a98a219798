import type { z } from 'zod';
import { readCurrentSecret } from './current-secret.ts';
import type { Environment } from './read-config.ts';
import { fileVariable } from './variables.ts';

/** A file is read at most once in this time, so that a value may be requested on every request. */
const rereadAfterMs = 1_000;

export interface SecretOptions<Value> {
  readonly variable: string;
  readonly schema: z.ZodType<Value>;
  /** As `readConfig` returned it. */
  readonly valueAtStart: Value;
  readonly environment?: Environment;
  /** Called once for each new content of the file, with the problem of one that is not used. It never contains the value. */
  readonly onChange?: (variable: string, problem: string | null) => void;
}

/**
 * The present value of a secret, at most a second old. The same object while the file is unchanged. A content that is invalid is not used: the
 * previous value applies.
 */
export function followSecret<Value>(options: SecretOptions<Value>): () => Value {
  const { variable, schema, environment = process.env, onChange = () => {} } = options;
  const file = environment[fileVariable(variable)];
  let current = options.valueAtStart;
  if (!file) return () => current;
  let text = readCurrentSecret('', file);
  let readAt = performance.now();
  return () => {
    if (performance.now() - readAt < rereadAfterMs) return current;
    readAt = performance.now();
    const changed = readCurrentSecret(text, file);
    if (changed === text) return current;
    text = changed;
    const parsed = schema.safeParse(text);
    if (parsed.success) current = parsed.data;
    onChange(variable, parsed.success ? null : parsed.error.issues.map(({ message }) => message).join('; '));
    return current;
  };
}
