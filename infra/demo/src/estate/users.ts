import { guidOf, numberOf } from '../chance.ts';
import type { Company, Person } from '../company.ts';
import { type DemoState, shown } from '../demo-state.ts';
import { disabledMs, wasTakenOver } from '../storylines/left-behind.ts';
import { infoCounts, infoIn, one, ownerOf, sharingOf } from './file-facts.ts';
import { groupsOf } from './group-facts.ts';
import { licensesOf } from './license-facts.ts';
import {
  alertsNaming,
  entityState,
  momentBefore,
  openEpisodeCount,
  type Picture,
  recentDetections,
  riskOf,
} from './picture.ts';

const roles = ['Global Administrator', 'Security Administrator', 'User Administrator', 'Exchange Administrator'];

export function userState(picture: Picture, person: Person): DemoState {
  const { company } = picture;
  const { id, isGuest } = person;
  const owned = company.files.filter((file) => ownerOf(company, file) === person);
  const groups = groupsOf(company).filter(({ members }) => members.includes(person));
  const licenses = licensesOf(company).filter(({ holders }) => holders.includes(person));
  const agents = company.agents.filter(({ creator, marks }) => creator === person && !marks.includes('orphan'));
  const manager = managerOf(company, person);
  const held = rolesOf(company, person);
  const alerts = alertsNaming(picture, id);
  const risk = riskOf(picture, id);
  const isTaken = wasTakenOver(company, person);
  const mail = isGuest ? person.userPrincipalName.split('#')[0]?.replace(/_(?=[^_]*$)/, '@') : person.userPrincipalName;
  return entityState(picture, 'user', id, {
    createdAt: momentBefore(picture, 1_500, id, 'created'),
    displayName: person.displayName,
    userPrincipalName: person.userPrincipalName,
    mail,
    userType: isGuest ? 'guest' : 'member',
    accountEnabled: !isTaken,
    isExternal: isGuest,
    externalUserState: isGuest ? (numberOf(3, id) === 0 ? 'pendingAcceptance' : 'accepted') : null,
    department: person.department,
    jobTitle: person.title,
    companyName: isGuest ? (mail?.split('@')[1] ?? null) : company.plan.name,
    country: isGuest ? null : company.plan.country,
    managerId: manager?.id ?? null,
    managerName: manager?.displayName ?? null,
    isAdmin: held.length > 0,
    roles: held.map((name) => ({ name, permanent: name !== 'Reports Reader' })),
    mfaRegistered: methodsOf(company, person).length > 1,
    lastSignInAt: momentBefore(picture, numberOf(15, id) === 0 ? 200 : 5, id, 'signed in'),
    lastNonInteractiveSignInAt: momentBefore(picture, 2, id, 'signed in quietly'),
    riskLevel: risk,
    riskState: risk === 'none' ? 'none' : isTaken ? 'confirmedCompromised' : 'atRisk',
    riskUpdatedAt: risk === 'none' ? null : momentBefore(picture, 2, id, 'risk'),
    licenseSkus: licenses.map(({ partNumber }) => partNumber),
    hasCopilotLicense: licenses.some(({ partNumber }) => partNumber === 'Microsoft_365_Copilot'),
    groupCount: groups.length,
    deviceCount: person.devices.length,
    ownedAgentCount: agents.length,
    ownedAppCount: numberOf(6, id, 'apps') === 0 ? 1 : 0,
    ownedFileCount: owned.length,
    sensitiveFileCount: owned.filter((file) => infoIn(company, file).length > 0).length,
    externalShareCount: owned.filter((file) => sharingOf(company, file).guests.length > 0).length,
    aiInteractionCount30d: numberOf(40, id, 'prompts'),
    openDetectionCount: openEpisodeCount(picture, id),
    openAlertCount: alerts.filter(({ isOpen }) => isOpen).length,
    proxyAddresses: [`SMTP:${mail}`],
    employeeType: isGuest ? null : 'Employee',
    usageLocation: isGuest ? null : company.plan.country,
    onPremisesSyncEnabled: false,
    lastPasswordChangeAt: isTaken
      ? momentBefore(picture, 3, id, 'password')
      : momentBefore(picture, 300, id, 'password'),
    disabledAt: isTaken ? shown(disabledMs(company, picture.atMs)) : null,
    methodsRegistered: methodsOf(company, person),
    sponsors: isGuest ? [reference(one(company.people, id, 'sponsor'))] : [],
    groups: groups.map(({ id: groupId, name }) => ({ id: groupId, name })),
    devices: person.devices.map(({ id: deviceId, name }) => ({ id: deviceId, name })),
    appGrants: company.apps
      .filter(({ aiCategory, appId }) => aiCategory !== null && numberOf(6, id, appId) === 0)
      .map(({ servicePrincipalId, name }) => ({
        appId: servicePrincipalId,
        name,
        scopes: ['User.Read', 'Files.Read'],
        consentType: 'Principal',
      })),
    mailboxForwarding: null,
    externalInboxRuleCount: 0,
    sensitiveInfoTypes: infoCounts(company, owned),
    aliases: { puid: person.puid, sid: sidOf(company, person), googleId: person.googleProfileId },
    recentDetections: recentDetections(picture, id),
    recentAlerts: alerts.slice(0, 5).map(({ id: alert, title }) => ({ id: alert, title })),
  });
}

/** Who was made administrator by the intruder still is one: nobody took that back. */
function rolesOf(company: Company, person: Person): string[] {
  if (person.isAdmin)
    return [one(roles, person.id), ...(numberOf(2, person.id, 'reports') === 0 ? ['Reports Reader'] : [])];
  if (person.title === 'Service Desk Analyst') return ['Helpdesk Administrator'];
  return wasTakenOver(company, person) ? ['Global Administrator'] : [];
}

/** All administrators but the last hold a key that no false page can ask for. */
function methodsOf(company: Company, person: Person): string[] {
  const { admins } = company;
  const hasFactor = rolesOf(company, person).length > 0 || numberOf(24, person.id, 'second factor') > 0;
  const hasKey = person.isAdmin && (admins.length === 1 || person !== admins.at(-1));
  return ['password', ...(hasFactor ? ['microsoftAuthenticator'] : []), ...(hasKey ? ['fido2'] : [])];
}

/** The first of a department leads it, and answers to whoever leads the company. */
function managerOf({ people }: Company, person: Person): Person | null {
  if (person.isGuest) return null;
  const head = people.find(({ department }) => department === person.department);
  const top = people.find(({ title }) => title?.includes('Managing Director') || title === 'Practice Director');
  const manager = head === person ? top : head;
  return manager === undefined || manager === person ? null : manager;
}

function sidOf({ plan }: Company, { id }: Person): string {
  const parts = ['a', 'b', 'c', 'd'].map((part) => numberOf(4_000_000_000, plan.azureTenantId, id, part));
  return `S-1-12-1-${parts.join('-')}`;
}

export function reference({ id, displayName }: Person) {
  return { id, name: displayName };
}

/** Somebody who left: their account is deleted after a last state. The name hides a character that nobody sees. */
export function formerUser(picture: Picture): DemoState[] {
  const { azureTenantId, domain } = picture.company.plan;
  const id = guidOf(azureTenantId, 'former user');
  const last = entityState(picture, 'user', id, {
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
