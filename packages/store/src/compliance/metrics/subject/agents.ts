import { isLiveEvidence } from '../../../resource/agent-evidence.ts';
import { decisionsCte, entityNamesCte, personCte } from '../clause/names.ts';
import { countRows, toIsoTime } from '../figures.ts';
import type { Relation } from '../relation.ts';
import { importedAt } from './sources.ts';

/** What lets data be changed, by the words in the name of a permission. */
const writing = `'write|manage|fullcontrol|full_access|\\.send|send_as|accessasuser|user_impersonation'`;

const kindsWithInstructions = ['declarativeAgent', 'copilotStudioAgent', 'sharePointAgent', 'foundryAgent'];

/**
 * An active agent is published or deployed and not reported as blocked. An agent of which that was not reported may be active: it belongs to the
 * population and is unknown.
 */
const agentsCte = `
  with ${entityNamesCte('agent')}, ${decisionsCte('agent')},
  source as (
    select ${importedAt("(facts ->> 'lastCompleteImportAt')::timestamptz")} as imported_at from models.compliance_record
     where tenant_id = $1 and kind = 'sourceStatus' and facts ->> 'source' ~ '^agents?(/|$)'
       and (facts ->> 'enabled')::boolean and (facts ->> 'licensed')::boolean is not false
  ), import as (
    select count(*) as expected, count(*) filter (where imported_at >= $2::timestamptz - interval '24 hours') as fresh,
           -- A source that never came to an end has no age.
           case when count(*) = count(imported_at) then ceil(extract(epoch from $2 - min(imported_at)) / 3600) end as oldest_hours
      from source
  ), consented as materialized (
    select lower(facts ->> 'clientId') as client, lower(facts ->> 'objectId') as object, facts -> 'permissions' as permissions from models.log_fact
     where tenant_id = $1 and kind = 'consent' and (facts ->> 'adminConsent')::boolean and occurred_at <= $2
  ), consent as materialized (
    select distinct n.id, c.permissions
      from (select client as name, permissions from consented union all select object, permissions from consented) c
      join agent_name n using (name)
  ), permission as (
    select r.record_id, f.value, coalesce(n.id, r.agent_id) as agent_id, coalesce(f."writeAccess", f.value ~* ${writing}, false) as writes,
           coalesce(f."tenantWide", lower(f."consentType") = 'allprincipals' or f."permissionKind" = 'application') as is_wide,
           -- An app role is traced to the administrator who assigned it; for consent for all users the grant names the administrator.
           case when f."permissionKind" = 'application' then f."consentedBy" is not null
                else coalesce(f."adminConsented" or lower(f."consentType") = 'allprincipals', false) end
             or exists (select from consent c
                         where c.id = n.id and (coalesce(jsonb_array_length(c.permissions), 0) = 0 or c.permissions ? f.value)) as has_consent
      from models.agent_evidence r
     cross join lateral jsonb_to_record(r.facts) as f (
             value text, source text, "permissionKind" text, "consentType" text, "adminConsented" boolean, "consentedBy" jsonb,
             "tenantWide" boolean, "writeAccess" boolean)
      left join agent_name n on n.name = models.lower_case(r.agent_id)
     where r.tenant_id = $1 and r.kind = 'permissionGrant' and ${isLiveEvidence} and f.source is distinct from 'declared'
  ), grants as (
    select agent_id, count(*) filter (where is_wide) as wide, count(*) filter (where is_wide and has_consent) as consented,
           case when bool_or(is_wide and writes) then true when bool_or((is_wide and writes) is null) then null else false end as writes_everywhere, bool_or(writes) as writes
      from permission group by agent_id
  ), agent as materialized (
    select e.id, f.*, h.agent_id is not null as has_grants, coalesce(h.wide, 0) as wide, coalesce(h.consented, 0) as consented,
           f."lifecycleStatus" in ('published', 'deployed') and f."isBlocked" is not true as is_active,
           coalesce(f."lifecycleStatus" in ('published', 'deployed', 'unknown'), true) and f."isBlocked" is not true as may_be_active,
           case when h.agent_id is not null then h.writes_everywhere else f."hasTenantWideReach" and f."hasWriteAccess" end as writes_everywhere,
           coalesce(h.wide > 0 or h.writes or f."hasTenantWideReach" or f."hasWriteAccess", false) as is_powerful,
           d.id is not null as is_decided, coalesce(d.is_approval, false) as is_approved
      from models.entity_fact e
     cross join lateral jsonb_to_record(e.facts) as f (
             kind text, "publisherType" text, "lifecycleStatus" text, "isBlocked" boolean, "availableTo" text, "deployedTo" text, "ownerId" text,
             "ownerSource" text, "hasInstructions" boolean, "instructionsHash" text, orchestration text, authentication text, "appId" text,
             "isPublisherVerified" boolean, "hasTenantWideReach" boolean, "hasWriteAccess" boolean, "riskLevel" text, "riskState" text,
             "riskUpdatedAt" timestamptz, "riskSince" timestamptz, owners jsonb, sponsors jsonb, accountable jsonb)
      left join grants h on h.agent_id = e.id
      left join decided d on d.id = e.id
     where e.tenant_id = $1 and e.kind = 'agent' and not e.is_deleted
  ), owner as (
    select a.id, models.lower_case(o ->> 'id') as name
      from agent a cross join lateral jsonb_array_elements(coalesce(a.owners, '[]') || coalesce(a.sponsors, '[]')) o
     union
    select id, models.lower_case("ownerId") from agent where coalesce("ownerSource", 'nativeOwner') in ('nativeOwner', 'nativeSponsor')
  ), named as (
    select name from owner union all select models.lower_case(coalesce(accountable ->> 'userId', case when "ownerSource" = 'assignment' then "ownerId" end)) from agent
  ), ${personCte('named')}, owned as (
    select o.id, count(p.name) > 0 as has_owner from owner o left join person p on p.name = o.name where o.name is not null group by o.id
  ), accountability as (
    select a.*, o.id is not null as names_owner, coalesce(o.has_owner, false) as has_owner, p.name is not null as has_assignee
      from agent a
      left join owned o on o.id = a.id
      left join person p on p.name = models.lower_case(coalesce(a.accountable ->> 'userId', case when a."ownerSource" = 'assignment' then a."ownerId" end))
  ), verified_app as materialized (
    select lower(facts ->> 'appId') as app_id from models.entity_fact
     where tenant_id = $1 and kind = 'app' and not is_deleted and (facts ->> 'isVerifiedPublisher')::boolean and facts ->> 'appId' is not null
  ), stop as materialized (
    select n.id, t.created_at from models.action t join agent_name n on n.name = models.lower_case(t.resource_id)
     where t.tenant_id = $1 and t.resource_type = 'agent' and not t.is_simulated
       and t.action_type in ('blockAgent', 'removeAgent') and t.rung in ('applied', 'confirmed')
  ), judged as (
    select a.*, is_active and (has_owner or has_assignee) as has_accountable,
           may_be_active and coalesce("publisherType" in ('custom', 'shared'), true) and lower(orchestration) is distinct from 'classic'
             and (kind = any ($3::text[]) or "hasInstructions") as has_prompt,
           is_active and lower(authentication) is distinct from 'unknown' and authentication is not null as has_sign_in_method,
           may_be_active and "publisherType" is distinct from 'microsoft' as is_foreign,
           coalesce("availableTo" in ('some', 'all'), true) and "deployedTo" is distinct from 'some' and "deployedTo" is distinct from 'all'
             and "isBlocked" is not true and "lifecycleStatus" is distinct from 'blocked' as is_on_shelf,
           may_be_active and (coalesce("publisherType" = 'external', true) or kind = 'thirdParty') as is_external,
           "isPublisherVerified" or is_approved or coalesce(lower(a."appId") in (select app_id from verified_app), false) as is_trusted,
           "riskLevel" = 'high' and coalesce("riskState", 'atRisk') in ('atRisk', 'confirmedCompromised') as is_risky,
           least("riskSince", "riskUpdatedAt") as risky_at,
           "isBlocked" is true or "lifecycleStatus" is not distinct from 'blocked'
             or exists (select from stop t
                         where t.id = a.id and t.created_at between least(a."riskSince", a."riskUpdatedAt") and $2) as is_stopped
      from accountability a
  )`;

const agentSubject = { type: 'agent', id: 'a.id' } as const;
const agentValues: Relation['values'] = (_, { tenantId, nowMs }) => [tenantId, toIsoTime(nowMs), kindsWithInstructions];

const accountability: Relation['rules'] = {
  'ai.agents.accountable_person': {
    population: ['agentsActive', 'may_be_active'],
    good: ['agentsWithAccountable', 'has_accountable'],
    reported: 'is_active',
    figures: {
      byNative: countRows('is_active and has_owner'),
      byAssignment: countRows('is_active and has_assignee and not has_owner'),
      withoutAccountable: countRows('is_active and not has_accountable'),
      withoutAccountableTenantWide: countRows('is_active and not has_accountable and is_powerful'),
    },
    reason: 'no_accountable_person',
    detail: { hasTenantWideAccess: 'is_powerful' },
  },
  'ai.agents.no_orphans': {
    population: ['agentsActive', 'may_be_active'],
    // A person who is assigned here is no owner.
    reported: 'is_active and (owners is not null or sponsors is not null or names_owner)',
    bad: ['orphaned', 'names_owner and not has_owner'],
    reason: 'owners_inactive',
    detail: { ownerId: '"ownerId"' },
  },
  'ai.agents.instructions_captured': {
    population: ['agentsWithPrompt', 'has_prompt'],
    reported: 'is_active and "publisherType" is not null',
    good: ['captured', `"instructionsHash" <> ''`],
    reason: 'instructions_not_captured',
  },
};

const hasAvailability = 'is_active and ("availableTo" is not null or is_approved)';
const hasReach = 'is_active and (writes_everywhere is not null or is_approved)';

const access: Relation['rules'] = {
  'ai.agents.authentication_required': {
    population: ['agentsPublished', 'may_be_active'],
    reported: 'has_sign_in_method',
    good: ['authenticated', `lower(authentication) <> 'none'`],
    reason: 'no_authentication',
  },
  'ai.agents.scoped_availability': {
    population: ['agentsActive', 'is_foreign'],
    reported: hasAvailability,
    bad: [null, `"availableTo" = 'all' and not is_approved`],
    figures: {
      openToAll: countRows(`is_foreign and ("availableTo" = 'all' or (${hasAvailability}) is not true)`),
      openApproved: countRows(`is_foreign and is_active and "availableTo" = 'all' and is_approved`),
    },
    reason: 'available_to_all',
  },
  'ai.agents.least_privilege': {
    population: ['agentsActive', 'may_be_active'],
    reported: hasReach,
    bad: [null, 'writes_everywhere and not is_approved'],
    figures: {
      tenantWideWrite: countRows(`may_be_active and (writes_everywhere or (${hasReach}) is not true)`),
      approved: countRows('is_active and writes_everywhere and is_approved'),
    },
    reason: 'tenant_wide_write_access',
  },
};

const supply: Relation['rules'] = {
  'ai.agents.store_shelf': {
    population: ['shelfAgents', 'is_on_shelf'],
    reported: '"availableTo" is not null or is_decided',
    bad: ['unreviewed', 'not is_decided'],
    reason: 'no_decision',
    detail: { availableTo: '"availableTo"' },
  },
  'ai.agents.verified_publisher': {
    population: ['externalAgents', 'is_external'],
    reported: `is_active and ("publisherType" is not null or kind = 'thirdParty') and is_trusted is not null`,
    good: ['verifiedOrApproved', 'is_trusted'],
    reason: 'publisher_not_verified',
    detail: { publisherType: '"publisherType"' },
  },
  'ai.agents.risky_agents_handled': {
    population: ['riskyAgents', 'is_risky'],
    reported: 'risky_at is not null or is_stopped',
    bad: ['overdue', `not is_stopped and risky_at < $2::timestamptz - interval '72 hours'`],
    reason: 'high_risk_over_72h',
    since: 'risky_at',
    detail: { riskState: '"riskState"' },
  },
};

const agents: Relation = {
  with: agentsCte,
  from: 'import i left join judged a on true',
  subject: agentSubject,
  values: agentValues,
  figures: {
    'ai.agents.inventory_fresh/agentsTotal': 'count(a.id)',
    'ai.agents.inventory_fresh/sourcesExpected': 'min(i.expected)',
    'ai.agents.inventory_fresh/sourcesFresh': 'min(i.fresh)',
    'ai.agents.inventory_fresh/oldestImportAgeHours': 'min(i.oldest_hours)',
  },
  rules: { ...accountability, ...access, ...supply },
};

const grants: Relation = {
  with: agentsCte,
  from: 'permission g join judged a on a.id = g.agent_id',
  subject: { type: 'permissionGrant', id: 'g.record_id', name: 'g.value' },
  values: agentValues,
  rules: {
    'ai.agents.consent_recorded': {
      population: ['tenantWideGrants', 'may_be_active and g.is_wide is not false'],
      reported: 'is_active and g.is_wide is not null',
      good: ['withConsentEvent', 'g.has_consent'],
      reason: 'no_consent_recorded',
      detail: { agentId: 'a.id' },
    },
  },
};

/** Agents: accountable persons, access and decisions. */
export const agentRelations: readonly Relation[] = [agents, grants];
