import { type KeySet, readJwks, readSigningKey, type SigningKey, UnusableKey } from '@tenantscope/proof';
import { textOrFile } from '@tenantscope/runtime';
import type { ApiConfig } from './config.ts';

export interface EvidenceKeys {
  /** Null: packs are not signed. */
  readonly signing: SigningKey | null;
  /** The signing key's public part first, then those that signed before and still verify. */
  readonly published: KeySet;
}

/**
 * The keys that packs are signed with and verified by. To rotate, sign with a new key and keep the public part of the old one among the others: packs
 * are kept for years. Throws UnusableKey, naming the variable and never a part of a key.
 */
export async function readEvidenceKeys(config: ApiConfig): Promise<EvidenceKeys> {
  const { TENANTSCOPE_SIGNING_KEY: key, TENANTSCOPE_SIGNING_KEY_ID: kid, TENANTSCOPE_RETIRED_KEYS: retired } = config;
  const signing =
    key === undefined
      ? null
      : await named('TENANTSCOPE_SIGNING_KEY', async () => readSigningKey(await textOrFile(key), kid));
  const earlier =
    retired === undefined
      ? { keys: [] }
      : await named('TENANTSCOPE_RETIRED_KEYS', async () => readJwks(await textOrFile(retired)));
  const others = earlier.keys.filter((one) => one.kid !== signing?.kid);
  return { signing, published: { keys: signing ? [signing.public, ...others] : others } };
}

async function named<Value>(variable: string, read: () => Promise<Value>): Promise<Value> {
  try {
    return await read();
  } catch (cause) {
    const why = cause instanceof UnusableKey ? cause.message : 'the file cannot be read';
    throw new UnusableKey(`${variable}: ${why}`, { cause });
  }
}
