import { daysAgo } from '../clause/days-ago.ts';
import { logSubject } from '../clause/log-subject.ts';
import { entityNamesCte, personCte } from '../clause/names.ts';
import { countReported, countRows, toIsoTime } from '../figures.ts';
import type { Relation, Rule } from '../relation.ts';

/** How methods that cannot be handed to a false page begin, as Graph's methodsRegistered names them, in lower case. */
const phishingResistant = ['fido', 'passkey', 'windowshello', 'x509', 'certificate', 'macossecureenclavekey'];

/**
 * An account counts as enabled unless it is known not to be, and as a member unless it is known as a guest; one whose type and state are both
 * unknown is unknown to every rule about members. An account with unknown roles may be an administrator. A service account is no member,
 * but may be an administrator: its employee type is any text. What synchronises a directory is neither.
 */
const accountsCte = `
  with account as (
    select f.*, coalesce(f.user_type = 'guest' or f.is_external, false) as is_guest, f.is_enabled is distinct from false as may_sign_in
      from models.user_fact f
     where f.tenant_id = $1 and not f.is_deleted
  ), judged as (
    select a.*, coalesce(created_at < ${daysAgo(30)}, true) as is_old, coalesce(signed_in_at < ${daysAgo(90)}, true) as is_inactive,
           may_sign_in and not is_guest and not is_service as is_member, is_enabled is not null or user_type is not null as has_type,
           may_sign_in and (is_guest or not is_service and user_type is null and is_external is null) as may_be_guest,
           may_sign_in and (is_admin is true or coalesce(jsonb_array_length(roles), 0) > 0) and roles is distinct from '["Directory Synchronization Accounts"]' as administers,
           may_sign_in and is_admin is null and roles is null as has_unknown_roles,
           risk_level = 'high' and coalesce(risk_state, 'atRisk') in ('atRisk', 'confirmedCompromised') as is_risky,
           -- Each further detection changes the reported time.
           least(risk_since, risk_updated_at) as risky_at,
           exists (select from jsonb_array_elements_text(methods) method
                    where lower(method) like any (select word || '%' from unnest($3::text[]) word)) as resists_phishing,
           -- Permanent unless an end is reported.
           coalesce(case when role_assignments is not null then
                      (select bool_or(role.permanent is not false) from jsonb_to_recordset(role_assignments) as role (name text, permanent boolean)
                        where role.name in ('Global Administrator', 'Company Administrator')) end,
                    roles ?| array['Global Administrator', 'Company Administrator'], false) as is_global
      from account a
  )`;

const mfaRegistered = {
  good: ['mfaRegistered', 'has_mfa'],
  reason: 'mfa_not_registered',
} as const satisfies Partial<Rule>;
const inactive = {
  bad: ['inactive', 'is_inactive'],
  reason: 'no_sign_in_90d',
  since: 'signed_in_at',
} as const satisfies Partial<Rule>;

const administrators = ['admins', 'administers or has_unknown_roles'] as const;

/** Of unknown roles: guests and service accounts belong to the population with them, or unknown accounts could be more than all. */
const mayBeGlobal = 'may_sign_in and roles is null and is_admin is not false';

const accounts: Relation = {
  with: accountsCte,
  from: 'judged j',
  subject: { type: 'user', id: 'j.id' },
  values: (_, { tenantId, nowMs }) => [tenantId, toIsoTime(nowMs), phishingResistant],
  figures: {
    'iam.admins.global_count/enabledMembers': countRows(`is_member or ${mayBeGlobal}`),
    'iam.admins.global_count/globalAdmins': countReported(
      'may_sign_in',
      'roles is not null or not is_admin',
      'is_global',
    ),
    'iam.admins.global_count/unknown': countRows(mayBeGlobal),
  },
  rules: {
    'iam.mfa.members': {
      population: ['members', 'is_member'],
      reported: 'has_type and has_mfa is not null',
      ...mfaRegistered,
    },
    'iam.mfa.admins': {
      population: administrators,
      reported: 'administers and has_mfa is not null',
      ...mfaRegistered,
      detail: { roles: 'roles' },
    },
    'iam.admins.phishing_resistant': {
      population: administrators,
      good: ['phishingResistant', 'resists_phishing'],
      reported: 'administers and methods is not null',
      reason: 'no_phishing_resistant_method',
      detail: { roles: 'roles', methodsRegistered: 'methods' },
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
      bad: ['overdue', `risky_at < $2::timestamptz - interval '72 hours'`],
      reported: 'risky_at is not null',
      reason: 'high_risk_over_72h',
      since: 'risky_at',
      detail: { riskLevel: 'risk_level', riskState: 'risk_state' },
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
    select distinct models.lower_case(owner) as name from unified cross join lateral jsonb_array_elements_text(owners) owner
  ), ${personCte('owner')}, judged as (
    select u.*, (select bool_or(models.lower_case(owner) in (select name from person)) from jsonb_array_elements_text(owners) owner) as is_owned
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

/** Whether role assignments led to a notification or an action within a day, by the name of the account that gained the role or by the event. */
const privilegedChanges: Relation = {
  with: `
  with assigned as materialized (
    select log_id::text as log_id, occurred_at, discovered_at, models.lower_case(facts ->> 'targetId') as name from models.log_fact
     where tenant_id = $1 and kind = 'privilegedRole' and facts ->> 'change' is distinct from 'remove' and occurred_at between ${daysAgo(30)} and ${daysAgo(1)}
  ), reaction as materialized (
    select models.lower_case(resource_id) as name, created_at as at from models.notification
     where tenant_id = $1 and decision = 'sent' and created_at between ${daysAgo(30)} and $2
     union all
    select models.lower_case(document::json ->> 'subjectId'), created_at from models.notification
     where tenant_id = $1 and decision = 'sent' and created_at between ${daysAgo(30)} and $2
     union all
    select models.lower_case(resource_id), (document::json ->> 'acknowledgedAt')::timestamptz from models.action
     where tenant_id = $1 and not is_simulated and created_at between $2::timestamptz - interval '1 year' and $2
  ), named as materialized (
    select name from assigned union select name from reaction
  ), ${entityNamesCte('user', 'named')}, change as (
    select c.*, coalesce(u.id, c.name) as target from assigned c left join user_name u using (name)
  ), named_reaction as (
    select coalesce(u.id, r.name) as name, at
      from reaction r left join user_name u using (name) where r.name is not null and at between ${daysAgo(30)} and $2
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
