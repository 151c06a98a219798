import type pg from 'pg';
import { daysAgo } from '../clause/days-ago.ts';
import { countedEpisodes, episodesCte } from '../clause/episodes.ts';
import { byOccurrence, isAmongIds, logSubject } from '../clause/log-subject.ts';
import { arrivalHours, beginHour, beginPeriod, hourTallies, longTallies, oldestArrival } from '../clause/log-tally.ts';
import { entityNamesCte } from '../clause/names.ts';
import { type Metrics, type MetricsQuery, readFigures, toIsoTime } from '../figures.ts';
import type { Relation } from '../relation.ts';

/** How much of the log is stored. */
export function readAiActivityMetrics(
  client: pg.ClientBase,
  { tenantId, connectedAtMs, nowMs }: MetricsQuery,
): Promise<Metrics> {
  return readFigures(client, history, [tenantId, toIsoTime(nowMs), toIsoTime(connectedAtMs)]);
}

/** Whatever gap is longer than an hour ends in another hour than it began in; shorter ones round up to one. */
const history = `
  with stamp as (
    select ${oldestArrival('$1')} as oldest_at, greatest(${daysAgo(90)}, $3::timestamptz) as from_at
  ), hour as materialized (${arrivalHours('(select from_at from stamp)')}
  ), gap as (
    select extract(epoch from until_at - since_at) / 3600 as hours from (
      select last_at as since_at, coalesce(lead(first_at) over (order by first_at), $2) as until_at from hour
       union all
      select from_at, coalesce((select min(first_at) from hour), $2) from stamp) between_rows
  )
  select (oldest_at is not null)::integer as "ai.logs.retention_183/logRowsAny",
         floor(extract(epoch from $2 - oldest_at) / 86400) as "ai.logs.retention_183/logHistoryDays",
         floor(extract(epoch from $2::timestamptz - $3) / 86400) as "ai.logs.retention_183/tenantConnectedDays",
         183 as "ai.logs.retention_183/retentionTargetDays",
         coalesce(oldest_at - $3::timestamptz <= interval '2 days', false)::integer as "ai.logs.retention_183/historyReachesConnection",
         (oldest_at is not null)::integer as "ai.logs.continuity/logRowsAny",
         case when oldest_at is not null then (select ceil(max(hours)) from gap) end as "ai.logs.continuity/maxGapHours",
         case when oldest_at is not null then (select count(*) from gap where hours > 24) end as "ai.logs.continuity/gapsOver24h"
    from stamp`;

/** Names that attribute an interaction to an agent or an app, existing or deleted since, for rows `d` with its agent and its client. */
const attribution = `
      left join agent_name a on a.name = models.lower_case(d.agent_id)
      left join agent_name c on c.name = models.lower_case(d.client_id)
      left join app_name p on p.name = models.lower_case(d.client_id)
      left join app_name i on i.name = models.lower_case(d.agent_id)`;
const isAttributed = 'coalesce(a.id, c.id, p.id, i.id) is not null';

/** Interactions by day, counted when they were written. */
const dayCtes = `
  with ${entityNamesCte('agent')}, ${entityNamesCte('app')}, day as materialized (
    select nullif(t.subject, '') as agent_id, nullif(t.object, '') as client_id, t.flags = 'actor' as has_actor, (t.at at time zone 'UTC')::date as day,
           sum(t.events) filter (where t.at >= ${beginHour(daysAgo(30))}) as recent, max(t.last_at) as last_at
      from ${hourTallies('interaction', 90)}
     group by 1, 2, 3, 4
  ), attributed as (
    select d.*, coalesce(a.id, c.id) as agent, ${isAttributed} as is_attributed
      from day d ${attribution}
  )`;

const isNamed = (name: string) => `models.lower_case(${name}) in (select name from system_name)`;

/**
 * The same interactions, one by one, from the same hour on; they are counted with the activity of agents. A page reads them in the order of their index, and joins of the names
 * would be nested loops: with 5,000 names a page of 1,000 took 4.5 s.
 */
const interactions: Relation = {
  with: `
  with ${entityNamesCte('agent')}, ${entityNamesCte('app')}, system_name as materialized (
    select name from agent_name union all select name from app_name
  ), interaction as (
    select log_id, discovered_at, occurred_at, agent_id, facts ->> 'clientId' as client_id, actor_id from models.log_fact
     where tenant_id = $1 and kind = 'aiInteraction' and occurred_at between ${beginHour(daysAgo(30))} and $2
  )`,
  from: ({ ids }) => (ids ? `(select * from interaction where ${isAmongIds('log_id', ids)}) d` : 'interaction d'),
  subject: logSubject('d', byOccurrence('d')),
  isCountedElsewhere: true,
  eventCount: `select sum(t.events) from ${hourTallies('interaction', 30)}`,
  rules: {
    'ai.logs.agent_activity_attributed': {
      population: ['aiEvents', 'true'],
      good: ['attributed', `(${isNamed('d.agent_id')} or ${isNamed('d.client_id')}) and d.actor_id is not null`],
      reason: 'not_attributed',
      since: 'd.occurred_at',
      detail: { agentId: 'd.agent_id', clientId: 'd.client_id', actorId: 'd.actor_id' },
    },
  },
};

/** Interactions are still attributed to agents deleted since; populations count existing agents only. An unknown age counts as old, unknown activity as none. */
const activity: Relation = {
  with: `${dayCtes}, used as (
    select agent as id, max(last_at) as last_at, count(distinct day) as days from attributed where agent is not null group by agent
  ), reported as (
    select distinct n.id
      from (select distinct models.lower_case(t.subject) as name from ${longTallies('lifecycle', 91)} and t.flags in ('create', 'publish', 'deploy')) seen
      join agent_name n using (name)
  ), watched as (
    select exists (select from models.compliance_record
                    where tenant_id = $1 and kind = 'detector' and (facts ->> 'enabled')::boolean and facts -> 'entityTypes' ? 'agent') as is_watched
  ), agent as (
    select e.id, f."isBlocked" is not true and f."lifecycleStatus" in ('published', 'deployed') as is_active,
           coalesce(f."lifecycleStatus" in ('published', 'deployed', 'unknown'), true) and f."isBlocked" is not true as may_be_active,
           coalesce(f."createdAt" <= ${daysAgo(90)}, true) as is_old,
           greatest(f."createdAt", f."lastPublishedAt") as changed_at,
           greatest(f."createdAt", f."lastPublishedAt") between ${daysAgo(90)} and $2 as is_changed,
           greatest(u.last_at, f."lastActivityAt") as last_at, coalesce(u.days, 0) as days, t.id is not null as has_event, is_watched
      from models.entity_fact e
     cross join watched
     cross join lateral jsonb_to_record(e.facts) as f (
             "lifecycleStatus" text, "isBlocked" boolean, "createdAt" timestamptz, "lastPublishedAt" timestamptz, "lastActivityAt" timestamptz)
      left join used u on u.id = e.id
      left join reported t on t.id = e.id
     where e.tenant_id = $1 and e.kind = 'agent' and not e.is_deleted
  )`,
  from: 'agent a',
  subject: { type: 'agent', id: 'a.id' },
  figures: {
    'ai.threats.prompt_injection_triaged/aiEvents': '(select coalesce(sum(recent), 0) from attributed)',
    'ai.logs.agent_activity_attributed/aiEvents': '(select coalesce(sum(recent), 0) from attributed)',
    'ai.logs.agent_activity_attributed/attributed':
      '(select coalesce(sum(recent) filter (where is_attributed and has_actor), 0) from attributed)',
  },
  rules: {
    'ai.agents.dormant': {
      population: ['agentsPublished', 'may_be_active and is_old'],
      reported: 'is_active',
      bad: ['dormant', `coalesce(last_at < ${daysAgo(90)}, true)`],
      reason: 'no_activity_90d',
      since: 'last_at',
    },
    'ai.agents.lifecycle_logged': {
      population: ['changedAgents', 'coalesce(is_changed, true)'],
      reported: 'is_changed',
      good: ['withEvent', 'has_event'],
      reason: 'no_lifecycle_event',
      since: 'changed_at',
    },
    'ai.detection.coverage': {
      population: ['agentsActive30d', `last_at >= ${daysAgo(30)}`],
      good: ['covered', 'days >= 14 and is_watched'],
      reason: 'not_covered_by_detection',
      detail: { activeDays: 'days', hasDetector: 'is_watched' },
    },
  },
};

/**
 * What follows an attack: an alert, an action or the end of an episode that names the agent, the person or the resource of it, by any name. Follow-ups of one name are
 * read by periods as long as the time in which they count, of which it touches two: the last one of the period of the attack and the first one of the next decide. They are
 * looked up for each that was attacked in a period, not for each name of each attack: 23,000 attacks had 129,000 names.
 */
const attacks: Relation = {
  with: `
  with ${entityNamesCte('agent')}, attack as materialized (
    select log_id, discovered_at, agent_id, actor_id, occurred_at, facts -> 'threats' as threats, ${beginPeriod('occurred_at', 3)} as period from models.log_fact
     where tenant_id = $1 and kind = 'aiInteraction' and jsonb_path_exists(facts, '$.threats[0]') -- by the index of flagged ones
       and facts @? '$.threats[*] ? (@.threatType == "jailbreak" || @.threatType == "xpia")'
       and occurred_at between ${daysAgo(30)} and $2::timestamptz - interval '72 hours'
  ), attacked as materialized (
    select log_id, occurred_at, period, 'agent' as kind, agent_id as id from attack where agent_id is not null
     union all select log_id, occurred_at, period, 'user', actor_id from attack where actor_id is not null
     union all select log_id, occurred_at, period, 'resource', jsonb_path_query(threats, '$[*].resourceId') #>> '{}' from attack
  ), party as materialized (
    select kind, id, models.lower_case(id) as name from (select distinct kind, id from attacked where id is not null) of_attack
  ), follow_up as materialized (
    select name, ${beginPeriod('at', 3)} as period, min(at) as first_at, max(at) as last_at from (
      -- Of the entity, which has one name.
      select names[1] as name, resolved_at as at from models.incident_fact
       where tenant_id = $1 and kind = 'detection' and opened_at between ${daysAgo(90)} and $2 and resolved_at >= ${daysAgo(30)}
       union all
      select unnest(names), opened_at from models.incident_fact
       where tenant_id = $1 and kind = 'securityAlert' and opened_at between ${daysAgo(30)} and $2
       union all
      select models.lower_case(resource_id), created_at from models.action
       where tenant_id = $1 and not is_simulated and created_at between ${daysAgo(30)} and $2) followed_name
     where name is not null and exists (select from attack) group by 1, 2
  ), named as materialized (
    select name from party where kind = 'user' union select name from follow_up
  ), ${entityNamesCte('user', 'named')}, named_party as (
    select kind, id, name from party
     union select p.kind, p.id, models.lower_case(n.id) from party p join agent_name n using (name) where p.kind = 'agent'
     union select p.kind, p.id, models.lower_case(u.id) from party p join user_name u using (name) where p.kind = 'user'
  ), followed as (
    select name, period, first_at, last_at from follow_up
     union all select models.lower_case(n.id), period, first_at, last_at from follow_up join agent_name n using (name)
     union all select models.lower_case(u.id), period, first_at, last_at from follow_up join user_name u using (name)
  ), followed_party as materialized (
    select p.kind, p.id, f.period, f.first_at, f.last_at from named_party p join followed f using (name)
  ), reaction_time as materialized (
    select kind, id, period, max(last_at) as last_at, min(next_at) as next_at from (
      select kind, id, period, last_at, null::timestamptz as next_at from followed_party
       union all select kind, id, period - interval '72 hours', null, first_at from followed_party) of_period group by 1, 2, 3
  ), triaged as (
    select a.log_id from attacked a join reaction_time r using (kind, id, period) where r.last_at >= a.occurred_at or r.next_at <= a.occurred_at + interval '72 hours'
  )`,
  from: 'attack a',
  subject: logSubject('a', byOccurrence('a')),
  rules: {
    'ai.threats.prompt_injection_triaged': {
      population: ['threatEvents', 'true'],
      good: ['triaged', 'a.log_id in (select log_id from triaged)'],
      reason: 'not_triaged_within_72h',
      since: 'a.occurred_at',
      detail: { agentId: 'a.agent_id', actorId: 'a.actor_id' },
    },
  },
};

/** Episodes about agents, AI apps, or what is done with AI. Of an app that is not classified it is unknown whether it is one. */
const aiEpisodes = `
  (select d.*, subject.is_ai
     from episode d
    cross join lateral (
            select case when d.entity_type = 'agent' or d.action_group like 'ai.%' or d.action_group like 'agent.%' then true
                        when d.entity_type = 'app' then (
                          select bool_or((a.facts ->> 'isAiApp')::boolean) from models.entity_fact a
                           where a.tenant_id = $1 and a.kind = 'app'
                             and a.id = any (array(select d.app_id union all select lower(d.app_id) union all
                                                   select n.id from models.entity_alias n
                                                    where n.tenant_id = $1 and n.kind = 'app' and n.alias = models.lower_case(d.app_id))))
                        else false end as is_ai) subject
    where d.is_week_old and subject.is_ai is not false) e`;

const episodes: Relation = {
  with: episodesCte,
  from: aiEpisodes,
  counted: countedEpisodes(aiEpisodes),
  subject: { type: 'detection', id: 'e.id' },
  rules: {
    'ai.detection.resolved_7d': {
      population: ['episodes', 'true'],
      reported: 'e.is_ai',
      good: ['resolvedInTime', 'took_up_to_7d'],
      reason: 'not_resolved_within_7d',
      since: 'opened_at',
      detail: { severity: 'severity', status: 'status' },
    },
  },
};

/** A scan that failed looked at nothing. An app may be of AI or not; accounts, files and the like are not. */
const policies: Relation = {
  with: `
  with policy as (
    select record_id as id, subject.is_ai from models.compliance_record
     cross join lateral (
            select case when facts ->> 'subjectType' = 'agent' then true
                        when facts ->> 'aiSubject' is not null then (facts ->> 'aiSubject')::boolean
                        when facts ->> 'subjectType' in ('user', 'group', 'site', 'file', 'device', 'license', 'email', 'sensitiveInfoType') then false
                   end as is_ai) subject
     where tenant_id = $1 and kind = 'policy' and (facts ->> 'enabled')::boolean and subject.is_ai is not false
  )`,
  from: 'policy p',
  subject: { type: 'policy', id: 'p.id' },
  rules: {
    'ai.policies.scanned': {
      population: ['aiPolicies', 'true'],
      reported: 'p.is_ai',
      good: [
        'scanned7d',
        `exists (select from models.policy_scan s
                  where s.tenant_id = $1 and s.policy_id = p.id and s.status <> 'error'
                    and s.scanned_at between ${daysAgo(7)} and $2)`,
      ],
      reason: 'not_scanned_within_7d',
    },
  },
};

/** What agents and assistants did: whose it was, what attacked them and what watches them. */
export const aiActivityRelations: readonly Relation[] = [interactions, activity, attacks, episodes, policies];
