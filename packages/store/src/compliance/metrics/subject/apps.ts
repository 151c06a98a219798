import { toTimeText } from '../../../connection/time-text.ts';
import { actorRows, countActorEvents, findFirstDay } from '../clause/actor-tally.ts';
import { daysAgo } from '../clause/days-ago.ts';
import { dayTallies, hourTallies } from '../clause/log-tally.ts';
import { decisionsCte, entityNamesCte, personCte } from '../clause/names.ts';
import { toIsoTime } from '../figures.ts';
import type { Relation } from '../relation.ts';

/**
 * An app has access when a user or an administrator granted it any. An app with access to the whole tenant and unknown privileges counts as highly
 * privileged. An unknown age counts as old.
 */
const apps: Relation = {
  with: `
  with ${entityNamesCte('app')}, ${decisionsCte('app')}, used as materialized (
    select n.id, max(seen.last_at) as last_at
      from (select t.subject as name, max(t.last_at) as last_at from ${dayTallies('application', 90)} group by 1
             union all
            select t.object, max(t.last_at) from ${hourTallies('interaction', 90)} and t.object <> '' group by 1) seen
      join app_name n on n.name = models.lower_case(seen.name)
     group by n.id
  ), app as (
    select e.id, f.*, greatest(u.last_at, f."lastSignInAt") as last_at,
           coalesce("delegatedPermissionCount", 0) + coalesce("applicationPermissionCount", 0) + coalesce("resourceGrantCount", 0)
             + coalesce("userConsentCount", 0) > 0 or coalesce("hasAdminConsent", false) as has_access,
           coalesce("delegatedPermissionCount", "applicationPermissionCount", "resourceGrantCount", "userConsentCount") is not null
             or "hasAdminConsent" is not null as has_grants,
           coalesce("highPrivilegePermissionCount" > 0, "hasWriteAccess", true) as is_privileged,
           d.outcome, d.purpose, d.data_categories, coalesce(d.is_approval, false) as is_approved
      from models.entity_fact e
     cross join lateral jsonb_to_record(e.facts) as f (
             "appType" text, publisher text, "verifiedPublisherName" text, "isVerifiedPublisher" boolean, "isAiApp" boolean,
             "delegatedPermissionCount" bigint, "applicationPermissionCount" bigint, "resourceGrantCount" bigint, "userConsentCount" bigint,
             "highPrivilegePermissionCount" bigint, "hasTenantWideReach" boolean, "hasAdminConsent" boolean, "hasWriteAccess" boolean,
             "accountableId" text, "grantedAt" timestamptz, "createdAt" timestamptz, "lastSignInAt" timestamptz, owners jsonb, accountable jsonb)
      left join used u on u.id = e.id
      left join decided d on d.id = e.id
     where e.tenant_id = $1 and e.kind = 'app' and not e.is_deleted
  ), named as (
    select id, models.lower_case(o ->> 'id') as name from app cross join lateral jsonb_array_elements(owners) o
     union select id, models.lower_case(accountable ->> 'userId') from app
     union select id, models.lower_case("accountableId") from app
  ), ${personCte('named')}, registered as (
    select distinct n.id from named n join person p on p.name = n.name
  ), judged as (
    select a.*, r.id is not null as has_accountable, "appType" = 'thirdParty' as is_foreign, has_access or not has_grants as may_have_access,
           coalesce("appType" = 'thirdParty', true) and (has_access or not has_grants) as may_be_foreign,
           last_at >= ${daysAgo(30)} as is_used, coalesce(last_at < ${daysAgo(90)}, true) as is_unused,
           coalesce(coalesce("grantedAt", "createdAt") <= ${daysAgo(90)}, true) as is_old,
           coalesce(publisher, "verifiedPublisherName") ~ '\\S' and purpose ~ '\\S' and data_categories -> 0 is not null as is_described
      from app a left join registered r on r.id = a.id
  )`,
  from: 'judged a',
  subject: { type: 'app', id: 'a.id' },
  rules: {
    'ai.apps.accountable': {
      population: ['aiApps', '"isAiApp" is not false and may_have_access'],
      reported: '"isAiApp" and has_grants',
      good: ['withAccountable', 'has_accountable'],
      reason: 'no_accountable_person',
    },
    'ai.apps.decision': {
      population: ['aiAppsUsed', '"isAiApp" is not false and is_used'],
      reported: '"isAiApp"',
      good: ['decided', `outcome in ('approved', 'restricted', 'blocked')`],
      reason: 'no_decision',
      detail: { lastUsedAt: toTimeText('last_at') },
    },
    'iam.apps.unverified_high_privilege': {
      population: ['privilegedApps', 'may_be_foreign and "hasTenantWideReach" is not false and is_privileged'],
      reported:
        'is_foreign and has_grants and "hasTenantWideReach" is not null and ("isVerifiedPublisher" is not null or is_approved)',
      bad: ['unverified', '"isVerifiedPublisher" is not true and not is_approved'],
      reason: 'publisher_not_verified',
      detail: { publisher: 'publisher' },
    },
    'iam.apps.unused_grants': {
      population: ['apps', 'may_be_foreign and is_old'],
      reported: 'is_foreign and has_grants',
      bad: ['unused', 'is_unused'],
      reason: 'unused_90d',
      since: 'last_at',
      detail: { publisher: 'publisher' },
    },
    'iam.apps.register_complete': {
      population: ['apps', 'may_be_foreign'],
      reported: 'is_foreign and has_grants',
      good: ['complete', 'has_accountable and is_described'],
      reason: 'register_incomplete',
      detail: { hasAccountable: 'has_accountable', isDescribed: 'coalesce(is_described, false)' },
    },
  },
};

/**
 * A user is governed when nine in ten of its events with a known device came from managed devices. Users without known devices are unknown. If an event does not report the state of its device, the inventory does.
 */
const assistantUsers: Relation = {
  with: `
  with licensed as materialized (
    select id, has_mfa as has_factor, is_enabled, has_copilot_license as is_licensed from models.user_fact
     where tenant_id = $1 and not is_deleted and has_copilot_license is not false and is_enabled is not false
  ), called as materialized (
    select id as name, id from licensed union select a.alias, a.id from models.entity_alias a join licensed l using (id) where a.tenant_id = $1 and a.kind = 'user'
  ), device as (
    select models.lower_case(f.name) as name, bool_and((e.facts ->> 'isManaged')::boolean) as is_managed
      from models.entity_fact e cross join lateral (select e.id as name union select e.facts ->> 'deviceId') f
     where e.tenant_id = $1 and e.kind = 'device' and not e.is_deleted and f.name is not null group by 1
  ), event as (
    select t.actor, t.device, t.state, ${countActorEvents(3)} as events
      from ${actorRows} and (t.device <> '' or t.state not in ('', 'failed')) and t.actor = any (array(select name from called))
       and exists (select from models.user_fact where tenant_id = $1 and has_copilot_license)
  ), share as (
    select c.id, sum(v.events) filter (where k.is_managed) as managed, sum(v.events) filter (where k.is_managed is not null) as classified
      from event v
      join called c on c.name = v.actor
      left join device d on d.name = models.lower_case(v.device)
     cross join lateral (select case when v.state like 'managed%' then true when v.state like 'unmanaged%' then false else d.is_managed end as is_managed) k
     group by c.id
  )`,
  from: 'licensed u left join share s on s.id = u.id',
  subject: { type: 'user', id: 'u.id' },
  values: (_, { tenantId, nowMs }) => [tenantId, toIsoTime(nowMs), ...findFirstDay(nowMs)],
  rules: {
    'ai.copilot.governed_users': {
      population: ['licensedUsers', 'true'],
      reported:
        'u.is_licensed and u.is_enabled and has_factor is not null and (not has_factor or s.classified is not null)',
      good: ['governed', 'has_factor and 100 * managed >= 90 * classified'],
      reason: 'not_governed',
      detail: {
        mfaRegistered: 'has_factor',
        classifiedEvents: 's.classified',
        managedEvents: 's.managed',
      },
    },
  },
};

/** Third-party apps and AI apps: owners, access, use; and the users of assistants. */
export const appRelations: readonly Relation[] = [apps, assistantUsers];
