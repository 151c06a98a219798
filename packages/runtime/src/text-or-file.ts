import { readFile } from 'node:fs/promises';

/** The value of a variable that holds a key: the text itself (JSON or PEM), else what is in the file it names. */
export async function textOrFile(value: string): Promise<string> {
  return /^\s*(\{|-----BEGIN )/.test(value) ? value : await readFile(value, 'utf8');
}
