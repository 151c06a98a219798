import { readFile } from 'node:fs/promises';
import { readCurrentSecret } from './current-secret.ts';
import type { Environment } from './read-config.ts';
import { fileVariable } from './variables.ts';

export interface KeyOptions<Value> {
  readonly variable: string;
  /** As `readConfig` returned it. */
  readonly valueAtStart: string;
  readonly parse: (text: string) => Value | Promise<Value>;
  readonly environment?: Environment;
  /** Called once for each change, with the problem of a text that is not used. */
  readonly onChange: (variable: string, problem: string | null) => void;
}

/**
 * Parses a variable with a key, and parses it again after its file has changed. The first call throws what `parse` or the file system throws;
 * later the previous value applies while the text is invalid.
 */
export function followKey<Value>(options: KeyOptions<Value>): () => Promise<Value> {
  const { variable, valueAtStart, parse, environment = process.env, onChange } = options;
  let current: { readonly value: Value } | null = null;
  let text: string | null = null;
  return async () => {
    const present = await readTextOrFile(readCurrentSecret(valueAtStart, environment[fileVariable(variable)])).catch(
      (error: unknown) => {
        if (text === null) throw error;
        return text;
      },
    );
    if (current !== null && present === text) return current.value;
    text = present;
    try {
      const value = await parse(present);
      if (current !== null) onChange(variable, null);
      current = { value };
    } catch (error) {
      if (current === null) throw error;
      onChange(variable, (error as Error).message);
    }
    return current.value;
  };
}

/** Reads a variable with a key: the text itself (JSON or PEM), else the content of the file that it names. */
async function readTextOrFile(value: string): Promise<string> {
  return /^\s*(\{|-----BEGIN )/.test(value) ? value : await readFile(value, 'utf8');
}
