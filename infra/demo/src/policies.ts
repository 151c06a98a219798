import type { EntityKind, Severity } from '@tenantscope/contract';
import type { Company, Person } from './company.ts';
import { deriveNumber } from './random.ts';

/** A policy that the service scans every few days. */
export interface Policy {
  readonly id: string;
  readonly name: string;
  readonly severity: Severity;
  readonly resourceType: EntityKind;
  readonly description: string;
  readonly createdFrom: 'template' | 'custom' | 'recommendation' | 'system';
  /** The automatic action on a match; null: it only notifies. */
  readonly actionType: string | null;
  /** About how many resources match, in a company of forty people. */
  readonly usualMatches: number;
}

export const policies: readonly Policy[] = [
  {
    id: 'policy-anonymous-links',
    name: 'Confidential files that anyone can open',
    severity: 'high',
    resourceType: 'file',
    description: 'Files with a label of Confidential or above that have a link for anyone.',
    createdFrom: 'template',
    actionType: 'removeSharingLink',
    usualMatches: 4,
  },
  {
    id: 'policy-guest-access',
    name: 'Guests in confidential sites',
    severity: 'medium',
    resourceType: 'site',
    description: 'Sites with confidential content that guests can open.',
    createdFrom: 'template',
    actionType: 'removeExternalAccess',
    usualMatches: 2,
  },
  {
    id: 'policy-agents-wide-reach',
    name: 'Agents that reach the whole organization',
    severity: 'critical',
    resourceType: 'agent',
    description: 'Deployed agents with a permission that covers all sites or all mailboxes.',
    createdFrom: 'recommendation',
    actionType: 'blockAgent',
    usualMatches: 1,
  },
  {
    id: 'policy-agents-without-owner',
    name: 'Agents without an accountable owner',
    severity: 'medium',
    resourceType: 'agent',
    description: 'Agents without an owner, a sponsor or an assignment.',
    createdFrom: 'template',
    actionType: 'assignOwner',
    usualMatches: 2,
  },
  {
    id: 'policy-ai-apps-unverified',
    name: 'AI apps of unverified publishers',
    severity: 'high',
    resourceType: 'app',
    description: 'AI apps with delegated access and an unverified publisher.',
    createdFrom: 'recommendation',
    actionType: 'disableApp',
    usualMatches: 3,
  },
  {
    id: 'policy-app-credentials',
    name: 'App credentials about to expire',
    severity: 'low',
    resourceType: 'app',
    description: 'Secrets and certificates of own apps that expire within 30 days.',
    createdFrom: 'template',
    actionType: null,
    usualMatches: 2,
  },
  {
    id: 'policy-admins-without-mfa',
    name: 'Administrators without a second factor',
    severity: 'critical',
    resourceType: 'user',
    description: 'Holders of a directory role who registered no second factor.',
    createdFrom: 'system',
    actionType: 'requireMfa',
    usualMatches: 0,
  },
  {
    id: 'policy-dormant-users',
    name: 'Accounts without a sign-in for 90 days',
    severity: 'low',
    resourceType: 'user',
    description: 'Enabled accounts without a sign-in for 90 days.',
    createdFrom: 'template',
    actionType: null,
    usualMatches: 3,
  },
  {
    id: 'policy-external-forwarding',
    name: 'Mail forwarded outside',
    severity: 'high',
    resourceType: 'user',
    description: 'Mailboxes and inbox rules that forward to another organization.',
    createdFrom: 'custom',
    actionType: 'disableForwarding',
    usualMatches: 0,
  },
  {
    id: 'policy-noncompliant-devices',
    name: 'Managed devices that do not comply',
    severity: 'medium',
    resourceType: 'device',
    description: 'Managed devices whose compliance policy failed.',
    createdFrom: 'custom',
    actionType: null,
    usualMatches: 5,
  },
  {
    id: 'policy-groups-without-owner',
    name: 'Groups without an owner',
    severity: 'informational',
    resourceType: 'group',
    description: 'Groups without an owner.',
    createdFrom: 'template',
    actionType: null,
    usualMatches: 3,
  },
  {
    id: 'policy-restricted-data-in-ai',
    name: 'Restricted data within reach of AI',
    severity: 'high',
    resourceType: 'sensitiveInfoType',
    description: 'Kinds of content declared closed to AI that an agent or an AI app can read.',
    createdFrom: 'custom',
    actionType: 'restrictSite',
    usualMatches: 2,
  },
];

export function findPolicy(id: string): Policy {
  const found = policies.find((policy) => policy.id === id);
  if (found === undefined) throw new Error(`no policy is called ${id}`);
  return found;
}

/** The administrator who handles what a policy finds. */
export function chooseHandler({ admins, employees }: Company, policy: Policy): Person {
  const [first] = employees;
  const handler = admins[deriveNumber(admins.length, policy.id)] ?? first;
  if (handler === undefined) throw new Error('the company has no employees');
  return handler;
}
