import type { Agent, App, Company, Person } from '../company.ts';
import { isBroken, lifeOf } from '../estate/agent-life.ts';
import { authoring } from '../records/agents.ts';
import { copilotInteraction } from '../records/copilot.ts';
import { directoryChange, roleGiven, type Target } from '../records/directory.ts';
import { cmdlet } from '../records/exchange.ts';
import type { Beat } from './storyline.ts';
import { storylineStartMs } from './storyline-start.ts';

/** Somebody tried to talk an agent out of its limits, or a document did. */
export interface Probe {
  readonly agent: Agent;
  readonly by: Person;
  readonly daysBefore: number;
  readonly isJailbreak: boolean;
}

const minutesOfDay = 24 * 60;

/** Smaller things that happened in the weeks before; minutes count from the end. */
export function earlierOf(company: Company, endMs: number): readonly Beat[] {
  const [admin, otherAdmin = admin] = company.admins;
  const [desk, app] = [helpDesk(company), consentedApp(company)];
  const ago = (days: number) => -days * minutesOfDay;
  return [
    ...probesOf(company).map(
      ({ agent, by, daysBefore, isJailbreak }): Beat => ({
        afterMinutes: ago(daysBefore),
        by,
        record: (scene) =>
          copilotInteraction(scene, {
            agent,
            files: agent.files.slice(0, 2),
            jailbreak: isJailbreak,
            injection: !isJailbreak,
          }),
      }),
    ),
    ...editionsPublished(company, endMs),
    ...(admin && app ? [consent(admin, app, ago(19))] : []),
    ...(desk && otherAdmin ? [promotion(otherAdmin, desk, ago(roleDaysBefore))] : []),
    ...(company.plan.storyline === 'account takeover' ? forwarding(company, ago(13)) : []),
  ];
}

/** Authors who thought better of what they had told their agents; what the intruder published belongs to the storyline. */
function editionsPublished(company: Company, endMs: number): Beat[] {
  const storyMs = storylineStartMs(company, endMs);
  return company.agents.flatMap((agent) => {
    const later = lifeOf(company, agent, endMs, storyMs).editions.slice(1, isBroken(company, agent) ? -1 : undefined);
    return later.map(
      ({ publishedMs }): Beat => ({
        afterMinutes: (publishedMs - endMs) / 60_000,
        by: agent.creator,
        record: (scene) => authoring(scene, 'BotUpdateOperation-BotPublish', agent),
      }),
    );
  });
}

/** How long before the end the help desk got its role. */
export const roleDaysBefore = 11;

/** One in five to eight agents meets somebody who tries. */
export function probesOf({ agents, people }: Company): readonly Probe[] {
  const days = people.length > 20 ? [4.3, 7.1, 9.2, 12.4, 16.2, 20.3, 25.1] : [6.2, 15.4];
  return days.flatMap((daysBefore, index) => {
    const [agent, by] = [agents[(index * 3 + 1) % agents.length], people[(index * 7 + 4) % people.length]];
    return agent && by ? [{ agent, by, daysBefore, isJailbreak: index % 2 === 0 }] : [];
  });
}

/** Who works at the service desk, in a company that has one. */
export function helpDesk({ people }: Company): Person | undefined {
  return people.find(({ title }) => title === 'Service Desk Analyst');
}

function consentedApp({ apps }: Company): App | undefined {
  return apps.findLast(({ kind, aiCategory }) => kind === 'thirdParty' && aiCategory !== null);
}

function consent(by: Person, app: App, afterMinutes: number): Beat {
  const target: Target = { objectId: app.servicePrincipalId, type: 'ServicePrincipal', name: app.name };
  return {
    afterMinutes,
    by,
    record: (scene) =>
      directoryChange(scene, 'Consent to application.', target, {
        'ConsentContext.IsAdminConsent': 'True',
        'ConsentContext.OnBehalfOfAll': 'True',
        'ConsentAction.Permissions': `[] => [[ClientId: ${app.servicePrincipalId}, ConsentType: AllPrincipals, Scope: User.Read Files.Read]]; `,
      }),
  };
}

function promotion(by: Person, to: Person, afterMinutes: number): Beat {
  return { afterMinutes, by, record: (scene) => roleGiven(scene, to, 'Helpdesk Administrator') };
}

/** A brand lead has mail sent on to an agency; nobody has looked at it. */
function forwarding({ people }: Company, afterMinutes: number): Beat[] {
  const by = people.find(({ title }) => title === 'Brand Lead');
  if (by === undefined) return [];
  return [
    {
      afterMinutes,
      by,
      record: (scene) =>
        cmdlet(scene, 'Set-Mailbox', by.userPrincipalName, {
          Identity: by.userPrincipalName,
          ForwardingSmtpAddress: 'smtp:campaigns@whitlock-design.example',
          DeliverToMailboxAndForward: 'True',
        }),
    },
  ];
}
