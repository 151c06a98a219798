import type { Chance } from '../chance.ts';
import type { Company } from '../company.ts';
import { groupsOf } from '../estate/group-facts.ts';
import { type Mail, recipientsAmong } from '../estate/mails.ts';
import {
  type AlertKind,
  agentEvidence,
  appEvidence,
  groupEvidence,
  mailEvidence,
  userEvidence,
  type VendorAlert,
  type Verdict,
} from './vendor-alert.ts';

const mailFilter = { serviceSource: 'microsoftDefenderForOffice365', detectionSource: 'microsoftDefenderForOffice365' };
const cloudApps = { serviceSource: 'microsoftDefenderForCloudApps', detectionSource: 'cloudAppSecurity' };

/** Alerts of ordinary days, by what they are about. */
const ordinaryKinds = {
  user: [
    {
      title: 'Sign-in from an unfamiliar place',
      description: 'Somebody signed in from a place where the user was never seen.',
      severity: 'medium',
      category: 'InitialAccess',
      serviceSource: 'azureAdIdentityProtection',
      detectionSource: 'azureAdIdentityProtection',
      advice: 'Ask the user. If it was somebody else, revoke the sessions and reset the password.',
    },
    {
      title: 'Suspicious script was stopped',
      description: 'A script that resembles known malware was stopped before it ran.',
      severity: 'low',
      category: 'Execution',
      serviceSource: 'microsoftDefenderForEndpoint',
      detectionSource: 'antivirus',
      advice: 'Look at what started the script.',
      threat: 'Trojan.Hollowreed',
    },
  ],
  mail: [
    {
      title: 'Mail with a malicious link',
      description: 'A mail with a link to a page that steals passwords reached a mailbox.',
      severity: 'high',
      category: 'InitialAccess',
      ...mailFilter,
      advice: 'Remove the mail from all mailboxes and see who opened the link.',
      threat: 'Phish.Lanternfish',
    },
    {
      title: 'Mail with a malicious link was stopped',
      description: 'A mail with a link to a page that steals passwords was kept from the inbox.',
      severity: 'medium',
      category: 'InitialAccess',
      ...mailFilter,
      advice: 'Nothing, unless the sender is somebody you know.',
      threat: 'Phish.Lanternfish',
    },
  ],
  app: [
    {
      title: 'App with unusual access to mail',
      description: 'An app read more mailboxes than it ever did.',
      severity: 'medium',
      category: 'Collection',
      ...cloudApps,
      advice: 'Look at what the app was granted and by whom.',
    },
  ],
  agent: [
    {
      title: 'Prompt injection on an agent',
      description: 'A document that an agent read held instructions for the agent.',
      severity: 'medium',
      category: 'DefenseEvasion',
      serviceSource: 'microsoftDefenderForAIServices',
      detectionSource: 'microsoftDefenderForAIServices',
      advice: 'Look at the document and at what the agent answered.',
    },
  ],
  group: [
    {
      title: 'Members added to a sensitive group',
      description: 'Several members were added to a group that grants access.',
      severity: 'informational',
      category: 'Persistence',
      serviceSource: 'microsoftDefenderForIdentity',
      detectionSource: 'microsoftDefenderForIdentity',
      advice: 'Ask the owner of the group.',
    },
  ],
} as const satisfies Record<string, readonly AlertKind[]>;

const verdicts: readonly Verdict[] = [
  { classification: 'truePositive', determination: 'phishing' },
  { classification: 'truePositive', determination: 'malware' },
  { classification: 'falsePositive', determination: 'notMalicious' },
  { classification: 'informationalExpectedActivity', determination: 'lineOfBusinessApplication' },
];

/** One for each unwanted mail that got through or was caught, and `count` about people, apps, agents and groups. */
export function everydayAlerts(
  company: Company,
  chance: Chance,
  endMs: number,
  options: { mails: readonly Mail[]; count: number },
): VendorAlert[] {
  const aboutMails = options.mails.map((mail) =>
    lived(company, chance, ordinaryKinds.mail[mail.action === 'delivered' ? 0 : 1], mail.sentMs + 600_000, [
      mailEvidence(mail),
      ...recipientsAmong(company, mail).map((person) => userEvidence(person)),
    ]),
  );
  const others = Array.from({ length: options.count }, () =>
    anyAlert(company, chance, endMs - chance.between(2 * 3_600, 29 * 86_400) * 1_000),
  );
  return [...aboutMails, ...others];
}

/** An alert about somebody or something, with what became of it. */
export function anyAlert(company: Company, chance: Chance, createdMs: number): VendorAlert {
  const about = chance.pick(['user', 'user', 'user', 'app', 'agent', 'group'] as const);
  const kinds: readonly AlertKind[] = ordinaryKinds[about];
  return lived(company, chance, chance.pick(kinds), createdMs, evidenceOf(company, chance, about));
}

function evidenceOf(company: Company, chance: Chance, about: 'user' | 'app' | 'agent' | 'group') {
  if (about === 'app') return [appEvidence(chance.pick(company.apps))];
  if (about === 'agent')
    return [agentEvidence(chance.pick(company.agents)), userEvidence(chance.pick(company.people), 'source')];
  if (about === 'group') return [groupEvidence(chance.pick(groupsOf(company)))];
  return [userEvidence(chance.pick(company.people))];
}

function lived(
  company: Company,
  chance: Chance,
  kind: AlertKind,
  createdMs: number,
  evidence: VendorAlert['evidence'],
): VendorAlert {
  const status = chance.pick(['new', 'inProgress', 'resolved', 'resolved'] as const);
  const changedMs = status === 'new' ? createdMs : createdMs + chance.between(20, 90) * 60_000;
  return {
    kind,
    occasion: createdMs,
    createdMs,
    firstMs: createdMs - chance.between(5, 50) * 60_000,
    lastMs: createdMs - 60_000,
    status,
    changedMs,
    verdict: status === 'resolved' ? chance.pick(verdicts) : null,
    assignee: status === 'new' ? null : chance.pick(company.admins),
    evidence,
  };
}
