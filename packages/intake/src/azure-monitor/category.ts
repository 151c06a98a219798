import type { SourceType } from '@tenantscope/contract';
import type { Activity } from '../activity/activity.ts';
import { defenderAdvancedHunting } from '../defender/advanced-hunting.ts';
import { normaliseDirectoryAudit } from '../entra/directory-audit.ts';
import { normaliseGraphActivity } from '../entra/graph-activity.ts';
import { normaliseNetworkTraffic } from '../entra/network-access.ts';
import { normaliseProvisioning } from '../entra/provisioning.ts';
import { normaliseRiskEvent } from '../entra/risk-event.ts';
import { normaliseSignIn } from '../entra/sign-in.ts';
import { normaliseIntuneAudit } from '../intune/audit.ts';
import { normaliseIntuneDevice, normaliseIntuneOperation } from '../intune/device-event.ts';
import { type JsonObject, toText } from '../json/value.ts';
import { normaliseAzureActivity } from './azure-activity.ts';
import type { LogFrame } from './log-frame.ts';
import { normaliseUnlistedCategory } from './unlisted-category.ts';

type Normalise = (record: JsonObject, frame: LogFrame) => Activity;

/**
 * Finds the mapper of a record: all categories leave through one event hub, so that the category decides and not the
 * format that an envelope named. A category that is not listed is never read by the mapper of another one, unless the
 * record itself has the shape of an audit.
 *
 * @param fallback reads a record without a category
 */
export function findMapper(record: JsonObject, frame: LogFrame, fallback: Normalise | null): Normalise {
  // Intune names its audits as Entra does.
  if (record.AuditEventId !== undefined || record.ActivityResultStatus !== undefined) return normaliseIntuneAudit;
  const category = frame.category?.toLowerCase();
  const mapper = category === undefined ? fallback : mappers.get(category);
  // `Policy` is a category of Azure's activity and one of Entra's audits, which some collectors put in its place.
  if (mapper !== undefined && mapper !== null && !(mapper === normaliseAzureActivity && isAudit(record))) return mapper;
  if (category?.endsWith('signinlogs')) return normaliseSignIn;
  if (category?.startsWith('advancedhunting-')) return normaliseHunting;
  if (isAudit(record)) return normaliseDirectoryAudit;
  const provider = readProvider(frame);
  if (provider === 'azure') return normaliseAzureActivity;
  return (each, itsFrame) => normaliseUnlistedCategory(each, itsFrame, provider);
}

function isAudit(record: JsonObject): boolean {
  const hasActivity = record.activityDisplayName !== undefined && record.initiatedBy !== undefined;
  return hasActivity || record.targetResources !== undefined;
}

/** Whether the product has a mapper for the category, or for all that are named like it. */
export function isListedCategory(category: string): boolean {
  const name = category.toLowerCase();
  return mappers.has(name) || name.endsWith('signinlogs') || name.startsWith('advancedhunting-');
}

/** Defender exports its tables in the same frame. */
function normaliseHunting(_: JsonObject, frame: LogFrame): Activity {
  return defenderAdvancedHunting.normalise(frame.members, 0);
}

/**
 * The resource names the provider: `/tenants/…/providers/Microsoft.aadiam`, `/subscriptions/…`. Without one a record that names an Entra tenant is of
 * Entra; rows of tables such as Syslog do not.
 */
function readProvider(frame: LogFrame): SourceType | 'azure' {
  const resource = (toText(frame.members.resourceId) ?? toText(frame.members.resourceid) ?? '').toLowerCase();
  if (resource.startsWith('/subscriptions/')) return 'azure';
  if (resource.includes('microsoft.intune')) return 'intune';
  const isOfTenant = resource === '' ? toText(frame.tenant) !== null : resource.startsWith('/tenants/');
  return isOfTenant ? 'entra' : 'other';
}

const mappers: ReadonlyMap<string, Normalise> = new Map([
  ...forCategories(normaliseDirectoryAudit, 'AuditLogs'),
  ...forCategories(normaliseRiskEvent, 'UserRiskEvents RiskyUsers ServicePrincipalRiskEvents RiskyServicePrincipals'),
  ...forCategories(normaliseProvisioning, 'ProvisioningLogs'),
  ...forCategories(normaliseGraphActivity, 'MicrosoftGraphActivityLogs AzureADGraphActivityLogs'),
  ...forCategories(normaliseNetworkTraffic, 'NetworkAccessTrafficLogs'),
  ...forCategories(normaliseIntuneAudit, 'IntuneAuditLogs'),
  ...forCategories(normaliseIntuneOperation, 'OperationalLogs IntuneOperationalLogs'),
  ...forCategories(normaliseIntuneDevice, 'DeviceComplianceOrg IntuneDeviceComplianceOrg Devices IntuneDevices'),
  ...forCategories(
    normaliseAzureActivity,
    'Administrative Security ServiceHealth Alert Recommendation Policy Autoscale ResourceHealth Action Write Delete',
  ),
]);

function forCategories(normalise: Normalise, categories: string): (readonly [string, Normalise])[] {
  return categories.split(' ').map((category) => [category.toLowerCase(), normalise]);
}
