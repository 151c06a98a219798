import { daysAgo } from '../clause/days-ago.ts';
import { fileReads } from '../clause/file-reads.ts';
import { logSubject } from '../clause/log-subject.ts';
import { entityNamesCte } from '../clause/names.ts';
import { restrictionsCtes } from '../clause/restrictions.ts';
import { countRows } from '../figures.ts';
import type { Relation } from '../relation.ts';

/**
 * Reads of files with restricted content since the restriction: from the log, where a file is named by the id of its list item or its address, and
 * from interactions with AI, which name the files they opened. Reads of files deleted since count. The platform's own processes read everything
 * continuously and do not count. Of a read by a program that is not known as an agent, an AI app or another app, it is unknown whether AI read it.
 */
export const restrictedReads: Relation = {
  with: `
  with ${restrictionsCtes}, exclusion as materialized (
    select * from restriction where level in ('noAiAccess', 'noAccess')
  ), types_of_files as materialized (
    select distinct types from models.file_tally where tenant_id = $1 and tally = 'content' and types && (select array_agg(type) from exclusion)
  ), exposed as materialized (
    -- By lists of types, which are few: to compare each file's types with those of restrictions took 80 ms of 125. Files deleted since are not in the tally.
    select id as file, types, is_deleted, name_digests from models.file_exposure
     where tenant_id = $1 and is_sensitive and (types in (select types from types_of_files) or is_deleted and types && (select array_agg(type) from exclusion))
  ), excluded as materialized (
    select l.types, x.* from (select types from types_of_files union select types from exposed where is_deleted) l cross join lateral unnest(l.types) carried (type) join exclusion x using (type)
  ), named_file as materialized (
    select unnest(name_digests) as name_digest, file from exposed
  ), outsider as (
    select id from models.user_fact where tenant_id = $1 and (is_external or user_type = 'guest')
  ), ${fileReads({ files: 'named_file', tenant: '$1', from: daysAgo(30), to: '$2::timestamptz' })}, read as materialized (
    select log_id, file, discovered_at, occurred_at, models.lower_case(actor_id) as actor, actor_type, is_external,
           case when not is_interaction then coalesce(application_id, case when actor_type in ('application', 'servicePrincipal') then actor_id end) end as program_id,
           case when is_interaction then coalesce(models.lower_case(agent_id), models.lower_case(application_id), app_host, 'ai') when actor_type = 'agent' then models.lower_case(actor_id) end as ai_identity
      from file_read
     where is_interaction or actor_type is distinct from 'system'
  ), named_program as materialized (
    select distinct models.lower_case(program_id) as name from read
  ), ${entityNamesCte('app', 'named_program')}, ${entityNamesCte('agent', 'named_program')}, program as materialized (
    select a.name, a.id, (f.facts ->> 'isAiApp')::boolean as is_ai from app_name a join models.entity_fact f on f.tenant_id = $1 and f.kind = 'app' and f.id = a.id
     where a.name not in (select name from agent_name)
     union all
    select name, id, true from agent_name
  ), exempted as materialized (
    select x.id as restriction_id, models.lower_case(e) as name from exclusion x cross join lateral jsonb_array_elements_text(x.exempt) e
  ), reader as materialized (
    select actor as name from read union select name from exempted
  ), ${entityNamesCte('user', 'reader')}, exempt_user as materialized (
    select e.restriction_id, u.id from exempted e join user_name u using (name)
  ), violation as (
    select d.log_id, d.file, d.discovered_at, d.occurred_at, d.actor, d.program_id,
           coalesce(d.ai_identity, case when p.is_ai then p.id end) as ai_identity,
           case when d.ai_identity is not null then true
                when d.program_id is not null or d.actor_type in ('application', 'servicePrincipal') then p.is_ai else false end as is_of_ai,
           x.level = 'noAccess' and d.occurred_at >= x.no_access_since and not exists (select from exempted e where e.restriction_id = x.id and e.name = d.actor)
             and not exists (select from exempt_user e where e.restriction_id = x.id and e.id = u.id) as is_forbidden,
           d.is_external or d.actor_type in ('guest', 'anonymous', 'partner') or u.id in (select id from outsider) as is_external
      from read d
      join exposed e using (file)
      join excluded x on x.types = e.types and d.occurred_at >= x.no_ai_since
      left join user_name u on u.name = d.actor
      left join program p on p.name = models.lower_case(d.program_id)
  ), read_file as (
    -- A read is of one file, which it may name in several ways; a file may carry several restricted types, and one event opens several files.
    select log_id, file, min(discovered_at) as discovered_at, min(occurred_at) as occurred_at, min(actor) as actor, min(ai_identity) as ai_identity,
           min(program_id) as program_id, bool_or(is_of_ai) as is_of_ai, bool_or(is_forbidden) as is_forbidden, bool_or(is_forbidden and is_external) as is_forbidden_external
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
      reported: 'is_of_ai is not null',
      bad: ['aiReads', 'is_of_ai'],
      figures: {
        restrictionsNoAi: '(select count(*) from exclusion)',
        aiIdentities: 'count(distinct ai_identity)',
      },
      reason: 'ai_read_restricted_file',
      since: 'r.occurred_at',
      detail: { fileId: 'r.file', aiIdentity: 'r.ai_identity', applicationId: 'r.program_id' },
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
