import { parseSigningKey, type SigningKey } from '@tenantscope/proof';
import { followKey, type Log, logSecretChange } from '@tenantscope/runtime';

/** Reads the key that signs digests of snapshots, at each call: its file may change. Null where none is configured. The first call throws for an unusable key. */
export function createSigningKeyReader(
  { TENANTSCOPE_SIGNING_KEY: valueAtStart }: { readonly TENANTSCOPE_SIGNING_KEY?: string | undefined },
  log: Log,
): () => Promise<SigningKey | null> {
  if (valueAtStart === undefined) return async () => null;
  return followKey({
    variable: 'TENANTSCOPE_SIGNING_KEY',
    valueAtStart,
    parse: (text) => parseSigningKey(text),
    onChange: logSecretChange(log),
  });
}
