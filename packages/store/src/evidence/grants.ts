import { agentNames, agentsOfWindow } from './known-agents.ts';
import type { EvidenceReading } from './ordered.ts';
import { bounds } from './section-rows.ts';

/** What lets data be changed, by the words in the name of a permission. */
const writing = `'write|manage|fullcontrol|full_access|\\.send|send_as|accessasuser|user_impersonation'`;

/**
 * Every permission of an agent that stood at some time in the window, as `agent_grant`, narrow: there may be hundreds of thousands. Grants that were
 * told, and what packages declare unless it was told as a declaration too.
 */
export function agentGrants(reading: EvidenceReading): readonly string[] {
  const { tenant, from, to, known } = bounds(reading);
  return [
    agentNames(reading),
    agentsOfWindow(reading),
    `granted as materialized (
      select coalesce(n.id, r.agent_id) as agent_id, r.record_id as permission_id, f.value, f."permissionKind" as permission_kind, f.source,
             f."resourceId" as resource_id, f."consentType" as consent_type,
             coalesce(f."adminConsented", case when f."consentType" = 'allPrincipals' then true end) as admin_consented,
             f.source is distinct from 'declared' and coalesce(f."tenantWide", f."consentType" = 'allPrincipals' or f."permissionKind" = 'application', false) as tenant_wide,
             coalesce(f."writeAccess", f.value ~* ${writing}, false) as write_access, r.updated_at
        from models.agent_evidence r
       cross join lateral jsonb_to_record(r.facts) as f (
               value text, "permissionKind" text, source text, "resourceId" text, "consentType" text,
               "adminConsented" boolean, "tenantWide" boolean, "writeAccess" boolean, "consentedAt" timestamptz)
        left join agent_name n on n.alias = lower(r.agent_id)
        left join models.agent_evidence gone on gone.tenant_id = ${tenant} and gone.id = r.id || '/deleted' and (gone.version, gone.digest) > (r.version, r.digest)
       where r.tenant_id = ${tenant} and r.kind = 'permissionGrant' and not r.is_deletion and r.updated_at <= ${known}
         and (f."consentedAt" is null or f."consentedAt" <= ${to}) and (gone.id is null or gone.happened_at >= ${from}))`,
    `agent_grant as materialized (
      select * from granted
      union all
      select a.id, 'declared:' || a.id || ':' || d.value, d.value, null, 'declared', null, null, null, false, d.value ~* ${writing}, a.updated_at
        from living_agent a cross join lateral (select distinct jsonb_array_elements_text(a.facts->'elementPermissions') as value) d
       where jsonb_typeof(a.facts->'elementPermissions') = 'array'
         and not exists (select from granted g where g.agent_id = a.id and g.value = d.value and g.source = 'declared'))`,
  ];
}
