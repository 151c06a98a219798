import { hash } from 'node:crypto';
import type { AlertStatus } from '@tenantscope/contract';
import { recordId } from '../domain/payload.ts';
import { lowerFirst } from '../field/case.ts';
import { type Json, toText } from '../json/value.ts';

/** Statuses of all of Microsoft's alerts and incidents; an unlisted one is `unknown`. */
export function toStatus(value: Json | undefined): AlertStatus | null {
  const word = toText(value);
  return word === null ? null : (statuses.get(word.toLowerCase().replaceAll(/[\s_-]/g, '')) ?? 'unknown');
}

/** In the spelling of the second version of Graph's alerts. */
export function toClassification(value: Json | undefined): string | null {
  const word = toText(value);
  return word === null ? null : (classifications.get(word.toLowerCase()) ?? lowerFirst(word));
}

export function toDetermination(value: Json | undefined): string | null {
  const word = toText(value);
  if (word === null) return null;
  return word.toLowerCase() === 'notavailable' ? 'unknown' : lowerFirst(word);
}

/** The product in the spelling of the second version of Graph's alerts; another one as it is. */
export function toServiceSource(value: Json | undefined): string | null {
  const word = toText(value);
  return word === null ? null : (products.get(word.toLowerCase().replaceAll(/[\s-]/g, '')) ?? word);
}

/** An id as it is where it can be part of a URL; else, as with paths of resources, a GUID derived from it. */
export function toAlertId(id: string | null): string | null {
  if (id === null || recordId.safeParse(id).success) return id;
  const hex = hash('sha256', id.toLowerCase(), 'hex');
  return [hex.slice(0, 8), hex.slice(8, 12), `8${hex.slice(13, 16)}`, `8${hex.slice(17, 20)}`, hex.slice(20, 32)].join(
    '-',
  );
}

const statuses = new Map<string, AlertStatus>([
  ['new', 'new'],
  ['newalert', 'new'],
  ['active', 'new'],
  ['unhealthy', 'new'],
  ['failed', 'new'],
  ['inprogress', 'inProgress'],
  ['awaitingaction', 'inProgress'],
  ['resolved', 'resolved'],
  ['dismissed', 'resolved'],
  ['closed', 'resolved'],
  // Merged into another incident, which goes on.
  ['redirected', 'resolved'],
  ['healthy', 'resolved'],
  ['passed', 'resolved'],
  ['notapplicable', 'resolved'],
]);
const classifications = new Map([
  ['benignpositive', 'informationalExpectedActivity'],
  ['undetermined', 'unknown'],
]);
const products = new Map([
  ['azuresecuritycenter', 'microsoftDefenderForCloud'],
  ['microsoftdefenderforcloud', 'microsoftDefenderForCloud'],
  ['azuresentinel', 'microsoftSentinel'],
  ['microsoftsentinel', 'microsoftSentinel'],
  ['microsoft365defender', 'microsoft365Defender'],
  ['microsoftdefenderxdr', 'microsoft365Defender'],
  ['microsoftdefenderatp', 'microsoftDefenderForEndpoint'],
  ['windowsdefenderatp', 'microsoftDefenderForEndpoint'],
  ['microsoftdefenderadvancedthreatprotection', 'microsoftDefenderForEndpoint'],
  ['microsoftdefenderforendpoint', 'microsoftDefenderForEndpoint'],
  ['azureadvancedthreatprotection', 'microsoftDefenderForIdentity'],
  ['azureatp', 'microsoftDefenderForIdentity'],
  ['microsoftdefenderforidentity', 'microsoftDefenderForIdentity'],
  ['office365advancedthreatprotection', 'microsoftDefenderForOffice365'],
  ['officeatp', 'microsoftDefenderForOffice365'],
  ['microsoftdefenderforoffice365', 'microsoftDefenderForOffice365'],
  ['microsoftcloudappsecurity', 'microsoftDefenderForCloudApps'],
  ['mcas', 'microsoftDefenderForCloudApps'],
  ['microsoftdefenderforcloudapps', 'microsoftDefenderForCloudApps'],
  ['azureactivedirectoryidentityprotection', 'azureAdIdentityProtection'],
  ['ipc', 'azureAdIdentityProtection'],
]);
