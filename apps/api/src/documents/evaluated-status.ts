import { readFactsDigest, readStableStatus } from '@tenantscope/compliance';
import type { PoolClient } from '@tenantscope/store/connection';
import type { DocumentDependencies } from './document-dependencies.ts';
import type { CachedTenant } from './status-cache.ts';

/** The body of the status of a tenant in a snapshot: the last one while its facts are unchanged, for whatever document it was evaluated. */
export async function evaluateInSnapshot(
  { statusCache, statusMaxAgeMs }: Pick<DocumentDependencies, 'statusCache' | 'statusMaxAgeMs'>,
  tenant: CachedTenant,
  client: PoolClient,
): Promise<Buffer> {
  const facts = await readFactsDigest(client, tenant.id);
  const found = statusCache.find(tenant, facts);
  if (found) return found;
  const query = { tenantId: tenant.id, connectedAtMs: tenant.connectedAtMs, nowMs: facts.nowMs };
  const { status, isStable } = await readStableStatus(client, query, statusMaxAgeMs);
  const body = Buffer.from(JSON.stringify({ data: status }));
  if (isStable) statusCache.store(tenant, facts, body);
  return body;
}
