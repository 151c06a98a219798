import type { Company, Person } from '../company.ts';
import { type DemoState, formatInstant } from '../demo-state.ts';
import { deriveGuid, deriveNumber } from '../random.ts';
import { isTakeoverVictim, victimDisabledMs } from '../storylines/after-storyline.ts';
import { countSensitiveInfo, derivePick, deriveSharing, findFileOwner, findSensitiveInfo } from './file-attributes.ts';
import { listGroups } from './group-list.ts';
import {
  countOpenEpisodes,
  createEntityState,
  deriveRisk,
  findAlerts,
  formatTimeBefore,
  type InventorySnapshot,
  listRecentDetections,
} from './inventory-snapshot.ts';
import { listLicenses } from './license-list.ts';

const roles = ['Global Administrator', 'Security Administrator', 'User Administrator', 'Exchange Administrator'];

export function createUserState(snapshot: InventorySnapshot, person: Person): DemoState {
  const { company } = snapshot;
  const { id, isGuest } = person;
  const owned = company.files.filter((file) => findFileOwner(company, file) === person);
  const groups = listGroups(company).filter(({ members }) => members.includes(person));
  const licenses = listLicenses(company).filter(({ holders }) => holders.includes(person));
  const agents = company.agents.filter(({ creator, marks }) => creator === person && !marks.includes('orphan'));
  const manager = managerOf(company, person);
  const roles = rolesOf(company, person);
  const alerts = findAlerts(snapshot, id);
  const risk = deriveRisk(snapshot, id);
  const isTaken = isTakeoverVictim(company, person);
  const mail = isGuest ? person.userPrincipalName.split('#')[0]?.replace(/_(?=[^_]*$)/, '@') : person.userPrincipalName;
  return createEntityState(snapshot, 'user', id, {
    createdAt: formatTimeBefore(snapshot, 1_500, id, 'created'),
    displayName: person.displayName,
    userPrincipalName: person.userPrincipalName,
    mail,
    userType: isGuest ? 'guest' : 'member',
    accountEnabled: !isTaken,
    isExternal: isGuest,
    externalUserState: isGuest ? (deriveNumber(3, id) === 0 ? 'pendingAcceptance' : 'accepted') : null,
    department: person.department,
    jobTitle: person.title,
    companyName: isGuest ? (mail?.split('@')[1] ?? null) : company.plan.name,
    country: isGuest ? null : company.plan.country,
    managerId: manager?.id ?? null,
    managerName: manager?.displayName ?? null,
    isAdmin: roles.length > 0,
    roles: roles.map((name) => ({ name, permanent: name !== 'Reports Reader' })),
    mfaRegistered: methodsOf(company, person).length > 1,
    lastSignInAt: formatTimeBefore(snapshot, deriveNumber(15, id) === 0 ? 200 : 5, id, 'signed in'),
    lastNonInteractiveSignInAt: formatTimeBefore(snapshot, 2, id, 'signed in quietly'),
    riskLevel: risk,
    riskState: risk === 'none' ? 'none' : isTaken ? 'confirmedCompromised' : 'atRisk',
    riskUpdatedAt: risk === 'none' ? null : formatTimeBefore(snapshot, 2, id, 'risk'),
    licenseSkus: licenses.map(({ partNumber }) => partNumber),
    hasCopilotLicense: licenses.some(({ partNumber }) => partNumber === 'Microsoft_365_Copilot'),
    groupCount: groups.length,
    deviceCount: person.devices.length,
    ownedAgentCount: agents.length,
    ownedAppCount: deriveNumber(6, id, 'apps') === 0 ? 1 : 0,
    ownedFileCount: owned.length,
    sensitiveFileCount: owned.filter((file) => findSensitiveInfo(company, file).length > 0).length,
    externalShareCount: owned.filter((file) => deriveSharing(company, file).guests.length > 0).length,
    aiInteractionCount30d: deriveNumber(40, id, 'prompts'),
    openDetectionCount: countOpenEpisodes(snapshot, id),
    openAlertCount: alerts.filter(({ isOpen }) => isOpen).length,
    proxyAddresses: [`SMTP:${mail}`],
    employeeType: isGuest ? null : 'Employee',
    usageLocation: isGuest ? null : company.plan.country,
    onPremisesSyncEnabled: false,
    lastPasswordChangeAt: isTaken
      ? formatTimeBefore(snapshot, 3, id, 'password')
      : formatTimeBefore(snapshot, 300, id, 'password'),
    disabledAt: isTaken ? formatInstant(victimDisabledMs(company, snapshot.atMs)) : null,
    methodsRegistered: methodsOf(company, person),
    sponsors: isGuest ? [toReference(derivePick(company.employees, id, 'sponsor'))] : [],
    groups: groups.map(({ id: groupId, name }) => ({ id: groupId, name })),
    devices: person.devices.map(({ id: deviceId, name }) => ({ id: deviceId, name })),
    appGrants: company.apps
      .filter(({ aiCategory, appId }) => aiCategory !== null && deriveNumber(6, id, appId) === 0)
      .map(({ servicePrincipalId, name }) => ({
        appId: servicePrincipalId,
        name,
        scopes: ['User.Read', 'Files.Read'],
        consentType: 'Principal',
      })),
    mailboxForwarding: null,
    externalInboxRuleCount: 0,
    sensitiveInfoTypes: countSensitiveInfo(company, owned),
    aliases: {
      puid: person.puid,
      sid: sidOf(company, person),
      googleId: person.googleProfileId,
      oktaId: person.oktaId,
    },
    recentDetections: listRecentDetections(snapshot, id),
    recentAlerts: alerts.slice(0, 5).map(({ id: alert, title }) => ({ id: alert, title })),
  });
}

/** The user whom the intruder made administrator still is one. */
function rolesOf(company: Company, person: Person): string[] {
  if (person.isAdmin)
    return [derivePick(roles, person.id), ...(deriveNumber(2, person.id, 'reports') === 0 ? ['Reports Reader'] : [])];
  if (person.title === 'Service Desk Analyst') return ['Helpdesk Administrator'];
  return isTakeoverVictim(company, person) ? ['Global Administrator'] : [];
}

/** All administrators but the last have a phishing-resistant key. */
function methodsOf(company: Company, person: Person): string[] {
  const { admins } = company;
  const hasFactor = rolesOf(company, person).length > 0 || deriveNumber(24, person.id, 'second factor') > 0;
  const hasKey = person.isAdmin && (admins.length === 1 || person !== admins.at(-1));
  return ['password', ...(hasFactor ? ['microsoftAuthenticator'] : []), ...(hasKey ? ['fido2'] : [])];
}

/** The first employee of a department is its head and reports to the head of the company. */
function managerOf({ employees }: Company, person: Person): Person | null {
  if (person.isGuest) return null;
  const head = employees.find(({ department }) => department === person.department);
  const top = employees.find(({ title }) => title?.includes('Managing Director') || title === 'Practice Director');
  const manager = head === person ? top : head;
  return manager === undefined || manager === person ? null : manager;
}

function sidOf({ plan }: Company, { id }: Person): string {
  const parts = ['a', 'b', 'c', 'd'].map((part) => deriveNumber(4_000_000_000, plan.azureTenantId, id, part));
  return `S-1-12-1-${parts.join('-')}`;
}

export function toReference({ id, displayName }: Person) {
  return { id, name: displayName };
}

/** A former user: the account is deleted after a last state. The name contains an invisible character. */
export function createFormerUser(snapshot: InventorySnapshot): DemoState[] {
  const { azureTenantId, domain } = snapshot.company.plan;
  const id = deriveGuid(azureTenantId, 'former user');
  const last = createEntityState(snapshot, 'user', id, {
    displayName: 'Quirin\u200B Aaldenberg',
    userPrincipalName: `quirin.aaldenberg@${domain}`,
    mail: `quirin.aaldenberg@${domain}`,
    userType: 'member',
    accountEnabled: false,
    isExternal: false,
    roles: [],
    riskLevel: 'none',
    riskState: 'none',
  });
  const removal = {
    topic: 'entity',
    kind: 'user',
    id,
    changedAtMs: last.changedAtMs + 60_000,
    removedBecause: 'left the company',
  } as const;
  return [last, removal];
}
