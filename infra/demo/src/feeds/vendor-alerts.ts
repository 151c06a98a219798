import type { Company } from '../company.ts';
import { listGroups } from '../inventory/group-list.ts';
import { findRecipients, type Mail } from '../inventory/mails.ts';
import type { Random } from '../random.ts';
import {
  type AlertKind,
  createAgentEvidence,
  createAppEvidence,
  createGroupEvidence,
  createMailEvidence,
  createUserEvidence,
  type VendorAlert,
  type Verdict,
} from './vendor-alert.ts';

const mailFilter = { serviceSource: 'microsoftDefenderForOffice365', detectionSource: 'microsoftDefenderForOffice365' };
const cloudApps = { serviceSource: 'microsoftDefenderForCloudApps', detectionSource: 'cloudAppSecurity' };

/** Routine alert kinds, by subject. */
const ordinaryKinds = {
  user: [
    {
      title: 'Sign-in from an unfamiliar place',
      description: 'A sign-in came from a location that is new for this user.',
      severity: 'medium',
      category: 'InitialAccess',
      serviceSource: 'azureAdIdentityProtection',
      detectionSource: 'azureAdIdentityProtection',
      advice:
        'Confirm the sign-in with the user. If the user did not sign in, revoke the sessions and reset the password.',
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
      advice: 'No action is needed, unless the sender is a known contact.',
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

/** One for each unwanted mail, delivered or blocked, and `count` about users, apps, agents and groups. */
export function createRoutineAlerts(
  company: Company,
  random: Random,
  endMs: number,
  options: { mails: readonly Mail[]; count: number },
): VendorAlert[] {
  const aboutMails = options.mails.map((mail) =>
    resolveAlert(company, random, ordinaryKinds.mail[mail.action === 'delivered' ? 0 : 1], mail.sentMs + 600_000, [
      createMailEvidence(mail),
      ...findRecipients(company, mail).map((person) => createUserEvidence(person)),
    ]),
  );
  const others = Array.from({ length: options.count }, () =>
    chooseAlert(company, random, endMs - random.between(2 * 3_600, 29 * 86_400) * 1_000),
  );
  return [...aboutMails, ...others];
}

/** An alert about a user, app, agent or group, with its current state. */
export function chooseAlert(company: Company, random: Random, createdMs: number): VendorAlert {
  const about = random.pick(['user', 'user', 'user', 'app', 'agent', 'group'] as const);
  const kinds: readonly AlertKind[] = ordinaryKinds[about];
  return resolveAlert(company, random, random.pick(kinds), createdMs, chooseEvidence(company, random, about));
}

function chooseEvidence(company: Company, random: Random, about: 'user' | 'app' | 'agent' | 'group') {
  if (about === 'app') return [createAppEvidence(random.pick(company.apps))];
  if (about === 'agent')
    return [
      createAgentEvidence(random.pick(company.agents)),
      createUserEvidence(random.pick(company.employees), 'source'),
    ];
  if (about === 'group') return [createGroupEvidence(random.pick(listGroups(company)))];
  return [createUserEvidence(random.pick(company.employees))];
}

function resolveAlert(
  company: Company,
  random: Random,
  kind: AlertKind,
  createdMs: number,
  evidence: VendorAlert['evidence'],
): VendorAlert {
  const status = random.pick(['new', 'inProgress', 'resolved', 'resolved'] as const);
  const changedMs = status === 'new' ? createdMs : createdMs + random.between(20, 90) * 60_000;
  return {
    kind,
    trigger: createdMs,
    createdMs,
    firstMs: createdMs - random.between(5, 50) * 60_000,
    lastMs: createdMs - 60_000,
    status,
    changedMs,
    verdict: status === 'resolved' ? random.pick(verdicts) : null,
    assignee: status === 'new' ? null : random.pick(company.admins),
    evidence,
  };
}
