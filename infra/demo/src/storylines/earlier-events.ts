import type { Agent, App, Company, Person } from '../company.ts';
import { buildAgentHistory, isCompromised } from '../inventory/agent-history.ts';
import { authoring } from '../records/agents.ts';
import { copilotInteraction } from '../records/copilot.ts';
import { directoryChange, roleGiven, type Target } from '../records/directory.ts';
import { cmdlet } from '../records/exchange.ts';
import type { StorylineEvent } from './storyline-event.ts';
import { storylineStartMs } from './storyline-start.ts';

/** An attempt to bypass the limits of an agent, by a user or by a document. */
export interface AttackAttempt {
  readonly agent: Agent;
  readonly by: Person;
  readonly daysBefore: number;
  readonly isJailbreak: boolean;
}

const minutesOfDay = 24 * 60;

/** Smaller events of the weeks before; minutes are relative to the end. */
export function createEarlierEvents(company: Company, endMs: number): readonly StorylineEvent[] {
  const [admin, otherAdmin = admin] = company.admins;
  const [supportAnalyst, app] = [findSupportAnalyst(company), consentedApp(company)];
  const ago = (days: number) => -days * minutesOfDay;
  return [
    ...listAttackAttempts(company).map(
      ({ agent, by, daysBefore, isJailbreak }): StorylineEvent => ({
        offsetMinutes: ago(daysBefore),
        by,
        record: (context) =>
          copilotInteraction(context, {
            agent,
            files: agent.files.slice(0, 2),
            jailbreak: isJailbreak,
            injection: !isJailbreak,
          }),
      }),
    ),
    ...publishVersions(company, endMs),
    ...(admin && app ? [grantConsent(admin, app, ago(19))] : []),
    ...(supportAnalyst && otherAdmin ? [grantRole(otherAdmin, supportAnalyst, ago(roleDaysBefore))] : []),
    ...(company.plan.storyline === 'account takeover' ? forwardMail(company, ago(13)) : []),
  ];
}

/** Authors publish changed agent instructions; the intruder's version belongs to the storyline. */
function publishVersions(company: Company, endMs: number): StorylineEvent[] {
  const storylineMs = storylineStartMs(company, endMs);
  return company.agents.flatMap((agent) => {
    const later = buildAgentHistory(company, agent, endMs, storylineMs).versions.slice(
      1,
      isCompromised(company, agent) ? -1 : undefined,
    );
    return later.map(
      ({ publishedMs }): StorylineEvent => ({
        offsetMinutes: (publishedMs - endMs) / 60_000,
        by: agent.creator,
        record: (context) => authoring(context, 'BotUpdateOperation-BotPublish', agent),
      }),
    );
  });
}

/** How many days before the end the support analyst got the role. */
export const roleDaysBefore = 11;

/** One in five to eight agents is attacked. */
export function listAttackAttempts({ agents, employees }: Company): readonly AttackAttempt[] {
  const days = employees.length > 20 ? [4.3, 7.1, 9.2, 12.4, 16.2, 20.3, 25.1] : [6.2, 15.4];
  return days.flatMap((daysBefore, index) => {
    const [agent, by] = [agents[(index * 3 + 1) % agents.length], employees[(index * 7 + 4) % employees.length]];
    return agent && by ? [{ agent, by, daysBefore, isJailbreak: index % 2 === 0 }] : [];
  });
}

/** The service desk analyst of a company, if it has one. */
export function findSupportAnalyst({ employees }: Company): Person | undefined {
  return employees.find(({ title }) => title === 'Service Desk Analyst');
}

function consentedApp({ apps }: Company): App | undefined {
  return apps.findLast(({ kind, aiCategory }) => kind === 'thirdParty' && aiCategory !== null);
}

function grantConsent(by: Person, app: App, afterMinutes: number): StorylineEvent {
  const target: Target = { objectId: app.servicePrincipalId, type: 'ServicePrincipal', name: app.name };
  return {
    offsetMinutes: afterMinutes,
    by,
    record: (context) =>
      directoryChange(context, 'Consent to application.', target, {
        'ConsentContext.IsAdminConsent': 'True',
        'ConsentContext.OnBehalfOfAll': 'True',
        'ConsentAction.Permissions': `[] => [[ClientId: ${app.servicePrincipalId}, ConsentType: AllPrincipals, Scope: User.Read Files.Read]]; `,
      }),
  };
}

function grantRole(by: Person, to: Person, afterMinutes: number): StorylineEvent {
  return { offsetMinutes: afterMinutes, by, record: (context) => roleGiven(context, to, 'Helpdesk Administrator') };
}

/** A brand lead forwards mail to an agency; the forwarding is not reviewed. */
function forwardMail({ employees }: Company, afterMinutes: number): StorylineEvent[] {
  const by = employees.find(({ title }) => title === 'Brand Lead');
  if (by === undefined) return [];
  return [
    {
      offsetMinutes: afterMinutes,
      by,
      record: (context) =>
        cmdlet(context, 'Set-Mailbox', by.userPrincipalName, {
          Identity: by.userPrincipalName,
          ForwardingSmtpAddress: 'smtp:campaigns@whitlock-design.example',
          DeliverToMailboxAndForward: 'True',
        }),
    },
  ];
}
