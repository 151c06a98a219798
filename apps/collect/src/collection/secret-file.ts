import { readFile } from 'node:fs/promises';
import { ProviderFailure } from '../provider/provider-failure.ts';

const secretMaxBytes = 65_536;

/** Reads a secret before each run, so that a rotated one needs no restart. Messages name the file, never its content. */
export async function readSecretFile(path: string): Promise<string> {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new ProviderFailure('refused', `cannot read the secret file ${path} (${error.code})`);
  });
  if (Buffer.byteLength(text) > secretMaxBytes)
    throw new ProviderFailure('refused', `the secret file ${path} is longer than ${secretMaxBytes} bytes`);
  const secret = text.trim();
  if (secret === '') throw new ProviderFailure('refused', `the secret file ${path} is empty`);
  return secret;
}
