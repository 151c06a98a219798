import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { CommandError } from '../command-error.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

const environmentFile = join('.tenantscope', 'environment.json');

/**
 * The variables of the process; missing ones are read from `.tenantscope/environment.json`, which `npm start` writes, in the nearest
 * directory upwards from `directory` that has one.
 */
export function readEnvironment(directory: string, own: Environment): Environment {
  const file = findEnvironmentFile(directory);
  const present = Object.entries(own).filter(([, value]) => value !== undefined && value !== '');
  return { ...(file === null ? {} : file), ...Object.fromEntries(present) };
}

function findEnvironmentFile(directory: string): Environment | null {
  const path = join(directory, environmentFile);
  const text = readIfExists(path);
  if (text !== null) return parse(path, text);
  const parent = dirname(directory);
  return parent === directory ? null : findEnvironmentFile(parent);
}

function readIfExists(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === 'ENOENT' || code === 'ENOTDIR') return null;
    throw new CommandError(`cannot read ${path} (${code}). The user who ran "npm start" owns it.`);
  }
}

function parse(path: string, text: string): Environment {
  try {
    const found: unknown = JSON.parse(text);
    if (typeof found === 'object' && found !== null && !Array.isArray(found)) return found as Environment;
  } catch {
    // Reported below, without the text, which contains passwords.
  }
  throw new CommandError(`${path} is not a JSON object of variables. Run "npm start" to create it again.`);
}
