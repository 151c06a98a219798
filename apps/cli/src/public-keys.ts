import { readFile } from 'node:fs/promises';
import { type KeySet, readJwks } from '@tenantscope/proof';
import { Refusal } from './failure.ts';

/** The public keys of a JWKS file. */
export async function readPublicKeys(file: string): Promise<KeySet> {
  try {
    return readJwks(await readFile(file, 'utf8'));
  } catch (error) {
    throw new Refusal(`${file} cannot be used as public keys: ${(error as Error).message}`);
  }
}
