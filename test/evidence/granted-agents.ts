import type pg from 'pg';

export interface GrantedAgents {
  readonly tenantId: string;
  readonly agents: number;
  /** The number of grants of each agent. */
  readonly grants: number;
  /** The time of all records. */
  readonly atMs: number;
}

/**
 * Inserts agents and their grants inside the server as ingestion leaves them: ingesting as many would take minutes. The
 * client is not subject to row-level security.
 */
export async function insertGrantedAgents(
  client: pg.Client,
  { tenantId, agents, grants, atMs }: GrantedAgents,
): Promise<void> {
  const stamp = new Date(atMs).toISOString();
  await client.query(
    `insert into models.entity_agent (tenant_id, id, version, digest, updated_at, first_seen_at, is_deleted, document, detail)
     select $1, 'agent-' || n, 1, '', $2, $2, false, '{}', '{}' from generate_series(0, $3 - 1) n`,
    [tenantId, stamp, agents],
  );
  await client.query(
    `insert into models.entity_fact (tenant_id, kind, id, is_deleted, updated_at, facts)
     select $1, 'agent', 'agent-' || n, false, $2, jsonb_build_object('displayName', 'Agent ' || n, 'platform', 'copilotStudio', 'appId', md5(n::text),
            'availableTo', 'all', 'deployedTo', 'none', 'ownerId', 'user-' || n % 100, 'ownerSource', 'nativeOwner', 'createdAt', '2025-05-01T08:00:00.000Z')
       from generate_series(0, $3 - 1) n`,
    [tenantId, stamp, agents],
  );
  await client.query(
    `insert into models.agent_evidence (tenant_id, id, version, digest, updated_at, happened_at, kind, record_id, agent_id, is_deletion, document)
     select $1::uuid, 'permissionGrant/g' || n, 1, '', $2, $2, 'permissionGrant', 'g' || n, 'agent-' || n % $4, false,
            jsonb_build_object('id', 'permissionGrant/g' || n, 'kind', 'permissionGrant', 'recordId', 'g' || n, 'payload', jsonb_build_object(
              'id', 'g' || n, 'tenantId', ($1::uuid)::text, 'version', 1, 'changedAt', '2026-01-10T09:00:00Z', 'agentId', 'agent-' || n % $4, 'agentName', 'Agent ' || n % $4,
              'value', (array['Files.Read.All', 'Mail.Send', 'Sites.ReadWrite.All', 'User.Read'])[1 + n % 4], 'permissionKind', 'delegated', 'source', 'direct',
              'resourceId', md5((n % 300)::text), 'resourceName', 'Microsoft Graph', 'consentType', 'principal', 'adminConsented', false,
              'consentedAt', '2026-01-10T09:00:00Z', 'tenantWide', n % 10 = 0, 'sensitivity', 'low'))::text
       from generate_series(0, $3 - 1) n`,
    [tenantId, stamp, grants, agents],
  );
  await client.query('analyze models.agent_evidence; analyze models.entity_fact; analyze models.entity_agent');
}
