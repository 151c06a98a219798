import type pg from 'pg';
import { isLiveEvidence } from '../../resource/agent-evidence.ts';
import { countReported, type Metrics, type MetricsQuery, readFigures, toIsoTime } from './figures.ts';
import { decisionsCte, entityNamesCte, personCte } from './names.ts';
import { readActions } from './read-actions.ts';

/** Sensitive files and where they lie: labels, links, reach of AI, restrictions and who read in spite of them, mail that leaves. */
export async function readDataMetrics(client: pg.ClientBase, { tenantId, nowMs }: MetricsQuery): Promise<Metrics> {
  const values = [tenantId, toIsoTime(nowMs)];
  return {
    ...(await readFigures(client, files, values)),
    ...(await readFigures(client, reads, [...values, readActions])),
    ...(await readFigures(client, sites, [tenantId])),
    ...(await readFigures(client, scans, values)),
    ...(await readFigures(client, forwardings, values)),
    ...(await readFigures(client, mailAlerts, values)),
    ...(await readFigures(client, episodes, values)),
  };
}

/**
 * `restriction (id, type, level, exempt, …)`: those in force at the moment, at the level of their last event. One that was lifted is deleted or ends
 * in an event that says so. It excludes whom it excludes since it was declared, or since it was raised to that.
 */
const restrictions = `restriction_event as materialized (
    select r.restriction_id, r.record_id, r.happened_at, f.event, f."fromLevel" as from_level, f."toLevel" as to_level
      from models.agent_evidence r cross join lateral jsonb_to_record(r.facts) as f (event text, "fromLevel" text, "toLevel" text)
     where r.tenant_id = $1 and r.kind = 'restrictionEvent' and ${isLiveEvidence} and r.happened_at <= $2
  ), restriction as materialized (
    select r.record_id as id, lower(f."dataType" ->> 'id') as type, f."exemptIds" as exempt, coalesce(changed.to_level, f.level) as level,
           greatest(f."declaredAt", raised.to_no_ai_at) as no_ai_since, greatest(f."declaredAt", raised.to_no_access_at) as no_access_since
      from models.agent_evidence r
     cross join lateral jsonb_to_record(r.facts) as f ("dataType" jsonb, level text, "declaredAt" timestamptz, "exemptIds" jsonb)
      left join lateral (
             select e.to_level from restriction_event e where e.restriction_id = r.record_id and e.to_level is not null
              order by e.happened_at desc, e.record_id desc limit 1) changed on true
      left join lateral (
             select max(e.happened_at) filter (where e.to_level in ('noAiAccess', 'noAccess') and e.from_level = 'monitored') as to_no_ai_at,
                    max(e.happened_at) filter (where e.to_level = 'noAccess' and e.from_level <> 'noAccess') as to_no_access_at
               from restriction_event e where e.restriction_id = r.record_id) raised on true
     where r.tenant_id = $1 and r.kind = 'restriction' and ${isLiveEvidence} and f."declaredAt" <= $2
       and not exists (
             select from restriction_event e
              where e.restriction_id = r.record_id and e.event = 'lift' and e.happened_at >= f."declaredAt"
                and not exists (select from restriction_event again
                                 where again.restriction_id = r.record_id and again.event = 'declare' and again.happened_at > e.happened_at)))`;

/** A label protects when it is reported to. Files with unknown links are left out; if no file reports links, the population is null. */
const files = `
  with ${decisionsCte('sensitiveInfoType')}, ${restrictions}, file as materialized (
    select f.*, coalesce("aiAppReachCount" > 0 or "agentReachCount" > 0 or jsonb_array_length("aiReach") > 0, false) as is_reached,
           coalesce("aiAppReachCount", "agentReachCount", jsonb_array_length("aiReach")) is not null as has_reach,
           "isProtected" is true as is_protected, coalesce("hasAnonymousLink", "sharingScope" = 'anyone') as is_anonymous
      from models.entity_fact e
     cross join lateral jsonb_to_record(e.facts) as f (
             "sensitiveInfoTypes" jsonb, "sensitivityLabelId" text, "sensitivityLabelName" text, "isProtected" boolean, "sharingScope" text,
             "hasAnonymousLink" boolean, "externalUserCount" bigint, "externalUserIds" jsonb, "aiAppReachCount" bigint, "agentReachCount" bigint,
             "aiReach" jsonb)
     where e.tenant_id = $1 and e.kind = 'file' and not e.is_deleted
       and (e.facts -> 'sensitiveInfoTypes' -> 0 is not null or (e.facts ->> 'sensitiveInfoTypeCount')::bigint > 0)
  ), type_of as (
    select lower(t ->> 'id') as type, bool_or(is_reached) as is_reached, count(*) as carriers, count(*) filter (where is_protected) as protected
      from file cross join lateral jsonb_array_elements("sensitiveInfoTypes") t where t ->> 'id' <> '' group by 1
  ), carrier as (
    select is_protected from file
     where exists (select from jsonb_array_elements("sensitiveInfoTypes") t where lower(t ->> 'id') in (select type from restriction))
  )
  select count(*) as "data.labels.coverage/sensitiveFiles",
         count(*) filter (where "sensitivityLabelId" <> '' or "sensitivityLabelName" <> '') as "data.labels.coverage/labeled",
         ${countReported('true', 'is_anonymous is not null', 'is_anonymous is not null')} as "data.links.anonymous/sensitiveFiles",
         count(*) filter (where is_anonymous) as "data.links.anonymous/anonymous",
         ${countReported('true', '"externalUserCount" is not null', '"externalUserCount" is not null')} as "data.sharing.external/sensitiveFiles",
         count(*) filter (where "externalUserCount" > 0) as "data.sharing.external/external",
         (select count(distinct lower(name)) from file cross join lateral jsonb_array_elements_text("externalUserIds") name)
           as "data.sharing.external/externalUsers",
         case when bool_and(not has_reach) then null else count(*) filter (where is_reached) end
           as "ai.data.sensitive_reach_protected/sensitiveInReach",
         count(*) filter (where is_reached and not is_protected) as "ai.data.sensitive_reach_protected/unprotected",
         case when bool_and(not has_reach) then null else (select count(*) from type_of where is_reached) end
           as "ai.data.restriction_decisions/typesInReach",
         (select count(*) from type_of t
           where is_reached and (type in (select r.type from restriction r)
                                 or type in (select id from decided where is_approval)))
           as "ai.data.restriction_decisions/decided",
         (select count(*) from carrier) as "ai.data.restricted_label_coverage/carriers",
         (select count(*) from carrier where is_protected) as "ai.data.restricted_label_coverage/labelProtected"
    from file`;

/**
 * Reads of files with restricted content since the restriction: from the log, where a file is named by the id of its list item or its address, and
 * from interactions with AI, which name the files they opened. Reads of files deleted since count. The platform's own processes read everything
 * continuously and do not count. Without a restriction the log is not read.
 */
const reads = `
  with ${restrictions}, exclusion as materialized (
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
  ), event as materialized (
    select id, occurred_at, lower(actor_id) as actor, actor_type, application_id, lower(resource_id) as name from models.audit_log
     where tenant_id = $1 and action = any ($3::text[]) and actor_type is distinct from 'system'
       and discovered_at >= $2::timestamptz - interval '32 days' and occurred_at between $2::timestamptz - interval '30 days' and $2
       and exists (select from models.agent_evidence where tenant_id = $1 and kind = 'restriction')
  ), read as (
    select l.id as log_id, c.file, l.occurred_at, l.actor, l.actor_type, false as is_external,
           case when l.actor_type = 'agent' then l.actor when l.application_id in (select id from ai_app) then l.application_id end as ai_identity
      from event l join called c using (name)
     union
    select l.log_id, c.file, l.occurred_at, lower(l.actor_id), l.facts ->> 'actorType', coalesce((l.facts ->> 'isExternal')::boolean, false),
           coalesce(lower(l.agent_id), lower(l.facts ->> 'clientId'), l.facts ->> 'appHost', 'ai')
      from models.log_fact l
     cross join lateral jsonb_array_elements(l.facts -> 'resources') r
     cross join lateral unnest(array[r ->> 'id', r ->> 'siteUrl']) opened
      join called c on c.name = lower(opened)
     where l.tenant_id = $1 and l.kind = 'aiInteraction' and exists (select from carrier)
       and l.occurred_at between $2::timestamptz - interval '30 days' and $2
  ), violation as materialized (
    select distinct d.log_id, d.file, d.ai_identity,
           x.level = 'noAccess' and d.occurred_at >= x.no_access_since and not coalesce(x.exempt ?| array[d.actor, u.id], false) as is_forbidden,
           d.is_external or d.actor_type in ('guest', 'anonymous', 'partner') or u.id in (select id from outsider) as is_external
      from read d
      join carrier c using (file)
      join exclusion x on x.id = c.exclusion and d.occurred_at >= x.no_ai_since
      left join user_name u on u.name = d.actor
  )
  select (select count(*) from exclusion) as "ai.data.no_ai_reads_of_restricted/restrictionsNoAi",
         count(distinct (log_id, file)) filter (where ai_identity is not null) as "ai.data.no_ai_reads_of_restricted/aiReads",
         count(distinct ai_identity) as "ai.data.no_ai_reads_of_restricted/aiIdentities",
         (select count(*) from exclusion where level = 'noAccess') as "ai.data.restriction_no_access_violations/restrictionsNoAccess",
         count(distinct (log_id, file)) filter (where is_forbidden) as "ai.data.restriction_no_access_violations/reads",
         count(distinct (log_id, file)) filter (where is_forbidden and is_external) as "ai.data.restriction_no_access_violations/externalReads"
    from violation`;

/** Who owns a site: its owner, its administrators, the owners of its group. A link for anyone opens a site's file to the organization, too. */
const sites = `
  with ${personCte}, ${entityNamesCte('site')}, sensitive as materialized (
    select n.id, bool_or(coalesce(f."hasOrganizationLink" or f."hasAnonymousLink" or f."sharingScope" in ('organization', 'anyone'), false)) as is_open
      from models.entity_fact e
     cross join lateral jsonb_to_record(e.facts) as f (
             "siteId" text, "sharingScope" text, "hasOrganizationLink" boolean, "hasAnonymousLink" boolean)
      join site_name n on n.name = lower(f."siteId")
     where e.tenant_id = $1 and e.kind = 'file' and not e.is_deleted
       and (e.facts -> 'sensitiveInfoTypes' -> 0 is not null or (e.facts ->> 'sensitiveInfoTypeCount')::bigint > 0)
     group by n.id
  ), site as materialized (
    select e.id, f.*, s.id is not null or coalesce(f."sensitiveFileCount" > 0, false) as is_sensitive,
           case when f."everyoneAccess" or s.is_open then true else f."everyoneAccess" end as is_overshared
      from models.entity_fact e
     cross join lateral jsonb_to_record(e.facts) as f (
             "ownerId" text, "groupId" text, "adminIds" jsonb, "everyoneAccess" boolean, "sensitiveFileCount" bigint, "isArchived" boolean)
      left join sensitive s on s.id = e.id
     where e.tenant_id = $1 and e.kind = 'site' and not e.is_deleted
  ), owner as (
              select id, lower("ownerId") as name from site
    union all select id, lower(a) from site cross join lateral jsonb_array_elements_text("adminIds") a
    union all select s.id, lower(o) from site s
                join models.entity_fact g on g.tenant_id = $1 and g.kind = 'group' and g.id = s."groupId" and not g.is_deleted
               cross join lateral jsonb_array_elements_text(g.facts -> 'ownerIds') o
  ), owned as (
    select distinct o.id from owner o join person p on p.name = o.name
  )
  select ${countReported('is_sensitive', 'is_overshared is not null', 'is_overshared is not null')} as "data.sites.overshared/sensitiveSites",
         count(*) filter (where is_sensitive and is_overshared) as "data.sites.overshared/overshared",
         count(*) filter (where "isArchived" is not true) as "data.sites.owned/sites",
         count(*) filter (where "isArchived" is not true and id in (select id from owned)) as "data.sites.owned/owned"
    from site`;

/** Only a source that says so has come to the end of its scan. */
const scans = `
  select (select count(*) from models.entity_fact where tenant_id = $1 and kind = 'sensitiveInfoType' and not is_deleted)
           as "data.inventory.fresh/typesTracked",
         (select ceil(extract(epoch from $2 - max((facts ->> 'lastCompleteImportAt')::timestamptz)) / 86400) from models.compliance_record
           where tenant_id = $1 and kind = 'sourceStatus' and facts ->> 'source' in ('sensitive_info_types', 'sensitiveInfoType')) as "data.inventory.fresh/scanAgeDays"`;

/** Looked at since it began: approved, of the event or the mailbox, or ended by an action on the mailbox. */
const forwardings = `
  with ${entityNamesCte('user')}, forwarding as (
    select l.log_id, l.occurred_at, lower(l.facts ->> 'mailbox') as mailbox, u.id as person
      from models.log_fact l left join user_name u on u.name = lower(l.facts ->> 'mailbox')
     where l.tenant_id = $1 and l.kind = 'externalForwarding' and l.occurred_at between $2::timestamptz - interval '90 days' and $2
  ), look as (
    select lower(subject_id) as name, (facts ->> 'at')::timestamptz as at from models.compliance_record
     where tenant_id = $1 and kind = 'decision' and facts ->> 'outcome' in ('approved', 'accepted')
     union all
    select lower(resource_id), created_at from models.action
     where tenant_id = $1 and action_type in ('removeInboxRule', 'disableForwarding') and rung in ('applied', 'confirmed') and not is_simulated
       and created_at >= $2::timestamptz - interval '90 days'
  )
  select count(*) as "data.mail.external_forwarding/forwardings",
         count(*) filter (where not exists (
           select from look l where l.name in (f.mailbox, lower(f.person), f.log_id::text) and l.at between f.occurred_at and $2))
           as "data.mail.external_forwarding/unreviewed"
    from forwarding f`;

// Of an alert's detail only what we wrote: behind it stands what the provider sent, in which may be what the server cannot read.
const mailAlerts = `
  with alert as (
    select created_at, ((split_part(detail, ',"rawData":', 1) || '}')::json ->> 'resolvedDateTime')::timestamptz as resolved_at from models.security_alert
     where tenant_id = $1 and created_at between $2::timestamptz - interval '30 days' and $2::timestamptz - interval '72 hours'
       and document::json -> 'emails' -> 0 is not null
  )
  select count(*) as "data.mail.threats_handled/mailAlerts",
         count(*) filter (where resolved_at - created_at <= interval '72 hours') as "data.mail.threats_handled/handled"
    from alert`;

/** What carries data out: downloads, shares, exports, mail that is forwarded. */
const episodes = `
  with episode as (
    select opened_at, (document::json ->> 'resolvedAt')::timestamptz as resolved_at from models.detection
     where tenant_id = $1 and level = 'alerted'
       and opened_at between $2::timestamptz - interval '60 days' and $2::timestamptz - interval '3 days'
       and (action_group in ('file.download', 'mail.forwardingChange', 'ediscovery.export') or action_group like 'file.share%'
            or action_group like '%exfiltration%')
  )
  select count(*) as "data.exfiltration.handled/episodes",
         count(*) filter (where resolved_at - opened_at <= interval '72 hours' and resolved_at <= $2) as "data.exfiltration.handled/handled"
    from episode`;
