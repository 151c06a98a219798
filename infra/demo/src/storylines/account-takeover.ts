import { type Chance, guidOf } from '../chance.ts';
import { type Company, type File, personNamed } from '../company.ts';
import { strangersMachine } from '../devices.ts';
import { agentManaged, authoring } from '../records/agents.ts';
import { copilotInteraction } from '../records/copilot.ts';
import { dlpOnFile } from '../records/data-loss.ts';
import {
  directoryChange,
  loggedIn,
  loginFailed,
  mistyped,
  roleGiven,
  type Target,
  user,
} from '../records/directory.ts';
import { cmdlet, mailItemsAccessed } from '../records/exchange.ts';
import { fileRecord, sharing } from '../records/sharepoint.ts';
import { signInOfPerson } from '../records/sign-in.ts';
import { alert, type Lure, phishingMail } from '../records/threats.ts';
import type { Scene } from '../scene.ts';
import type { Beat } from './storyline.ts';

/**
 * A controller answers a phishing mail. The intruder signs in from abroad, hides the answers with an inbox rule, reads mail, takes
 * the finance site away, shares it outside, is made administrator through a second stolen session, and turns the
 * controller's agent into one that reaches everything. Then people notice.
 */
export function accountTakeover(company: Company, chance: Chance): readonly Beat[] {
  const victim = personNamed(company.people, 'Teun Verhagen');
  const second = personNamed(company.people, 'Casper Dahl');
  const responder = personNamed(company.people, 'Sybren Hoekstra');
  const colleagues = company.people.filter((person) => person !== victim && !person.isAdmin);
  const loot = lootOf(company);
  const agent = company.agents.find((candidate) => candidate.creator === victim);
  if (!agent) throw new Error('the storyline needs an agent of the victim');
  const abroad = { device: strangersMachine, address: '203.0.113.66' };
  const elsewhere = { city: 'Port Astrel', country: 'ZZ' };
  const harvester = company.apps.find((app) => app.name === 'NoteHarvest AI');
  const consented: Target = {
    objectId: harvester?.servicePrincipalId ?? agent.servicePrincipalId,
    type: 'ServicePrincipal',
    name: harvester?.name ?? agent.name,
  };
  const account = victim.userPrincipalName.split('@')[0];

  return [
    {
      afterMinutes: 0,
      by: victim,
      record: (scene) => phishingMail(scene, lureOf(company)),
    },
    ...repeated(6, 14, 1, (index) => ({
      by: victim,
      from: abroad,
      format: 'entra.signin.graph' as const,
      record: (scene: Scene) =>
        signInOfPerson(scene, { ...elsewhere, errorCode: index < 5 ? 50126 : 50076, riskLevel: 'medium' }),
    })),
    ...repeated(4, 15, 1.5, () => ({
      by: victim,
      from: abroad,
      record: (scene: Scene) => loginFailed(scene, mistyped),
    })),
    {
      afterMinutes: 22,
      by: victim,
      from: abroad,
      format: 'entra.signin.graph',
      record: (scene) => signInOfPerson(scene, { ...elsewhere, riskLevel: 'high' }),
    },
    { afterMinutes: 22.2, by: victim, from: abroad, record: loggedIn },
    {
      afterMinutes: 27,
      by: victim,
      from: abroad,
      record: (scene) =>
        cmdlet(scene, 'New-InboxRule', `${account}\\..`, {
          Name: '..',
          SubjectOrBodyContainsWords: 'invoice;phish;password;bank',
          ForwardTo: 'collector@mailhold.test',
          DeleteMessage: 'True',
        }),
    },
    ...repeated(8, 30, 3, () => ({
      by: victim,
      from: abroad,
      record: (scene: Scene) => mailItemsAccessed(scene, 'Sync', 40),
    })),
    ...repeated(110, 58, 0.18, () => ({
      by: victim,
      from: abroad,
      record: (scene: Scene) => fileRecord(scene, 'FileDownloaded', chance.pick(loot)),
    })),
    ...repeated(5, 80, 2, (index) => ({
      by: victim,
      from: abroad,
      record: (scene: Scene) =>
        sharing(scene, 'AnonymousLinkCreated', loot[index] ?? chance.pick(loot), { EventData: '<Type>Edit</Type>' }),
    })),
    { afterMinutes: 82, by: victim, record: (scene) => dlpOnFile(scene, loot[0] ?? chance.pick(loot), 'High') },
    { afterMinutes: 121, by: second, from: abroad, record: loggedIn },
    {
      afterMinutes: 124,
      by: second,
      from: abroad,
      record: (scene) =>
        directoryChange(scene, 'Consent to application.', consented, {
          'ConsentContext.IsAdminConsent': 'True',
          'ConsentContext.OnBehalfOfAll': 'True',
          'ConsentAction.Permissions': `[] => [[ClientId: ${consented.objectId}, ConsentType: AllPrincipals, Scope: Files.Read.All Mail.Read]]; `,
        }),
    },
    {
      afterMinutes: 126,
      by: second,
      from: abroad,
      record: (scene) => roleGiven(scene, victim, 'Global Administrator'),
    },
    {
      afterMinutes: 128,
      by: second,
      from: abroad,
      record: (scene) =>
        cmdlet(scene, 'Set-AdminAuditLogConfig', 'Admin Audit Log Settings', {
          UnifiedAuditLogIngestionEnabled: 'False',
        }),
    },
    { afterMinutes: 140, by: victim, from: abroad, record: (scene) => authoring(scene, 'BotComponentUpdate', agent) },
    {
      afterMinutes: 142,
      by: victim,
      from: abroad,
      record: (scene) => authoring(scene, 'BotUpdateOperation-BotAuthUpdate', agent),
    },
    {
      afterMinutes: 143,
      by: victim,
      from: abroad,
      record: (scene) => authoring(scene, 'BotUpdateOperation-BotShare', agent),
    },
    {
      afterMinutes: 145,
      by: victim,
      from: abroad,
      record: (scene) => authoring(scene, 'BotUpdateOperation-BotPublish', agent),
    },
    {
      afterMinutes: 147,
      by: second,
      from: abroad,
      record: (scene) => agentManaged(scene, 'DeployedAgent', agent, { forAllUsers: true }),
    },
    ...repeated(12, 150, 2, (index) => ({
      by: index < 6 ? victim : chance.pick(colleagues),
      ...(index < 6 ? { from: abroad } : {}),
      record: (scene: Scene) =>
        copilotInteraction(scene, {
          agent,
          files: [chance.pick(loot), chance.pick(loot), chance.pick(loot)],
          jailbreak: index === 1 || index === 3,
          injection: index === 8,
        }),
    })),
    { afterMinutes: 178, by: victim, record: (scene) => alert(scene, 'AlertTriggered', massDownload, victim) },
    { afterMinutes: 181, by: second, record: (scene) => alert(scene, 'AlertTriggered', suspiciousAgent, second) },
    {
      afterMinutes: 195,
      by: responder,
      record: (scene) => agentManaged(scene, 'BlockedAgent', agent, { forAllUsers: true }),
    },
    { afterMinutes: 197, by: responder, record: (scene) => directoryChange(scene, 'Disable account.', user(victim)) },
    {
      afterMinutes: 198,
      by: responder,
      record: (scene) => directoryChange(scene, 'Reset user password.', user(victim)),
    },
    {
      afterMinutes: 199,
      by: responder,
      record: (scene) => directoryChange(scene, 'Reset user password.', user(second)),
    },
    {
      afterMinutes: 203,
      by: responder,
      record: (scene) =>
        cmdlet(scene, 'Set-AdminAuditLogConfig', 'Admin Audit Log Settings', {
          UnifiedAuditLogIngestionEnabled: 'True',
        }),
    },
    {
      afterMinutes: 205,
      by: responder,
      record: (scene) => cmdlet(scene, 'Remove-InboxRule', `${account}\\..`, { Identity: '..' }),
    },
    {
      afterMinutes: 260,
      by: responder,
      record: (scene) =>
        alert(scene, 'AlertUpdated', massDownload, victim, { status: 'Resolved', raisedMs: scene.atMs - 82 * 60_000 }),
    },
  ];
}

/** What the intruder was after. */
export function lootOf({ files }: Company): readonly File[] {
  return files.filter((file) => file.site.name === 'Finance' || file.label === 'Highly Confidential');
}

/** The mail it began with. */
export function lureOf({ plan }: Company): Lure {
  return {
    sender: 'billing@quillb0ard.test',
    senderIp: '203.0.113.9',
    subject: 'Your invoice could not be paid',
    networkMessageId: guidOf(plan.azureTenantId, 'phishing mail'),
  };
}

const massDownload = {
  name: 'Mass download by a single user',
  category: 'DataLossPrevention',
  severity: 'High',
  operation: 'FileDownloaded',
} as const;

const suspiciousAgent = {
  name: 'Agent with access to the whole organisation',
  category: 'ThreatManagement',
  severity: 'High',
  operation: 'DeployedAgent',
} as const;

function repeated(
  times: number,
  fromMinutes: number,
  everyMinutes: number,
  beat: (index: number) => Omit<Beat, 'afterMinutes'>,
): Beat[] {
  return Array.from({ length: times }, (_, index) => ({
    ...beat(index),
    afterMinutes: fromMinutes + index * everyMinutes,
  }));
}
