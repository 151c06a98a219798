import { readFile } from 'node:fs/promises';
import { type KeySet, parseJwks } from '@tenantscope/proof';
import { CommandError } from '../command-error.ts';

/** The public keys of a JWKS file. */
export async function readPublicKeys(file: string): Promise<KeySet> {
  try {
    return parseJwks(await readFile(file, 'utf8'));
  } catch (error) {
    throw new CommandError(`${file} cannot be used as public keys: ${(error as Error).message}`);
  }
}
