import { agentNames, agentsOfWindow } from './known-agents.ts';
import type { EvidenceReading } from './ordered.ts';
import { bounds } from './section-rows.ts';

/** What lets data be changed, by the words in the name of a permission. */
const writing = `'write|manage|fullcontrol|full_access|\\.send|send_as|accessasuser|user_impersonation'`;

/** A flag of a grant as it was told; null where it is none. */
const told = (member: string) => `case r.facts->'${member}' when 'true' then true when 'false' then false end`;

/**
 * Every permission of an agent that stood at some time in the window, as `agent_grant`, narrow: there may be hundreds of thousands. Grants that were
 * told, and what packages declare unless it was told as a declaration too.
 */
export function agentGrants(reading: EvidenceReading): readonly string[] {
  const { tenant, from, to, known } = bounds(reading);
  return [
    agentNames(reading),
    agentsOfWindow(reading),
    // Members one by one: as a record they would take three times as long.
    `granted as materialized (
      select coalesce(n.id, r.agent_id) as agent_id, r.record_id as permission_id, r.facts->>'value' as value, r.facts->>'permissionKind' as permission_kind,
             r.facts->>'source' as source, r.facts->>'resourceId' as resource_id, r.facts->>'consentType' as consent_type,
             coalesce(${told('adminConsented')}, case when r.facts->>'consentType' = 'allPrincipals' then true end) as admin_consented,
             r.facts->>'source' is distinct from 'declared'
               and coalesce(${told('tenantWide')}, r.facts->>'consentType' = 'allPrincipals' or r.facts->>'permissionKind' = 'application', false) as tenant_wide,
             coalesce(${told('writeAccess')}, r.facts->>'value' ~* ${writing}, false) as write_access, r.updated_at
        from models.agent_evidence r
        left join agent_name n on n.alias = lower(r.agent_id)
        left join models.agent_evidence gone on gone.tenant_id = ${tenant} and gone.is_deletion and gone.kind = 'permissionGrant'
              and gone.id = r.id || '/deleted' and (gone.version, gone.digest) > (r.version, r.digest)
       where r.tenant_id = ${tenant} and r.kind = 'permissionGrant' and not r.is_deletion and r.updated_at <= ${known}
         and coalesce((r.facts->>'consentedAt')::timestamptz <= ${to}, true) and (gone.id is null or gone.happened_at >= ${from}))`,
    `agent_grant as materialized (
      select * from granted
      union all
      select a.id, 'declared:' || a.id || ':' || d.value, d.value, null, 'declared', null, null, null, false, d.value ~* ${writing}, a.updated_at
        from living_agent a cross join lateral (select distinct jsonb_array_elements_text(a.facts->'elementPermissions') as value) d
       where jsonb_typeof(a.facts->'elementPermissions') = 'array'
         and not exists (select from granted g where g.agent_id = a.id and g.value = d.value and g.source = 'declared'))`,
  ];
}
