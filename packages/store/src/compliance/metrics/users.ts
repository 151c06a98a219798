import type pg from 'pg';
import { countReported, type Metrics, type MetricsQuery, readFigures, toIsoTime } from './figures.ts';
import { personCte } from './names.ts';

/** Accounts, administrators, guests, groups and changes of privileged roles. */
export async function readUserMetrics(client: pg.ClientBase, { tenantId, nowMs }: MetricsQuery): Promise<Metrics> {
  return {
    ...(await readFigures(client, accounts, [tenantId, toIsoTime(nowMs), phishingResistant])),
    ...(await readFigures(client, groups, [tenantId])),
    ...(await readFigures(client, privilegedChanges, [tenantId, toIsoTime(nowMs)])),
  };
}

/** How methods that cannot be handed to a false page begin, as Graph's methodsRegistered names them, in lower case. */
const phishingResistant = ['fido', 'passkey', 'windowshello', 'x509', 'certificate', 'macossecureenclavekey'];

/**
 * An account counts as enabled unless it is known not to be, and as a member unless it is known as a guest; of one whose type and state are both
 * unknown nothing is known but a name, and it counts nowhere. What synchronises a directory is neither a member nor an administrator.
 */
const accounts = `
  with account as (
    select f.*,
           coalesce(f."userType" = 'guest' or f."isExternal", false) as is_guest,
           coalesce(f."employeeType" ilike '%service%' or f.roles = '["Directory Synchronization Accounts"]', false) as is_service,
           coalesce(f."createdAt" < $2::timestamptz - interval '30 days', true) as is_old,
           greatest(f."lastSignInAt", f."lastNonInteractiveSignInAt") as signed_in_at,
           f."roleAssignments" as assigned_roles
      from models.entity_fact e
     cross join lateral jsonb_to_record(e.facts) as f (
             "userType" text, "isExternal" boolean, "accountEnabled" boolean, "isAdmin" boolean, "mfaRegistered" boolean, "employeeType" text,
             "createdAt" timestamptz, "lastSignInAt" timestamptz, "lastNonInteractiveSignInAt" timestamptz, "riskLevel" text, "riskState" text,
             "riskUpdatedAt" timestamptz, "methodsRegistered" jsonb, roles jsonb, "roleAssignments" jsonb)
     where e.tenant_id = $1 and e.kind = 'user' and not e.is_deleted
  ), judged as (
    select a.*, is_enabled, is_inactive,
           is_enabled and not is_guest and not is_service and ("accountEnabled" is not null or "userType" is not null) as is_member,
           is_enabled and is_guest as is_open_guest,
           is_enabled and not is_service and ("isAdmin" is true or coalesce(jsonb_array_length(roles), 0) > 0) as administers,
           "riskLevel" = 'high' and coalesce("riskState", 'atRisk') in ('atRisk', 'confirmedCompromised') as is_risky,
           exists (select from jsonb_array_elements_text("methodsRegistered") method
                    where lower(method) like any (select word || '%' from unnest($3::text[]) word)) as resists_phishing,
           -- Permanent unless an end is reported.
           coalesce((select bool_or(role.permanent is not false) from jsonb_to_recordset(assigned_roles) as role (name text, permanent boolean)
                      where role.name in ('Global Administrator', 'Company Administrator')),
                    roles ?| array['Global Administrator', 'Company Administrator'], false) as is_global
      from account a cross join lateral (select "accountEnabled" is distinct from false as is_enabled,
                                 coalesce(signed_in_at < $2::timestamptz - interval '90 days', true) as is_inactive) state
  )
  select count(*) filter (where is_member) as "iam.mfa.members/members",
         ${countReported('is_member', '"mfaRegistered" is not null', '"mfaRegistered"')} as "iam.mfa.members/mfaRegistered",
         count(*) filter (where administers) as "iam.mfa.admins/admins",
         ${countReported('administers', '"mfaRegistered" is not null', '"mfaRegistered"')} as "iam.mfa.admins/mfaRegistered",
         count(*) filter (where administers) as "iam.admins.phishing_resistant/admins",
         ${countReported('administers', '"methodsRegistered" is not null', 'resists_phishing')} as "iam.admins.phishing_resistant/phishingResistant",
         count(*) filter (where is_member) as "iam.admins.global_count/enabledMembers",
         ${countReported('is_enabled', 'roles is not null', 'is_global')} as "iam.admins.global_count/globalAdmins",
         count(*) filter (where is_member and is_old) as "iam.accounts.inactive/members",
         ${countReported('is_member and is_old', 'signed_in_at is not null', 'is_inactive')} as "iam.accounts.inactive/inactive",
         count(*) filter (where is_open_guest and is_old) as "iam.guests.inactive/guests",
         ${countReported('is_open_guest and is_old', 'signed_in_at is not null', 'is_inactive')} as "iam.guests.inactive/inactive",
         count(*) filter (where is_risky) as "iam.risky_users.handled/riskyUsers",
         count(*) filter (where is_risky and coalesce("riskUpdatedAt" < $2::timestamptz - interval '72 hours', true)) as "iam.risky_users.handled/overdue"
    from judged`;

/** An owner of whom nothing is known owns nothing. A group of unknown type counts. */
const groups = `
  with ${personCte}, unified as (
    select id, facts -> 'ownerIds' as owners, facts ->> 'hasNoOwner' = 'true' as is_orphan from models.entity_fact
     where tenant_id = $1 and kind = 'group' and not is_deleted and coalesce(facts ->> 'groupType', 'microsoft365') = 'microsoft365'
  )
  select count(*) as "iam.groups.owned/groups",
         ${countReported('true', '(owners is not null or is_orphan)', 'is_owned')} as "iam.groups.owned/owned"
    from (select u.*, (select bool_or(lower(owner) in (select name from person)) from jsonb_array_elements_text(owners) owner) as is_owned
            from unified u) judged`;

/** Whether role assignments led to a notification or an action, by the name of the account that gained the role or by the event. */
const privilegedChanges = `
  with change as (
    select c.log_id::text as log_id, c.occurred_at, coalesce(matched.id, c.target) as target
      from (select log_id, occurred_at, lower(facts ->> 'targetId') as target from models.log_fact
             where tenant_id = $1 and kind = 'privilegedRole' and facts ->> 'change' is distinct from 'remove' and occurred_at between $2::timestamptz - interval '30 days' and $2) c
      left join lateral (select min(id) as id from models.entity_alias
                          where tenant_id = $1 and kind = 'user' and alias = c.target) matched on true
  ), reaction as (
    select lower(resource_id) as name, created_at as at from models.notification
     where tenant_id = $1 and decision = 'sent' and created_at between $2::timestamptz - interval '30 days' and $2
     union all
    select lower(document::json ->> 'subjectId'), created_at from models.notification
     where tenant_id = $1 and decision = 'sent' and created_at between $2::timestamptz - interval '30 days' and $2
     union all
    select lower(resource_id), (document::json ->> 'acknowledgedAt')::timestamptz from models.action
     where tenant_id = $1 and not is_simulated and created_at between $2::timestamptz - interval '30 days' and $2
  ), named_reaction as (
    select coalesce((select min(id) from models.entity_alias
                      where tenant_id = $1 and kind = 'user' and alias = r.name), r.name) as name, at
      from reaction r where r.name is not null and at between $2::timestamptz - interval '30 days' and $2
  )
  select count(*) as "iam.privileged_changes.notified/changes",
         count(*) filter (where exists (select from named_reaction r where r.name in (c.target, c.log_id)
                                           and r.at between c.occurred_at and c.occurred_at + interval '24 hours'))
           as "iam.privileged_changes.notified/followed"
    from change c`;
