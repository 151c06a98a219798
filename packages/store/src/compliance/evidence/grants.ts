import { agentNames, agentsOfWindow } from './agent-queries.ts';
import type { EvidenceQuery } from './ordered.ts';
import { bounds } from './section-rows.ts';

/** What lets data be changed, by the words in the name of a permission. */
const writing = `'write|manage|fullcontrol|full_access|\\.send|send_as|accessasuser|user_impersonation'`;

/** A flag as it was told; null where it is none. */
const reportedBoolean = (object: string, member: string) =>
  `case ${object}->'${member}' when 'true' then true when 'false' then false end`;

/**
 * Every permission of an agent that stood at some time in the window, as `agent_grant`, narrow: there may be hundreds of thousands. Grants that were
 * told of agents; what the app of an agent's identity holds, which is how the directory tells it; and what packages declare. What was told of the agent
 * itself is not shown a second time. As it stands, also where it changed after what is known: how it stood is not kept, and a continued section
 * must not lose it.
 */
export function agentGrants(reading: EvidenceQuery): readonly string[] {
  const { tenant, from, to } = bounds(reading);
  return [
    agentNames(reading),
    agentsOfWindow(reading),
    // Members one by one: as a record they would take three times as long.
    `granted as materialized (
      select coalesce(n.id, r.agent_id) as agent_id, r.record_id as permission_id, r.facts->>'value' as value, r.facts->>'permissionKind' as permission_kind,
             r.facts->>'source' as source, r.facts->>'resourceId' as resource_id, r.facts->>'consentType' as consent_type, r.facts->>'resourceName' as resource_name,
             coalesce(${reportedBoolean('r.facts', 'adminConsented')}, case when r.facts->>'consentType' = 'allPrincipals' then true end) as admin_consented,
             r.facts->>'source' is distinct from 'declared'
               and coalesce(${reportedBoolean('r.facts', 'tenantWide')}, r.facts->>'consentType' = 'allPrincipals' or r.facts->>'permissionKind' = 'application', false) as tenant_wide,
             coalesce(${reportedBoolean('r.facts', 'writeAccess')}, r.facts->>'value' ~* ${writing}, false) as write_access, r.updated_at
        from models.agent_evidence r
        left join agent_name n on n.alias = models.lower_case(r.agent_id)
        left join models.agent_evidence gone on gone.tenant_id = ${tenant} and gone.is_deletion and gone.kind = 'permissionGrant'
              and gone.id = r.id || '/deleted' and (gone.version, gone.digest) > (r.version, r.digest)
       where r.tenant_id = ${tenant} and r.kind = 'permissionGrant' and not r.is_deletion
         and coalesce((r.facts->>'consentedAt')::timestamptz <= ${to}, true) and (gone.id is null or gone.happened_at >= ${from}))`,
    `identity_app as materialized (
      select distinct i.agent_id, p.id as app_id
        from (select a.id as agent_id, lower(named.alias) as alias
                from living_agent a cross join lateral (values (a.facts->>'appId'), (a.facts->>'agentIdentityId'), (a.facts->>'servicePrincipalId')) named(alias)) i
        join (select lower(id) as alias, id from models.entity_app where tenant_id = ${tenant}
              union select alias, id from models.entity_alias where tenant_id = ${tenant} and kind = 'app') p on p.alias = i.alias)`,
    `listed as materialized (
      select distinct on (permission_id) h.agent_id, concat_ws(':', 'app', e.id, h.agent_id, p->>'resourceId', p->>'principalId', p->>'value') as permission_id,
             p->>'value' as value, p->>'kind' as permission_kind, 'direct' as source, p->>'resourceId' as resource_id,
             case when p->>'kind' = 'delegated' then case when p->>'principalId' is null then 'allPrincipals' else 'principal' end end as consent_type,
             p->>'resource' as resource_name, ${reportedBoolean('p', 'adminConsented')} as admin_consented, coalesce(${reportedBoolean('p', 'tenantWide')}, false) as tenant_wide,
             p->>'value' ~* ${writing} as write_access, e.updated_at
        from identity_app h join models.entity_app e on e.tenant_id = ${tenant} and e.id = h.app_id
       cross join lateral jsonb_array_elements(case when jsonb_typeof(e.detail::jsonb->'permissions') = 'array' then e.detail::jsonb->'permissions' end) p
       where not e.is_deleted and p->>'kind' in ('delegated', 'application') and p->>'value' is not null
         and not exists (select from granted g where g.agent_id = h.agent_id and g.value = p->>'value' and g.source is distinct from 'declared')
       order by permission_id)`,
    `agent_grant as materialized (
      select * from granted
      union all
      select * from listed
      union all
      select a.id, 'declared:' || a.id || ':' || d.value, d.value, null, 'declared', null, null, null, null, false, d.value ~* ${writing}, a.updated_at
        from living_agent a cross join lateral (select distinct jsonb_array_elements_text(a.facts->'elementPermissions') as value) d
       where jsonb_typeof(a.facts->'elementPermissions') = 'array'
         and not exists (select from granted g where g.agent_id = a.id and g.value = d.value and g.source = 'declared'))`,
  ];
}
