import type { EntityKind, Severity } from '@tenantscope/contract';
import { numberOf } from './chance.ts';
import type { Company, Person } from './company.ts';

/** A rule that a company has the service check every few days. */
export interface Policy {
  readonly id: string;
  readonly name: string;
  readonly severity: Severity;
  readonly looksAt: EntityKind;
  readonly description: string;
  readonly createdFrom: 'template' | 'custom' | 'recommendation' | 'system';
  /** What it does by itself where it matches; null: it only tells. */
  readonly does: string | null;
  /** About how many resources match, in a company of forty people. */
  readonly usual: number;
}

export const policies: readonly Policy[] = [
  {
    id: 'policy-anonymous-links',
    name: 'Confidential files that anyone can open',
    severity: 'high',
    looksAt: 'file',
    description: 'Files with a label of Confidential or above that have a link for anyone.',
    createdFrom: 'template',
    does: 'removeSharingLink',
    usual: 4,
  },
  {
    id: 'policy-guest-access',
    name: 'Guests in confidential sites',
    severity: 'medium',
    looksAt: 'site',
    description: 'Sites with confidential content that guests can open.',
    createdFrom: 'template',
    does: 'removeExternalAccess',
    usual: 2,
  },
  {
    id: 'policy-agents-wide-reach',
    name: 'Agents that reach the whole organization',
    severity: 'critical',
    looksAt: 'agent',
    description: 'Deployed agents with a permission that covers all sites or all mailboxes.',
    createdFrom: 'recommendation',
    does: 'blockAgent',
    usual: 1,
  },
  {
    id: 'policy-agents-without-owner',
    name: 'Agents nobody answers for',
    severity: 'medium',
    looksAt: 'agent',
    description: 'Agents without an owner, a sponsor or an assignment.',
    createdFrom: 'template',
    does: 'assignOwner',
    usual: 2,
  },
  {
    id: 'policy-ai-apps-unverified',
    name: 'AI apps of unverified publishers',
    severity: 'high',
    looksAt: 'app',
    description: 'AI apps with delegated access whose publisher nobody verified.',
    createdFrom: 'recommendation',
    does: 'disableApp',
    usual: 3,
  },
  {
    id: 'policy-app-credentials',
    name: 'App credentials about to expire',
    severity: 'low',
    looksAt: 'app',
    description: 'Secrets and certificates of own apps that expire within 30 days.',
    createdFrom: 'template',
    does: null,
    usual: 2,
  },
  {
    id: 'policy-admins-without-mfa',
    name: 'Administrators without a second factor',
    severity: 'critical',
    looksAt: 'user',
    description: 'Holders of a directory role who registered no second factor.',
    createdFrom: 'system',
    does: 'requireMfa',
    usual: 0,
  },
  {
    id: 'policy-dormant-users',
    name: 'Accounts without a sign-in for 90 days',
    severity: 'low',
    looksAt: 'user',
    description: 'Enabled accounts that nobody signed in to for 90 days.',
    createdFrom: 'template',
    does: null,
    usual: 3,
  },
  {
    id: 'policy-external-forwarding',
    name: 'Mail forwarded outside',
    severity: 'high',
    looksAt: 'user',
    description: 'Mailboxes and inbox rules that forward to another organization.',
    createdFrom: 'custom',
    does: 'disableForwarding',
    usual: 0,
  },
  {
    id: 'policy-noncompliant-devices',
    name: 'Managed devices that do not comply',
    severity: 'medium',
    looksAt: 'device',
    description: 'Managed devices whose compliance policy failed.',
    createdFrom: 'custom',
    does: null,
    usual: 5,
  },
  {
    id: 'policy-groups-without-owner',
    name: 'Groups without an owner',
    severity: 'informational',
    looksAt: 'group',
    description: 'Groups that nobody owns.',
    createdFrom: 'template',
    does: null,
    usual: 3,
  },
  {
    id: 'policy-restricted-data-in-ai',
    name: 'Restricted data within reach of AI',
    severity: 'high',
    looksAt: 'sensitiveInfoType',
    description: 'Kinds of content declared closed to AI that an agent or an AI app can read.',
    createdFrom: 'custom',
    does: 'restrictSite',
    usual: 2,
  },
];

export function policyOf(id: string): Policy {
  const found = policies.find((policy) => policy.id === id);
  if (found === undefined) throw new Error(`no policy is called ${id}`);
  return found;
}

/** The administrator who handles what a policy finds. */
export function handlerOf({ admins, people }: Company, policy: Policy): Person {
  const [first] = people;
  const handler = admins[numberOf(admins.length, policy.id)] ?? first;
  if (handler === undefined) throw new Error('the company has nobody to handle anything');
  return handler;
}
