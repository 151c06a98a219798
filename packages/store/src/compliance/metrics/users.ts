import { daysAgo } from './days-ago.ts';
import { countReported, countRows, toIsoTime } from './figures.ts';
import { logSubject } from './log-subject.ts';
import { personCte } from './names.ts';
import type { Relation, Rule } from './relation.ts';

/** How methods that cannot be handed to a false page begin, as Graph's methodsRegistered names them, in lower case. */
const phishingResistant = ['fido', 'passkey', 'windowshello', 'x509', 'certificate', 'macossecureenclavekey'];

/**
 * An account counts as enabled unless it is known not to be, and as a member unless it is known as a guest; one whose type and state are both
 * unknown is unknown to every rule about members. An account with unknown roles may be an administrator. What synchronises a directory is
 * neither a member nor an administrator.
 */
const accountsCte = `
  with account as (
    select e.id, f.*,
           coalesce(f."userType" = 'guest' or f."isExternal", false) as is_guest,
           coalesce(f."employeeType" ilike '%service%' or f.roles = '["Directory Synchronization Accounts"]', false) as is_service,
           coalesce(f."createdAt" < ${daysAgo(30)}, true) as is_old,
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
           is_enabled and not is_guest and not is_service as is_member, "accountEnabled" is not null or "userType" is not null as has_type,
           is_enabled and (is_guest or not is_service and "userType" is null and "isExternal" is null) as may_be_guest,
           is_enabled and not is_service and ("isAdmin" is true or coalesce(jsonb_array_length(roles), 0) > 0) as administers,
           is_enabled and not is_service and "isAdmin" is null and roles is null as has_unknown_roles,
           "riskLevel" = 'high' and coalesce("riskState", 'atRisk') in ('atRisk', 'confirmedCompromised') as is_risky,
           exists (select from jsonb_array_elements_text("methodsRegistered") method
                    where lower(method) like any (select word || '%' from unnest($3::text[]) word)) as resists_phishing,
           -- Permanent unless an end is reported.
           coalesce((select bool_or(role.permanent is not false) from jsonb_to_recordset(assigned_roles) as role (name text, permanent boolean)
                      where role.name in ('Global Administrator', 'Company Administrator')),
                    roles ?| array['Global Administrator', 'Company Administrator'], false) as is_global
      from account a cross join lateral (select "accountEnabled" is distinct from false as is_enabled,
                                 coalesce(signed_in_at < ${daysAgo(90)}, true) as is_inactive) state
  )`;

const mfaRegistered = {
  good: ['mfaRegistered', '"mfaRegistered"'],
  reason: 'mfa_not_registered',
} as const satisfies Partial<Rule>;
const inactive = {
  bad: ['inactive', 'is_inactive'],
  reason: 'no_sign_in_90d',
  since: 'signed_in_at',
} as const satisfies Partial<Rule>;

const administrators = ['admins', 'administers or has_unknown_roles'] as const;

const accounts: Relation = {
  with: accountsCte,
  from: 'judged j',
  subject: { type: 'user', id: 'j.id' },
  values: (_, { tenantId, nowMs }) => [tenantId, toIsoTime(nowMs), phishingResistant],
  figures: {
    'iam.admins.global_count/enabledMembers': 'count(*) filter (where is_member)',
    'iam.admins.global_count/globalAdmins': countReported(
      'is_enabled',
      'roles is not null or not "isAdmin"',
      'is_global',
    ),
    'iam.admins.global_count/unknown': countRows(
      'is_enabled and not is_service and roles is null and "isAdmin" is not false',
    ),
  },
  rules: {
    'iam.mfa.members': {
      population: ['members', 'is_member'],
      reported: 'has_type and "mfaRegistered" is not null',
      ...mfaRegistered,
    },
    'iam.mfa.admins': {
      population: administrators,
      reported: 'administers and "mfaRegistered" is not null',
      ...mfaRegistered,
      detail: { roles: 'roles' },
    },
    'iam.admins.phishing_resistant': {
      population: administrators,
      good: ['phishingResistant', 'resists_phishing'],
      reported: 'administers and "methodsRegistered" is not null',
      reason: 'no_phishing_resistant_method',
      detail: { roles: 'roles', methodsRegistered: '"methodsRegistered"' },
    },
    'iam.accounts.inactive': {
      population: ['members', 'is_member and is_old'],
      reported: 'has_type and signed_in_at is not null',
      ...inactive,
    },
    'iam.guests.inactive': {
      population: ['guests', 'may_be_guest and is_old'],
      reported: 'is_guest and signed_in_at is not null',
      ...inactive,
    },
    'iam.risky_users.handled': {
      population: ['riskyUsers', 'is_risky'],
      bad: ['overdue', `"riskUpdatedAt" < $2::timestamptz - interval '72 hours'`],
      reported: '"riskUpdatedAt" is not null',
      reason: 'high_risk_over_72h',
      since: '"riskUpdatedAt"',
      detail: { riskLevel: '"riskLevel"', riskState: '"riskState"' },
    },
  },
};

/** An owner of whom nothing is known owns nothing. A group of unknown type counts. */
const groups: Relation = {
  with: `
  with unified as materialized (
    select id, facts -> 'ownerIds' as owners, facts ->> 'hasNoOwner' = 'true' as is_orphan from models.entity_fact
     where tenant_id = $1 and kind = 'group' and not is_deleted and coalesce(facts ->> 'groupType', 'microsoft365') = 'microsoft365'
  ), owner as materialized (
    select distinct lower(owner) as name from unified cross join lateral jsonb_array_elements_text(owners) owner
  ), ${personCte('owner')}, judged as (
    select u.*, (select bool_or(lower(owner) in (select name from person)) from jsonb_array_elements_text(owners) owner) as is_owned
      from unified u
  )`,
  from: 'judged j',
  subject: { type: 'group', id: 'j.id' },
  values: (_, { tenantId }) => [tenantId],
  rules: {
    'iam.groups.owned': {
      population: ['groups', 'true'],
      good: ['owned', 'is_owned'],
      reported: 'owners is not null or is_orphan',
      reason: 'no_active_owner',
      detail: { ownerIds: 'owners' },
    },
  },
};

/** Whether role assignments led to a notification or an action, by the name of the account that gained the role or by the event. */
const privilegedChanges: Relation = {
  with: `
  with change as (
    select c.log_id::text as log_id, c.occurred_at, c.discovered_at, coalesce(matched.id, c.target) as target
      from (select log_id, occurred_at, discovered_at, lower(facts ->> 'targetId') as target from models.log_fact
             where tenant_id = $1 and kind = 'privilegedRole' and facts ->> 'change' is distinct from 'remove' and occurred_at between ${daysAgo(30)} and $2) c
      left join lateral (select min(id) as id from models.entity_alias
                          where tenant_id = $1 and kind = 'user' and alias = c.target) matched on true
  ), reaction as (
    select lower(resource_id) as name, created_at as at from models.notification
     where tenant_id = $1 and decision = 'sent' and created_at between ${daysAgo(30)} and $2
     union all
    select lower(document::json ->> 'subjectId'), created_at from models.notification
     where tenant_id = $1 and decision = 'sent' and created_at between ${daysAgo(30)} and $2
     union all
    select lower(resource_id), (document::json ->> 'acknowledgedAt')::timestamptz from models.action
     where tenant_id = $1 and not is_simulated and created_at between ${daysAgo(30)} and $2
  ), named_reaction as (
    select coalesce((select min(id) from models.entity_alias
                      where tenant_id = $1 and kind = 'user' and alias = r.name), r.name) as name, at
      from reaction r where r.name is not null and at between ${daysAgo(30)} and $2
  )`,
  from: 'change c',
  subject: logSubject('c'),
  rules: {
    'iam.privileged_changes.notified': {
      population: ['changes', 'true'],
      good: [
        'followed',
        `exists (select from named_reaction r
                  where r.name in (c.target, c.log_id) and r.at between c.occurred_at and c.occurred_at + interval '24 hours')`,
      ],
      reason: 'no_reaction_within_24h',
      since: 'c.occurred_at',
      detail: { target: 'c.target' },
    },
  },
};

/** Accounts, administrators, guests, groups and changes of privileged roles. */
export const userRelations: readonly Relation[] = [accounts, groups, privilegedChanges];
