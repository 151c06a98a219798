import type { Admin, OriginalDeadLetter } from '@tenantscope/store/admin';
import { readTopicPrefixes } from '../../../connections/cell-topics.ts';

/**
 * The topic that a dead letter of a cell is replayed to: where its tenant is in another cell, that of the same name there, otherwise its own. What is sent to
 * another cell becomes a record or a dead letter there.
 */
export async function createForwarding(
  admin: Admin,
  defaultPrefix: string,
): Promise<
  (deadLetter: OriginalDeadLetter, cell: string) => { readonly topic: string; readonly isForwarded: boolean }
> {
  const prefixes = await readTopicPrefixes(admin, defaultPrefix);
  const cells = new Map((await admin.tenants.list()).map(({ id, cell }) => [id, cell]));
  return ({ tenantId, topic }, cell) => {
    const target = (tenantId === null ? undefined : cells.get(tenantId)) ?? cell;
    const prefix = prefixes.get(cell) ?? defaultPrefix;
    if (target === cell || !topic.startsWith(`${prefix}.`)) return { topic, isForwarded: false };
    return { topic: (prefixes.get(target) ?? defaultPrefix) + topic.slice(prefix.length), isForwarded: true };
  };
}
