import { InvalidKeyError, type KeySet, parseJwks, parseSigningKey, type SigningKey } from '@tenantscope/proof';
import { type Environment, followKey } from '@tenantscope/runtime';
import type { ApiConfig } from '../config.ts';

export interface SigningKeys {
  /** Null: packs are not signed. */
  readonly signing: SigningKey | null;
  /** The public part of the signing key first, then the retired keys, which still verify. */
  readonly published: KeySet;
}

/**
 * Reads the keys that sign and verify packs, at each call: their files may change. To rotate, publish the new key and the old one among the
 * retired keys, then sign with the new one: packs are stored for years. The first call throws InvalidKeyError with the variable name and never a part
 * of a key; later a key that cannot be used is reported and the previous one applies.
 */
export function createSigningKeyReader(
  config: ApiConfig,
  onChange: (variable: string, problem: string | null) => void = () => {},
  environment?: Environment,
): () => Promise<SigningKeys> {
  const { TENANTSCOPE_SIGNING_KEY: key, TENANTSCOPE_SIGNING_KEY_ID: kid, TENANTSCOPE_RETIRED_KEYS: retired } = config;
  const follow = <Value>(variable: string, valueAtStart: string, parse: (text: string) => Value | Promise<Value>) => {
    const read = followKey({ variable, valueAtStart, parse, onChange, ...(environment && { environment }) });
    return () => named(variable, read);
  };
  const readSigning =
    key === undefined ? null : follow('TENANTSCOPE_SIGNING_KEY', key, (text) => parseSigningKey(text, kid));
  const readRetired = retired === undefined ? null : follow('TENANTSCOPE_RETIRED_KEYS', retired, parseJwks);
  return async () => {
    const signing = readSigning && (await readSigning());
    const others = ((await readRetired?.())?.keys ?? []).filter((one) => one.kid !== signing?.kid);
    return { signing, published: { keys: signing ? [signing.public, ...others] : others } };
  };
}

async function named<Value>(variable: string, read: () => Promise<Value>): Promise<Value> {
  try {
    return await read();
  } catch (cause) {
    const why = cause instanceof InvalidKeyError ? cause.message : 'the file cannot be read';
    throw new InvalidKeyError(`${variable}: ${why}`, { cause });
  }
}
