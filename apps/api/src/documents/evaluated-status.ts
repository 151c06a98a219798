import { readFactsDigest, readStableStatus } from '@tenantscope/compliance';
import type { PoolClient, SnapshotTask } from '@tenantscope/store/connection';
import type { DocumentDependencies } from './document-dependencies.ts';
import type { CachedTenant } from './status-cache.ts';

/** The body of a status, which is read when a document needs it, and the time at which it is evaluated. */
interface StatusBody {
  readonly nowMs: number;
  readonly read: SnapshotTask<Buffer>;
}

/** The status of a tenant in a snapshot: the last one while its facts are unchanged, for whatever document it was evaluated. */
export async function findStatusInSnapshot(
  { statusCache, statusMaxAgeMs }: Pick<DocumentDependencies, 'statusCache' | 'statusMaxAgeMs'>,
  tenant: CachedTenant,
  client: PoolClient,
): Promise<StatusBody> {
  const facts = await readFactsDigest(client, tenant.id);
  const found = statusCache.find(tenant, facts);
  if (found) return { nowMs: found.facts.nowMs, read: async () => found.body };
  const query = { tenantId: tenant.id, connectedAtMs: tenant.connectedAtMs, nowMs: facts.nowMs };
  const read = async (one: PoolClient): Promise<Buffer> => {
    const { status, isStable } = await readStableStatus(one, query, statusMaxAgeMs);
    const body = Buffer.from(JSON.stringify({ data: status }));
    if (isStable) statusCache.store(tenant, facts, body);
    return body;
  };
  return { nowMs: facts.nowMs, read };
}
