import { guidOf, numberOf } from '../chance.ts';
import type { Person } from '../company.ts';
import { type DemoState, shown } from '../demo-state.ts';
import { licensesOf } from './license-facts.ts';
import { momentBefore, type Picture } from './picture.ts';

/** Objects as Microsoft Graph lists them: of things that have a record of the platform's own too, and of a few that have none. */
export function* providerObjects(picture: Picture): Generator<DemoState> {
  const { company } = picture;
  const { azureTenantId, domain } = company.plan;
  for (const person of [...company.people.slice(0, 8), ...company.guests]) yield userObject(picture, person);
  for (const person of company.people.slice(0, 4)) yield riskyUserObject(picture, person);
  for (const app of company.apps.slice(0, 5)) {
    yield object(picture, 'graph.serviceprincipal', 'app', app.servicePrincipalId, {
      id: app.servicePrincipalId,
      appId: app.appId,
      displayName: app.name,
      accountEnabled: true,
      appOwnerOrganizationId: app.kind === 'thirdParty' ? guidOf('home tenant', app.publisher) : azureTenantId,
      servicePrincipalType: app.kind === 'managedIdentity' ? 'ManagedIdentity' : 'Application',
      publisherName: app.publisher,
      signInAudience: 'AzureADMultipleOrgs',
      tags: ['WindowsAzureActiveDirectoryIntegratedApp'],
    });
  }
  for (const device of company.people.slice(0, 6).flatMap((person) => person.devices)) {
    const [operatingSystem, operatingSystemVersion = null] = device.operatingSystem.split(' ');
    yield object(picture, 'graph.device', 'device', device.id, {
      id: guidOf(device.id, 'directory object'),
      deviceId: device.id,
      displayName: device.name,
      accountEnabled: true,
      operatingSystem,
      operatingSystemVersion,
      trustType: device.isManaged === true ? 'AzureAd' : 'Workplace',
      approximateLastSignInDateTime: momentBefore(picture, 5, device.id, 'signed in'),
    });
  }
  for (const license of licensesOf(company).slice(0, 2)) {
    const id = `${guidOf(azureTenantId, 'account')}_${license.skuId}`;
    yield object(picture, 'graph.subscribedsku', 'license', id, {
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
  yield* onlyInGraph(picture, domain);
}

/** A guest just invited, a team, a site, a file and an agent that only the provider tells of. */
function* onlyInGraph(picture: Picture, domain: string): Generator<DemoState> {
  const { company } = picture;
  const id = (name: string) => guidOf(company.plan.azureTenantId, 'only in graph', name);
  yield object(picture, 'graph.user', 'user', id('guest'), {
    id: id('guest'),
    displayName: 'Dana\u2063 Ullrich',
    userPrincipalName: `dana.ullrich_ullrich-partner.example#EXT#@${domain}`,
    mail: 'dana.ullrich@ullrich-partner.example',
    userType: 'Guest',
    externalUserState: 'PendingAcceptance',
    accountEnabled: true,
    createdDateTime: momentBefore(picture, 20, 'guest'),
  });
  yield object(picture, 'graph.group', 'group', id('group'), {
    id: id('group'),
    displayName: 'Summer party',
    description: 'Where, when, and who brings what.',
    mail: `summer-party@${domain}`,
    mailEnabled: true,
    securityEnabled: false,
    groupTypes: ['Unified'],
    visibility: 'Public',
    resourceProvisioningOptions: ['Team'],
    createdDateTime: momentBefore(picture, 400, 'group'),
  });
  const siteUrl = `https://${company.sharePointHost}/sites/Archive`;
  const siteId = `${company.sharePointHost},${id('site')},${id('web')}`;
  yield object(picture, 'graph.site', 'site', siteId, {
    id: siteId,
    name: 'Archive',
    displayName: 'Archive',
    webUrl: siteUrl,
    isPersonalSite: false,
    createdDateTime: momentBefore(picture, 3_000, 'site'),
  });
  const itemId = `01${id('item').replaceAll('-', '').toUpperCase()}`;
  yield object(picture, 'graph.driveitem', 'file', itemId, {
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
    createdDateTime: momentBefore(picture, 2_900, 'item'),
    lastModifiedDateTime: shown(picture.atMs - 90 * 86_400_000),
  });
  yield object(picture, 'graph.copilotPackage', 'agent', id('package app'), {
    id: `P_${id('package')}`,
    displayName: 'Paperlift Proofreader',
    type: 'external',
    shortDescription: 'Reads what you wrote before others do.',
    isBlocked: false,
    supportedHosts: ['word', 'outlook'],
    lastModifiedDateTime: shown(picture.atMs - 20 * 86_400_000),
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

function userObject(picture: Picture, person: Person): DemoState {
  const mail = person.userPrincipalName.split('#')[0]?.replace(/_(?=[^_]*$)/, person.isGuest ? '@' : '_');
  return object(picture, 'graph.user', 'user', person.id, {
    id: person.id,
    displayName: person.displayName,
    userPrincipalName: person.userPrincipalName,
    mail,
    userType: person.isGuest ? 'Guest' : 'Member',
    externalUserState: person.isGuest ? 'Accepted' : null,
    accountEnabled: true,
    department: person.department,
    jobTitle: person.title,
    createdDateTime: momentBefore(picture, 1_500, person.id, 'created'),
    signInActivity: { lastSignInDateTime: momentBefore(picture, 5, person.id, 'signed in') },
    assignedLicenses: licensesOf(picture.company)
      .filter(({ holders }) => holders.includes(person))
      .map(({ skuId }) => ({ skuId, disabledPlans: [] })),
  });
}

function riskyUserObject(picture: Picture, person: Person): DemoState {
  const isRisky = numberOf(2, person.id, 'risky') === 0;
  return object(picture, 'graph.riskyUser', 'user', person.id, {
    id: person.id,
    userDisplayName: person.displayName,
    userPrincipalName: person.userPrincipalName,
    isDeleted: false,
    isProcessing: false,
    riskLevel: isRisky ? 'low' : 'none',
    riskState: isRisky ? 'remediated' : 'none',
    riskDetail: 'none',
    riskLastUpdatedDateTime: momentBefore(picture, 10, person.id, 'risk'),
  });
}

function object(
  { atMs }: Picture,
  format: string,
  kind: string,
  id: string,
  record: Record<string, unknown>,
): DemoState {
  return { topic: 'rawEntity', format, kind, id, changedAtMs: atMs - numberOf(3_600_000, id, format), record };
}
