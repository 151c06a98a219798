import { addressOriginal } from '@tenantscope/intake';
import type { Admin, OriginalDeadLetter } from '@tenantscope/store/admin';

/** Gives originals of bound topics the envelope and the topic by which they are read and replayed; all others are unchanged. */
export async function createAddressing(
  admin: Admin,
  prefix: string,
): Promise<(original: OriginalDeadLetter) => OriginalDeadLetter> {
  const stored = await admin.bindings.list(true);
  const bindings = stored.map((binding) => ({ ...binding, isRemoved: binding.removedAt !== null }));
  return (original) => {
    const producedAtMs = original.producedAt === null ? null : Date.parse(original.producedAt);
    const { topic, key, headers } = addressOriginal({ ...original, producedAtMs }, bindings, prefix);
    return { ...original, topic, key, headers };
  };
}
