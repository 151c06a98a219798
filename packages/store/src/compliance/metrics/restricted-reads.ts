import { countRows } from './figures.ts';
import { fileReads } from './file-reads.ts';
import { logSubject } from './log-subject.ts';
import { entityNamesCte } from './names.ts';
import type { Relation } from './relation.ts';
import { restrictionsCtes } from './restrictions.ts';

/**
 * Reads of files with restricted content since the restriction: from the log, where a file is named by the id of its list item or its address, and
 * from interactions with AI, which name the files they opened. Reads of files deleted since count. The platform's own processes read everything
 * continuously and do not count.
 */
export const restrictedReads: Relation = {
  with: `
  with ${restrictionsCtes}, exclusion as materialized (
    select * from restriction where level in ('noAiAccess', 'noAccess')
  ), carrier as materialized (
    select distinct e.id as file, x.id as exclusion
      from models.entity_fact e
     cross join lateral jsonb_array_elements(e.facts -> 'sensitiveInfoTypes') t
      join exclusion x on x.type = lower(t ->> 'id')
     where e.tenant_id = $1 and e.kind = 'file' and exists (select from exclusion)
  ), called as materialized (
    select lower(file) as name, file from carrier
     union
    select a.alias, a.id from models.entity_alias a where a.tenant_id = $1 and a.kind = 'file' and a.id in (select file from carrier)
  ), ${entityNamesCte('user')}, outsider as (
    select id from models.entity_fact
     where tenant_id = $1 and kind = 'user' and ((facts ->> 'isExternal')::boolean or facts ->> 'userType' = 'guest')
  ), ai_app as (
    select id from models.entity_fact where tenant_id = $1 and kind = 'app' and (facts ->> 'isAiApp')::boolean
  ), ${fileReads({ files: 'called', tenant: '$1', from: "$2::timestamptz - interval '30 days'", to: '$2::timestamptz' })}, read as (
    select log_id, file, discovered_at, occurred_at, lower(actor_id) as actor, actor_type, is_external,
           case when is_interaction then coalesce(lower(agent_id), lower(application_id), app_host, 'ai') when actor_type = 'agent' then lower(actor_id)
                when application_id in (select id from ai_app) then application_id end as ai_identity
      from file_read
     where is_interaction or actor_type is distinct from 'system'
  ), violation as materialized (
    select distinct d.log_id, d.file, d.discovered_at, d.occurred_at, d.actor, d.ai_identity,
           x.level = 'noAccess' and d.occurred_at >= x.no_access_since and not coalesce(x.exempt ?| array[d.actor, u.id], false) as is_forbidden,
           d.is_external or d.actor_type in ('guest', 'anonymous', 'partner') or u.id in (select id from outsider) as is_external
      from read d
      join carrier c using (file)
      join exclusion x on x.id = c.exclusion and d.occurred_at >= x.no_ai_since
      left join user_name u on u.name = d.actor
  ), read_file as (
    -- A read is of one file; a file may carry several restricted types, and one event opens several files.
    select log_id, file, min(discovered_at) as discovered_at, min(occurred_at) as occurred_at, min(actor) as actor, min(ai_identity) as ai_identity,
           bool_or(ai_identity is not null) as is_of_ai, bool_or(is_forbidden) as is_forbidden, bool_or(is_forbidden and is_external) as is_forbidden_external
      from violation group by log_id, file
  )`,
  from: 'read_file r',
  subject: {
    ...logSubject('r'),
    order: [
      { sql: 'r.log_id', type: 'uuid' },
      { sql: 'r.file', type: 'text' },
    ],
  },
  rules: {
    'ai.data.no_ai_reads_of_restricted': {
      population: [null, 'true'],
      bad: ['aiReads', 'is_of_ai'],
      figures: {
        restrictionsNoAi: '(select count(*) from exclusion)',
        aiIdentities: '(select count(distinct ai_identity) from violation)',
      },
      reason: 'ai_read_restricted_file',
      since: 'r.occurred_at',
      detail: { fileId: 'r.file', aiIdentity: 'r.ai_identity' },
    },
    'ai.data.restriction_no_access_violations': {
      population: [null, 'true'],
      bad: ['reads', 'is_forbidden'],
      figures: {
        restrictionsNoAccess: "(select count(*) from exclusion where level = 'noAccess')",
        externalReads: countRows('is_forbidden_external'),
      },
      reason: 'restricted_file_read',
      since: 'r.occurred_at',
      detail: { fileId: 'r.file', actorId: 'r.actor', isExternal: 'r.is_forbidden_external' },
    },
  },
};
