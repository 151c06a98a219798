import type pg from 'pg';
import { isLiveEvidence } from '../../resource/agent-evidence.ts';
import { countRows, type Metrics, type MetricsQuery, readFigures, toIsoTime } from './figures.ts';
import { byOccurrence, logSubject } from './log-subject.ts';
import { decisionsCte, entityNamesCte, personCte } from './names.ts';
import { readActions } from './read-actions.ts';
import type { Relation } from './relation.ts';

/** How old the inventory of sensitive types is. */
export function readDataMetrics(client: pg.ClientBase, { tenantId, nowMs }: MetricsQuery): Promise<Metrics> {
  return readFigures(client, scans, [tenantId, toIsoTime(nowMs)]);
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
const filesCtes = `
  with ${decisionsCte('sensitiveInfoType')}, ${restrictions}, file as materialized (
    select e.id, f.*, coalesce("aiAppReachCount" > 0 or "agentReachCount" > 0 or jsonb_array_length("aiReach") > 0, false) as is_reached,
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
    select id, is_protected from file
     where exists (select from jsonb_array_elements("sensitiveInfoTypes") t where lower(t ->> 'id') in (select type from restriction))
  )`;

const files: Relation = {
  with: filesCtes,
  from: 'file f',
  subject: { type: 'file', id: 'f.id' },
  rules: {
    'data.labels.coverage': {
      population: ['sensitiveFiles', 'true'],
      good: ['labeled', `"sensitivityLabelId" <> '' or "sensitivityLabelName" <> ''`],
      reason: 'no_sensitivity_label',
    },
    'data.links.anonymous': {
      population: ['sensitiveFiles', 'true'],
      reported: 'is_anonymous is not null',
      excludesUnknown: true,
      bad: ['anonymous', 'is_anonymous'],
      reason: 'anonymous_link',
    },
    'data.sharing.external': {
      population: ['sensitiveFiles', 'true'],
      reported: '"externalUserCount" is not null',
      excludesUnknown: true,
      bad: ['external', '"externalUserCount" > 0'],
      figures: {
        externalUsers: `(select count(distinct lower(name)) from file cross join lateral jsonb_array_elements_text("externalUserIds") name)`,
      },
      reason: 'shared_externally',
      detail: { externalUserCount: '"externalUserCount"' },
    },
    'ai.data.sensitive_reach_protected': {
      population: ['sensitiveInReach', 'is_reached'],
      bad: ['unprotected', 'not is_protected'],
      figures: {
        sensitiveInReach: `case when bool_and(not has_reach) then null else ${countRows('is_reached')} end`,
      },
      reason: 'not_protected',
      detail: { aiAppReachCount: '"aiAppReachCount"', agentReachCount: '"agentReachCount"' },
    },
  },
};

const reachedTypes: Relation = {
  with: filesCtes,
  from: 'type_of t',
  subject: {
    type: 'sensitiveInfoType',
    id: 't.type',
    name: `(select n.document::json ->> 'name' from models.entity_sensitive_info_type n
             where n.tenant_id = $1 and lower(n.id) = t.type order by n.id limit 1)`,
  },
  rules: {
    'ai.data.restriction_decisions': {
      population: ['typesInReach', 'is_reached'],
      good: [
        'decided',
        't.type in (select r.type from restriction r) or t.type in (select id from decided where is_approval)',
      ],
      figures: {
        typesInReach: `case when (select bool_and(not has_reach) from file) then null else ${countRows('is_reached')} end`,
      },
      reason: 'no_decision',
      detail: { files: 't.carriers' },
    },
  },
};

const carriers: Relation = {
  with: filesCtes,
  from: 'carrier c',
  subject: { type: 'file', id: 'c.id' },
  rules: {
    'ai.data.restricted_label_coverage': {
      population: ['carriers', 'true'],
      good: ['labelProtected', 'is_protected'],
      reason: 'not_protected',
    },
  },
};

/**
 * Reads of files with restricted content since the restriction: from the log, where a file is named by the id of its list item or its address, and
 * from interactions with AI, which name the files they opened. Reads of files deleted since count. The platform's own processes read everything
 * continuously and do not count. Without a restriction the log is not read.
 */
const reads: Relation = {
  with: `
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
    select id, discovered_at, occurred_at, lower(actor_id) as actor, actor_type, application_id, lower(resource_id) as name from models.audit_log
     where tenant_id = $1 and action = any ($3::text[]) and actor_type is distinct from 'system'
       and discovered_at >= $2::timestamptz - interval '32 days' and occurred_at between $2::timestamptz - interval '30 days' and $2
       and exists (select from models.agent_evidence where tenant_id = $1 and kind = 'restriction')
  ), read as (
    select l.id as log_id, c.file, l.discovered_at, l.occurred_at, l.actor, l.actor_type, false as is_external,
           case when l.actor_type = 'agent' then l.actor when l.application_id in (select id from ai_app) then l.application_id end as ai_identity
      from event l join called c using (name)
     union
    select l.log_id, c.file, l.discovered_at, l.occurred_at, lower(l.actor_id), l.facts ->> 'actorType', coalesce((l.facts ->> 'isExternal')::boolean, false),
           coalesce(lower(l.agent_id), lower(l.facts ->> 'clientId'), l.facts ->> 'appHost', 'ai')
      from models.log_fact l
     cross join lateral jsonb_array_elements(l.facts -> 'resources') r
     cross join lateral unnest(array[r ->> 'id', r ->> 'siteUrl']) opened
      join called c on c.name = lower(opened)
     where l.tenant_id = $1 and l.kind = 'aiInteraction' and exists (select from carrier)
       and l.occurred_at between $2::timestamptz - interval '30 days' and $2
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
  values: (_, { tenantId, nowMs }) => [tenantId, toIsoTime(nowMs), readActions],
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

/** Who owns a site: its owner, its administrators, the owners of its group. A link for anyone opens a site's file to the organization, too. */
const sites: Relation = {
  with: `
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
  )`,
  from: 'site s',
  subject: { type: 'site', id: 's.id' },
  values: (_, { tenantId }) => [tenantId],
  rules: {
    'data.sites.overshared': {
      population: ['sensitiveSites', 'is_sensitive'],
      reported: 'is_overshared is not null',
      excludesUnknown: true,
      bad: ['overshared', 'is_overshared'],
      reason: 'open_to_everyone',
    },
    'data.sites.owned': {
      population: ['sites', '"isArchived" is not true'],
      good: ['owned', 's.id in (select o.id from owned o)'],
      reason: 'no_active_owner',
    },
  },
};

/** Only a source that says so has come to the end of its scan. */
const scans = `
  select (select count(*) from models.entity_fact where tenant_id = $1 and kind = 'sensitiveInfoType' and not is_deleted)
           as "data.inventory.fresh/typesTracked",
         (select ceil(extract(epoch from $2 - max((facts ->> 'lastCompleteImportAt')::timestamptz)) / 86400) from models.compliance_record
           where tenant_id = $1 and kind = 'sourceStatus' and facts ->> 'source' in ('sensitive_info_types', 'sensitiveInfoType')) as "data.inventory.fresh/scanAgeDays"`;

/** Looked at since it began: approved, of the event or the mailbox, or ended by an action on the mailbox. */
const forwardings: Relation = {
  with: `
  with ${entityNamesCte('user')}, forwarding as (
    select l.log_id, l.discovered_at, l.occurred_at, lower(l.facts ->> 'mailbox') as mailbox, u.id as person
      from models.log_fact l left join user_name u on u.name = lower(l.facts ->> 'mailbox')
     where l.tenant_id = $1 and l.kind = 'externalForwarding' and l.occurred_at between $2::timestamptz - interval '90 days' and $2
  ), look as (
    select lower(subject_id) as name, (facts ->> 'at')::timestamptz as at from models.compliance_record
     where tenant_id = $1 and kind = 'decision' and facts ->> 'outcome' in ('approved', 'accepted')
     union all
    select lower(resource_id), created_at from models.action
     where tenant_id = $1 and action_type in ('removeInboxRule', 'disableForwarding') and rung in ('applied', 'confirmed') and not is_simulated
       and created_at >= $2::timestamptz - interval '90 days'
  )`,
  from: 'forwarding f',
  subject: logSubject('f', byOccurrence('f')),
  rules: {
    'data.mail.external_forwarding': {
      population: ['forwardings', 'true'],
      bad: [
        'unreviewed',
        `not exists (select from look l where l.name in (f.mailbox, lower(f.person), f.log_id::text) and l.at between f.occurred_at and $2)`,
      ],
      reason: 'not_reviewed',
      since: 'f.occurred_at',
      detail: { mailbox: 'f.mailbox' },
    },
  },
};

// Of an alert's detail only what we wrote: behind it stands what the provider sent, in which may be what the server cannot read.
const mailAlerts: Relation = {
  with: `
  with alert as (
    select id, severity, status, created_at, ((split_part(detail, ',"rawData":', 1) || '}')::json ->> 'resolvedDateTime')::timestamptz as resolved_at from models.security_alert
     where tenant_id = $1 and created_at between $2::timestamptz - interval '30 days' and $2::timestamptz - interval '72 hours'
       and document::json -> 'emails' -> 0 is not null
  )`,
  from: 'alert a',
  subject: { type: 'securityAlert', id: 'a.id' },
  rules: {
    'data.mail.threats_handled': {
      population: ['mailAlerts', 'true'],
      good: ['handled', "resolved_at - created_at <= interval '72 hours'"],
      reason: 'not_resolved_within_72h',
      since: 'created_at',
      detail: { severity: 'severity', status: 'status' },
    },
  },
};

/** What carries data out: downloads, shares, exports, mail that is forwarded. */
const episodes: Relation = {
  with: `
  with episode as (
    select id, severity, status, opened_at, (document::json ->> 'resolvedAt')::timestamptz as resolved_at from models.detection
     where tenant_id = $1 and level = 'alerted'
       and opened_at between $2::timestamptz - interval '60 days' and $2::timestamptz - interval '3 days'
       and (action_group in ('file.download', 'mail.forwardingChange', 'ediscovery.export') or action_group like 'file.share%'
            or action_group like '%exfiltration%')
  )`,
  from: 'episode e',
  subject: { type: 'detection', id: 'e.id' },
  rules: {
    'data.exfiltration.handled': {
      population: ['episodes', 'true'],
      good: ['handled', "resolved_at - opened_at <= interval '72 hours' and resolved_at <= $2"],
      reason: 'not_resolved_within_72h',
      since: 'opened_at',
      detail: { severity: 'severity', status: 'status' },
    },
  },
};

/** Sensitive files and where they are: labels, links, reach of AI, restrictions and who read in spite of them, mail that leaves. */
export const dataRelations: readonly Relation[] = [
  files,
  reachedTypes,
  carriers,
  reads,
  sites,
  forwardings,
  mailAlerts,
  episodes,
];
