import { readFile, stat } from 'node:fs/promises';
import { ProviderFailure } from '../provider/provider-failure.ts';

const secretMaxBytes = 65_536;

/** Reads a secret before each run, so that a rotated one needs no restart. Messages name the file, never its content. */
export async function readSecretFile(path: string): Promise<string> {
  const refuse = (error: NodeJS.ErrnoException) => {
    throw new ProviderFailure('refused', `cannot read the secret file ${path} (${error.code})`);
  };
  // A pipe without a writer occupies a thread for good: four of them stop name resolution in the whole process.
  if (!(await stat(path).catch(refuse)).isFile())
    throw new ProviderFailure('refused', `the secret file ${path} is not a regular file`);
  const text = await readFile(path, 'utf8').catch(refuse);
  if (Buffer.byteLength(text) > secretMaxBytes)
    throw new ProviderFailure('refused', `the secret file ${path} is longer than ${secretMaxBytes} bytes`);
  const secret = text.trim();
  if (secret === '') throw new ProviderFailure('refused', `the secret file ${path} is empty`);
  return secret;
}
