import { readFile } from 'node:fs/promises';

/** Reads a variable with a key: the text itself (JSON or PEM), else the content of the file that it names. */
export async function readTextOrFile(value: string): Promise<string> {
  return /^\s*(\{|-----BEGIN )/.test(value) ? value : await readFile(value, 'utf8');
}
