import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Refusal } from './failure.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

const writtenByStart = join('.tenantscope', 'environment.json');

/**
 * The process's own variables, and for those it lacks the ones that `npm start` wrote into `.tenantscope/environment.json` of the
 * checkout around `directory`: the nearest folder upwards that holds one.
 */
export function readEnvironment(directory: string, own: Environment): Environment {
  const file = nearest(directory);
  const present = Object.entries(own).filter(([, value]) => value !== undefined && value !== '');
  return { ...(file === null ? {} : file), ...Object.fromEntries(present) };
}

function nearest(directory: string): Environment | null {
  const path = join(directory, writtenByStart);
  const text = readIfThere(path);
  if (text !== null) return parse(path, text);
  const parent = dirname(directory);
  return parent === directory ? null : nearest(parent);
}

function readIfThere(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === 'ENOENT' || code === 'ENOTDIR') return null;
    throw new Refusal(`${path} cannot be read (${code}). It belongs to whoever ran «npm start».`);
  }
}

function parse(path: string, text: string): Environment {
  try {
    const found: unknown = JSON.parse(text);
    if (typeof found === 'object' && found !== null && !Array.isArray(found)) return found as Environment;
  } catch {
    // Said below, without the text: it holds passwords.
  }
  throw new Refusal(`${path} is not a JSON object of variables. «npm start» writes it anew.`);
}
