import type { EntityKind } from '@tenantscope/contract';
import { isObject, type JsonObject, toList, toText } from '../json/value.ts';
import type { ColumnValue } from '../message/record-outcome.ts';

/** The values of filter columns, by name of the SQL column. */
export function buildColumns(kind: EntityKind, facts: JsonObject): Readonly<Record<string, ColumnValue>> {
  return readers[kind](facts);
}

type Reader = (facts: JsonObject) => Readonly<Record<string, ColumnValue>>;

const readers: Readonly<Record<EntityKind, Reader>> = {
  user: (facts) => ({
    name_key: toSearchKey(facts.displayName),
    principal_key: toSearchKey(facts.userPrincipalName),
    mail_key: toSearchKey(facts.mail),
    user_type: text(facts.userType),
    account_enabled: flag(facts.accountEnabled),
    is_admin: flag(facts.isAdmin),
    is_external: flag(facts.isExternal),
    risk_level: text(facts.riskLevel),
    has_copilot_license: flag(facts.hasCopilotLicense),
    department: text(facts.department),
    roles: texts(facts.roles),
  }),
  agent: (facts) => ({
    name_key: toSearchKey(facts.displayName),
    evidence: text(facts.evidence),
    kind: text(facts.kind),
    platform: text(facts.platform),
    lifecycle_status: text(facts.lifecycleStatus),
    publisher_type: text(facts.publisherType),
    is_blocked: flag(facts.isBlocked),
    has_tenant_wide_reach: flag(facts.hasTenantWideReach),
    owner_source: text(facts.ownerSource),
    risk_level: text(facts.riskLevel),
    available_to: text(facts.availableTo),
    deployed_to: text(facts.deployedTo),
  }),
  file: (facts) => ({
    name_key: toSearchKey(facts.name),
    site_id: text(facts.siteId),
    owner_id: text(facts.ownerId),
    extension: text(facts.extension),
    sensitivity_label_id: text(facts.sensitivityLabelId),
    sensitive_info_type_ids: listIds(facts.sensitiveInfoTypes),
    sharing_scope: text(facts.sharingScope),
    is_restricted: flag(facts.isRestricted),
    has_anonymous_link: flag(facts.hasAnonymousLink),
  }),
  group: (facts) => ({
    name_key: toSearchKey(facts.displayName),
    mail_key: toSearchKey(facts.mail),
    group_type: text(facts.groupType),
    visibility: text(facts.visibility),
    is_team: flag(facts.isTeam),
    has_no_owner: flag(facts.hasNoOwner),
    guest_count: number(facts.guestCount),
    is_role_assignable: flag(facts.isRoleAssignable),
  }),
  site: (facts) => ({
    name_key: toSearchKey(facts.displayName),
    site_type: text(facts.siteType),
    external_sharing: text(facts.externalSharing),
    everyone_access: flag(facts.everyoneAccess),
    is_excluded_from_ai: flag(facts.isExcludedFromAi),
    owner_id: text(facts.ownerId),
  }),
  app: (facts) => ({
    name_key: toSearchKey(facts.displayName),
    app_id: text(facts.appId)?.toLowerCase() ?? null,
    app_type: text(facts.appType),
    is_ai_app: flag(facts.isAiApp),
    has_tenant_wide_reach: flag(facts.hasTenantWideReach),
    has_admin_consent: flag(facts.hasAdminConsent),
    is_verified_publisher: flag(facts.isVerifiedPublisher),
    account_enabled: flag(facts.accountEnabled),
    risk_level: text(facts.riskLevel),
  }),
  device: (facts) => ({
    name_key: toSearchKey(facts.displayName),
    operating_system: text(facts.operatingSystem),
    is_managed: flag(facts.isManaged),
    is_compliant: flag(facts.isCompliant),
    ownership: text(facts.ownership),
    risk_level: text(facts.riskLevel),
    primary_user_id: text(facts.primaryUserId),
  }),
  email: (facts) => ({
    name_key: toSearchKey(facts.subject),
    sender_key: toSearchKey(facts.senderAddress),
    recipient_keys: texts(facts.recipients)?.map((recipient) => recipient.toLowerCase()) ?? null,
    threat_types: texts(facts.threatTypes),
    direction: text(facts.direction),
    delivery_location: text(facts.deliveryLocation),
    dlp_match_count: number(facts.dlpMatchCount),
  }),
  license: (facts) => ({ name_key: toSearchKey(facts.displayName), part_key: toSearchKey(facts.skuPartNumber) }),
  sensitiveInfoType: (facts) => ({
    name_key: toSearchKey(facts.name),
    is_custom: flag(facts.isCustom),
    restriction_level: text(facts.restrictionLevel),
    external_user_count: number(facts.externalUserCount),
  }),
};

/** The key of case-insensitive prefix searches. */
function toSearchKey(value: JsonObject[string]): string | null {
  return text(value)?.toLowerCase() ?? null;
}

function text(value: JsonObject[string]): string | null {
  return typeof value === 'string' ? value : null;
}

function texts(value: JsonObject[string]): string[] | null {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : null;
}

function flag(value: JsonObject[string]): boolean | null {
  return typeof value === 'boolean' ? value : null;
}

function number(value: JsonObject[string]): number | null {
  return typeof value === 'number' ? value : null;
}

function listIds(value: JsonObject[string]): string[] | null {
  if (!Array.isArray(value)) return null;
  return toList(value).flatMap((item) => (isObject(item) ? (toText(item.id) ?? []) : []));
}
