import type { Person } from '../company.ts';
import { type DemoState, formatInstant } from '../demo-state.ts';
import { deriveGuid, deriveNumber } from '../random.ts';
import { formatTimeBefore, type InventorySnapshot } from './inventory-snapshot.ts';
import { listLicenses } from './license-list.ts';

/** Objects as Microsoft Graph lists them: some have a platform record too, a few do not. */
export function* generateProviderObjects(snapshot: InventorySnapshot): Generator<DemoState> {
  const { company } = snapshot;
  const { azureTenantId, domain } = company.plan;
  for (const person of [...company.employees.slice(0, 8), ...company.guests]) yield userObject(snapshot, person);
  for (const person of company.employees.slice(0, 4)) yield riskyUserObject(snapshot, person);
  for (const app of company.apps.slice(0, 5)) {
    yield object(snapshot, 'graph.serviceprincipal', 'app', app.servicePrincipalId, {
      id: app.servicePrincipalId,
      appId: app.appId,
      displayName: app.name,
      accountEnabled: true,
      appOwnerOrganizationId: app.kind === 'thirdParty' ? deriveGuid('home tenant', app.publisher) : azureTenantId,
      servicePrincipalType: app.kind === 'managedIdentity' ? 'ManagedIdentity' : 'Application',
      publisherName: app.publisher,
      signInAudience: 'AzureADMultipleOrgs',
      tags: ['WindowsAzureActiveDirectoryIntegratedApp'],
    });
  }
  for (const device of company.employees.slice(0, 6).flatMap((person) => person.devices)) {
    const [operatingSystem, operatingSystemVersion = null] = device.operatingSystem.split(' ');
    yield object(snapshot, 'graph.device', 'device', device.id, {
      id: deriveGuid(device.id, 'directory object'),
      deviceId: device.id,
      displayName: device.name,
      accountEnabled: true,
      operatingSystem,
      operatingSystemVersion,
      trustType: device.isManaged === true ? 'AzureAd' : 'Workplace',
      approximateLastSignInDateTime: formatTimeBefore(snapshot, 5, device.id, 'signed in'),
    });
  }
  for (const license of listLicenses(company).slice(0, 2)) {
    const id = `${deriveGuid(azureTenantId, 'account')}_${license.skuId}`;
    yield object(snapshot, 'graph.subscribedsku', 'license', id, {
      id,
      skuId: license.skuId,
      skuPartNumber: license.partNumber,
      appliesTo: 'User',
      capabilityStatus: 'Enabled',
      consumedUnits: license.holders.length,
      prepaidUnits: { enabled: license.total, suspended: 0, warning: 0, lockedOut: 0 },
      servicePlans: [],
    });
  }
  yield* generateGraphOnlyObjects(snapshot, domain);
}

/** A newly invited guest, a team, a site, a file and an agent that only the provider reports. */
function* generateGraphOnlyObjects(snapshot: InventorySnapshot, domain: string): Generator<DemoState> {
  const { company } = snapshot;
  const id = (name: string) => deriveGuid(company.plan.azureTenantId, 'only in graph', name);
  yield object(snapshot, 'graph.user', 'user', id('guest'), {
    id: id('guest'),
    displayName: 'Dana\u2063 Ullrich',
    userPrincipalName: `dana.ullrich_ullrich-partner.example#EXT#@${domain}`,
    mail: 'dana.ullrich@ullrich-partner.example',
    userType: 'Guest',
    externalUserState: 'PendingAcceptance',
    accountEnabled: true,
    createdDateTime: formatTimeBefore(snapshot, 20, 'guest'),
  });
  yield object(snapshot, 'graph.group', 'group', id('group'), {
    id: id('group'),
    displayName: 'Summer party',
    description: 'Where, when, and who brings what.',
    mail: `summer-party@${domain}`,
    mailEnabled: true,
    securityEnabled: false,
    groupTypes: ['Unified'],
    visibility: 'Public',
    resourceProvisioningOptions: ['Team'],
    createdDateTime: formatTimeBefore(snapshot, 400, 'group'),
  });
  const siteUrl = `https://${company.sharePointHost}/sites/Archive`;
  const siteId = `${company.sharePointHost},${id('site')},${id('web')}`;
  yield object(snapshot, 'graph.site', 'site', siteId, {
    id: siteId,
    name: 'Archive',
    displayName: 'Archive',
    webUrl: siteUrl,
    isPersonalSite: false,
    createdDateTime: formatTimeBefore(snapshot, 3_000, 'site'),
  });
  const itemId = `01${id('item').replaceAll('-', '').toUpperCase()}`;
  yield object(snapshot, 'graph.driveitem', 'file', itemId, {
    id: itemId,
    name: 'Minutes 2019.docx',
    webUrl: `${siteUrl}/Shared%20Documents/Minutes%202019.docx`,
    size: 48_211,
    file: { mimeType: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document' },
    parentReference: {
      driveId: `b!${id('drive').replaceAll('-', '')}`,
      driveType: 'documentLibrary',
      siteId,
      path: '/drive/root:',
    },
    sharepointIds: { listItemUniqueId: id('list item'), siteId: id('site'), siteUrl },
    createdDateTime: formatTimeBefore(snapshot, 2_900, 'item'),
    lastModifiedDateTime: formatInstant(snapshot.atMs - 90 * 86_400_000),
  });
  yield object(snapshot, 'graph.copilotPackage', 'agent', id('package app'), {
    id: `P_${id('package')}`,
    displayName: 'Paperlift Proofreader',
    type: 'external',
    shortDescription: 'Reads what you wrote before others do.',
    isBlocked: false,
    supportedHosts: ['word', 'outlook'],
    lastModifiedDateTime: formatInstant(snapshot.atMs - 20 * 86_400_000),
    publisher: 'Paperlift SAS',
    availableTo: 'all',
    deployedTo: 'none',
    elementTypes: ['declarativeAgent'],
    platform: 'teams',
    version: '2.1.0',
    manifestId: 'paperlift-proofreader',
    appId: id('package app'),
  });
}

function userObject(snapshot: InventorySnapshot, person: Person): DemoState {
  const mail = person.userPrincipalName.split('#')[0]?.replace(/_(?=[^_]*$)/, person.isGuest ? '@' : '_');
  return object(snapshot, 'graph.user', 'user', person.id, {
    id: person.id,
    displayName: person.displayName,
    userPrincipalName: person.userPrincipalName,
    mail,
    userType: person.isGuest ? 'Guest' : 'Member',
    externalUserState: person.isGuest ? 'Accepted' : null,
    accountEnabled: true,
    department: person.department,
    jobTitle: person.title,
    createdDateTime: formatTimeBefore(snapshot, 1_500, person.id, 'created'),
    signInActivity: { lastSignInDateTime: formatTimeBefore(snapshot, 5, person.id, 'signed in') },
    assignedLicenses: listLicenses(snapshot.company)
      .filter(({ holders }) => holders.includes(person))
      .map(({ skuId }) => ({ skuId, disabledPlans: [] })),
  });
}

function riskyUserObject(snapshot: InventorySnapshot, person: Person): DemoState {
  const isRisky = deriveNumber(2, person.id, 'risky') === 0;
  return object(snapshot, 'graph.riskyUser', 'user', person.id, {
    id: person.id,
    userDisplayName: person.displayName,
    userPrincipalName: person.userPrincipalName,
    isDeleted: false,
    isProcessing: false,
    riskLevel: isRisky ? 'low' : 'none',
    riskState: isRisky ? 'remediated' : 'none',
    riskDetail: 'none',
    riskLastUpdatedDateTime: formatTimeBefore(snapshot, 10, person.id, 'risk'),
  });
}

function object(
  { atMs }: InventorySnapshot,
  format: string,
  kind: string,
  id: string,
  record: Record<string, unknown>,
): DemoState {
  return { topic: 'rawEntity', format, kind, id, changedAtMs: atMs - deriveNumber(3_600_000, id, format), record };
}
