import { InvalidKeyError, type KeySet, parseJwks, parseSigningKey, type SigningKey } from '@tenantscope/proof';
import { readTextOrFile } from '@tenantscope/runtime';
import type { ApiConfig } from '../config.ts';

export interface SigningKeys {
  /** Null: packs are not signed. */
  readonly signing: SigningKey | null;
  /** The public part of the signing key first, then the retired keys, which still verify. */
  readonly published: KeySet;
}

/**
 * Reads the keys that sign and verify packs. To rotate, sign with a new key and add the public part of the old one to the retired keys: packs
 * are stored for years. Throws UnusableKey with the variable name and never a part of a key.
 */
export async function readSigningKeys(config: ApiConfig): Promise<SigningKeys> {
  const { TENANTSCOPE_SIGNING_KEY: key, TENANTSCOPE_SIGNING_KEY_ID: kid, TENANTSCOPE_RETIRED_KEYS: retired } = config;
  const signing =
    key === undefined
      ? null
      : await named('TENANTSCOPE_SIGNING_KEY', async () => parseSigningKey(await readTextOrFile(key), kid));
  const earlier =
    retired === undefined
      ? { keys: [] }
      : await named('TENANTSCOPE_RETIRED_KEYS', async () => parseJwks(await readTextOrFile(retired)));
  const others = earlier.keys.filter((one) => one.kid !== signing?.kid);
  return { signing, published: { keys: signing ? [signing.public, ...others] : others } };
}

async function named<Value>(variable: string, read: () => Promise<Value>): Promise<Value> {
  try {
    return await read();
  } catch (cause) {
    const why = cause instanceof InvalidKeyError ? cause.message : 'the file cannot be read';
    throw new InvalidKeyError(`${variable}: ${why}`, { cause });
  }
}
