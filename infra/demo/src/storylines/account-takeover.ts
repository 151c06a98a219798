import type { ActivityContext } from '../activity.ts';
import type { Company } from '../company.ts';
import { intruderDevice } from '../devices.ts';
import type { Random } from '../random.ts';
import { agentManaged, authoring } from '../records/agents.ts';
import { copilotInteraction } from '../records/copilot.ts';
import { dlpOnFile } from '../records/data-loss.ts';
import { directoryChange, loggedIn, loginFailed, mistyped, roleGiven, user } from '../records/directory.ts';
import { cmdlet, mailItemsAccessed } from '../records/exchange.ts';
import { fileRecord, sharing } from '../records/sharepoint.ts';
import { signInOfPerson } from '../records/sign-in.ts';
import { alert, phishingMail } from '../records/threats.ts';
import type { StorylineEvent } from './storyline-event.ts';
import { createPhishingMail, findParticipants, type Participants } from './takeover-participants.ts';

/**
 * A controller answers a phishing mail. The intruder signs in from abroad, hides the replies with an inbox rule, reads mail, downloads
 * the finance site, shares it outside, is made administrator through a second stolen session, and turns the
 * controller's agent into one that reaches everything. Then the security team responds.
 */
export function createAccountTakeover(company: Company, random: Random): readonly StorylineEvent[] {
  const participants = findParticipants(company);
  return [
    ...signInAsVictim(company, participants),
    ...stealData(participants, random),
    ...escalatePrivileges(participants),
    ...abuseAgent(participants, random),
    ...respond(participants),
  ];
}

const abroad = { device: intruderDevice, address: '203.0.113.66' };
const intruderLocation = { city: 'Port Astrel', country: 'ZZ' };

/** A phishing mail, refused sign-ins from abroad, and one with a stolen session. */
function signInAsVictim(company: Company, { victim }: Participants): readonly StorylineEvent[] {
  return [
    {
      offsetMinutes: 0,
      by: victim,
      record: (context) => phishingMail(context, createPhishingMail(company)),
    },
    ...repeatEvent(6, 14, 1, (index) => ({
      by: victim,
      from: abroad,
      format: 'entra.signin.graph' as const,
      record: (context: ActivityContext) =>
        signInOfPerson(context, { ...intruderLocation, errorCode: index < 5 ? 50126 : 50076, riskLevel: 'medium' }),
    })),
    ...repeatEvent(4, 15, 1.5, () => ({
      by: victim,
      from: abroad,
      record: (context: ActivityContext) => loginFailed(context, mistyped),
    })),
    {
      offsetMinutes: 22,
      by: victim,
      from: abroad,
      format: 'entra.signin.graph',
      record: (context) => signInOfPerson(context, { ...intruderLocation, riskLevel: 'high' }),
    },
    { offsetMinutes: 22.2, by: victim, from: abroad, record: loggedIn },
  ];
}

/** An inbox rule hides the replies; mail is read and the finance site downloaded and shared outside. */
function stealData({ victim, account, stolenFiles }: Participants, random: Random): readonly StorylineEvent[] {
  return [
    {
      offsetMinutes: 27,
      by: victim,
      from: abroad,
      record: (context) =>
        cmdlet(context, 'New-InboxRule', `${account}\\..`, {
          Name: '..',
          SubjectOrBodyContainsWords: 'invoice;phish;password;bank',
          ForwardTo: 'collector@mailhold.test',
          DeleteMessage: 'True',
        }),
    },
    ...repeatEvent(8, 30, 3, () => ({
      by: victim,
      from: abroad,
      record: (context: ActivityContext) => mailItemsAccessed(context, 'Sync', 40),
    })),
    ...repeatEvent(110, 58, 0.18, () => ({
      by: victim,
      from: abroad,
      record: (context: ActivityContext) => fileRecord(context, 'FileDownloaded', random.pick(stolenFiles)),
    })),
    ...repeatEvent(5, 80, 2, (index) => ({
      by: victim,
      from: abroad,
      record: (context: ActivityContext) =>
        sharing(context, 'AnonymousLinkCreated', stolenFiles[index] ?? random.pick(stolenFiles), {
          EventData: '<Type>Edit</Type>',
        }),
    })),
    {
      offsetMinutes: 82,
      by: victim,
      record: (context) => dlpOnFile(context, stolenFiles[0] ?? random.pick(stolenFiles), 'High'),
    },
  ];
}

/** A second stolen session consents to an application, makes the victim an administrator and switches the audit log off. */
function escalatePrivileges({ victim, second, consentedApp }: Participants): readonly StorylineEvent[] {
  return [
    { offsetMinutes: 121, by: second, from: abroad, record: loggedIn },
    {
      offsetMinutes: 124,
      by: second,
      from: abroad,
      record: (context) =>
        directoryChange(context, 'Consent to application.', consentedApp, {
          'ConsentContext.IsAdminConsent': 'True',
          'ConsentContext.OnBehalfOfAll': 'True',
          'ConsentAction.Permissions': `[] => [[ClientId: ${consentedApp.objectId}, ConsentType: AllPrincipals, Scope: Files.Read.All Mail.Read]]; `,
        }),
    },
    {
      offsetMinutes: 126,
      by: second,
      from: abroad,
      record: (context) => roleGiven(context, victim, 'Global Administrator'),
    },
    {
      offsetMinutes: 128,
      by: second,
      from: abroad,
      record: (context) =>
        cmdlet(context, 'Set-AdminAuditLogConfig', 'Admin Audit Log Settings', {
          UnifiedAuditLogIngestionEnabled: 'False',
        }),
    },
  ];
}

/** The victim's agent loses its authentication, reaches every user and is attacked with prompts. */
function abuseAgent(
  { victim, second, colleagues, agent, stolenFiles }: Participants,
  random: Random,
): readonly StorylineEvent[] {
  return [
    {
      offsetMinutes: 140,
      by: victim,
      from: abroad,
      record: (context) => authoring(context, 'BotComponentUpdate', agent),
    },
    {
      offsetMinutes: 142,
      by: victim,
      from: abroad,
      record: (context) => authoring(context, 'BotUpdateOperation-BotAuthUpdate', agent),
    },
    {
      offsetMinutes: 143,
      by: victim,
      from: abroad,
      record: (context) => authoring(context, 'BotUpdateOperation-BotShare', agent),
    },
    {
      offsetMinutes: 145,
      by: victim,
      from: abroad,
      record: (context) => authoring(context, 'BotUpdateOperation-BotPublish', agent),
    },
    {
      offsetMinutes: 147,
      by: second,
      from: abroad,
      record: (context) => agentManaged(context, 'DeployedAgent', agent, { forAllUsers: true }),
    },
    ...repeatEvent(12, 150, 2, (index) => ({
      by: index < 6 ? victim : random.pick(colleagues),
      ...(index < 6 ? { from: abroad } : {}),
      record: (context: ActivityContext) =>
        copilotInteraction(context, {
          agent,
          files: [random.pick(stolenFiles), random.pick(stolenFiles), random.pick(stolenFiles)],
          jailbreak: index === 1 || index === 3,
          injection: index === 8,
        }),
    })),
  ];
}

/** Alerts fire; a responder blocks the agent, disables the account and undoes the changes. */
function respond({ victim, second, responder, agent, account }: Participants): readonly StorylineEvent[] {
  return [
    { offsetMinutes: 178, by: victim, record: (context) => alert(context, 'AlertTriggered', massDownload, victim) },
    { offsetMinutes: 181, by: second, record: (context) => alert(context, 'AlertTriggered', suspiciousAgent, second) },
    {
      offsetMinutes: 195,
      by: responder,
      record: (context) => agentManaged(context, 'BlockedAgent', agent, { forAllUsers: true }),
    },
    {
      offsetMinutes: 197,
      by: responder,
      record: (context) => directoryChange(context, 'Disable account.', user(victim)),
    },
    {
      offsetMinutes: 198,
      by: responder,
      record: (context) => directoryChange(context, 'Reset user password.', user(victim)),
    },
    {
      offsetMinutes: 199,
      by: responder,
      record: (context) => directoryChange(context, 'Reset user password.', user(second)),
    },
    {
      offsetMinutes: 203,
      by: responder,
      record: (context) =>
        cmdlet(context, 'Set-AdminAuditLogConfig', 'Admin Audit Log Settings', {
          UnifiedAuditLogIngestionEnabled: 'True',
        }),
    },
    {
      offsetMinutes: 205,
      by: responder,
      record: (context) => cmdlet(context, 'Remove-InboxRule', `${account}\\..`, { Identity: '..' }),
    },
    {
      offsetMinutes: 260,
      by: responder,
      record: (context) =>
        alert(context, 'AlertUpdated', massDownload, victim, {
          status: 'Resolved',
          raisedMs: context.atMs - 82 * 60_000,
        }),
    },
  ];
}

const massDownload = {
  name: 'Mass download by a single user',
  category: 'DataLossPrevention',
  severity: 'High',
  operation: 'FileDownloaded',
} as const;

const suspiciousAgent = {
  name: 'Agent with access to the whole organization',
  category: 'ThreatManagement',
  severity: 'High',
  operation: 'DeployedAgent',
} as const;

function repeatEvent(
  times: number,
  fromMinutes: number,
  everyMinutes: number,
  createEvent: (index: number) => Omit<StorylineEvent, 'offsetMinutes'>,
): StorylineEvent[] {
  return Array.from({ length: times }, (_, index) => ({
    ...createEvent(index),
    offsetMinutes: fromMinutes + index * everyMinutes,
  }));
}
