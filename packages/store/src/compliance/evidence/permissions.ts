import { agentGrants } from './grants.ts';
import type { EvidencePage, EvidenceQuery, OrderedRows } from './ordered.ts';
import { bounds, epochMilliseconds, readSectionRows } from './section-rows.ts';

export interface AgentPermission {
  agentId: string;
  agentName: string | null;
  permissionId: string;
  value: string;
  permissionKind: string | null;
  source: string | null;
  resourceId: string | null;
  resourceName: string | null;
  consentType: string | null;
  adminConsented: boolean | null;
  consentedById: string | null;
  consentedByName: string | null;
  consentedMs: number | null;
  tenantWide: boolean;
  writeAccess: boolean;
  /** As told; null leaves it to be rated. */
  sensitivity: string | null;
  lastUsedMs: number | null;
  stampMs: number;
}

/** What agents may do. Who consented, where the grant does not say it, is looked up among the consents in the log. */
export function readAgentPermissions(
  reading: EvidenceQuery,
  page: EvidencePage,
): Promise<OrderedRows<AgentPermission>> {
  const { tenant, to, storedThrough } = bounds(reading);
  return readSectionRows<AgentPermission>(
    reading,
    {
      parts: [
        ...agentGrants(reading),
        `consent as materialized (
          select distinct on (n.id, v.value) n.id as agent_id, v.value, l.occurred_at, l.facts->>'actorId' as actor_id, l.facts->>'actorName' as actor_name
            from models.log_fact l
           cross join lateral (select lower(l.facts->>'clientId') as alias union select lower(l.facts->>'objectId')) named
            join agent_name n on n.alias = named.alias
           cross join lateral jsonb_array_elements_text(l.facts->'permissions') v(value)
           where l.tenant_id = ${tenant} and l.kind = 'consent' and l.discovered_at <= ${storedThrough} and l.occurred_at <= ${to}
             and jsonb_typeof(l.facts->'permissions') = 'array'
           order by 1, 2, l.occurred_at desc, l.log_id)`,
      ],
      rows: `select g.agent_id as "agentId", g.value, g.permission_kind as "permissionKind", g.source, g.resource_id as "resourceId",
                    g.consent_type as "consentType", g.resource_name, g.permission_id as "permissionId", g.admin_consented as "adminConsented",
                    g.tenant_wide as "tenantWide", g.write_access as "writeAccess", g.updated_at, 'permissionGrant/' || g.permission_id as record_id from agent_grant g`,
      columns: [
        `coalesce(a.facts->>'displayName', r.facts->>'agentName') as "agentName"`,
        `coalesce(p.resource_name, resource.facts->>'displayName', resource_by_client.facts->>'displayName') as "resourceName"`,
        `coalesce(r.facts#>>'{consentedBy,userId}', r.facts#>>'{consentedBy,id}', c.actor_id) as "consentedById"`,
        `coalesce(r.facts#>>'{consentedBy,name}', c.actor_name) as "consentedByName"`,
        `${epochMilliseconds(`coalesce((r.facts->>'consentedAt')::timestamptz(3), c.occurred_at)`)} as "consentedMs"`,
        `r.facts->>'sensitivity' as sensitivity`,
        `${epochMilliseconds(`(r.facts->>'lastUsedAt')::timestamptz(3)`)} as "lastUsedMs"`,
        `${epochMilliseconds('greatest(p.updated_at, a.updated_at)')} as "stampMs"`,
      ],
      joins: [
        // By key, row by row: the page is a twentieth of what a join would read. The key is a column: PostgreSQL 15 uses no index for an expression, not even over other rows.
        `left join lateral (select e.facts from models.agent_evidence e where e.tenant_id = ${tenant} and e.id = p.record_id limit 1) r on true`,
        `left join models.entity_fact a on a.tenant_id = ${tenant} and a.kind = 'agent' and a.id = p."agentId"`,
        `left join models.entity_fact resource on resource.tenant_id = ${tenant} and resource.kind = 'app' and resource.id = p."resourceId"`,
        `left join models.entity_alias client on client.tenant_id = ${tenant} and client.kind = 'app' and client.alias = lower(p."resourceId") and resource.id is null`,
        `left join models.entity_fact resource_by_client on resource_by_client.tenant_id = ${tenant} and resource_by_client.kind = 'app' and resource_by_client.id = client.id`,
        `left join consent c on c.agent_id = p."agentId" and c.value = p.value and p.source is distinct from 'declared' and r.facts->'consentedBy' is null`,
      ],
      order: [
        { column: 'agentId', type: 'text' },
        { column: 'value', type: 'text' },
        { column: 'permissionKind', type: 'text' },
        { column: 'source', type: 'text' },
        { column: 'resourceId', type: 'text' },
        { column: 'consentType', type: 'text' },
        { column: 'permissionId', type: 'text' },
      ],
    },
    page,
  );
}
