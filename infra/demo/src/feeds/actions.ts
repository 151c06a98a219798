import type { EntityKind } from '@tenantscope/contract';
import type { Chance } from '../chance.ts';
import type { Company } from '../company.ts';
import { handlerOf, policies } from '../policies.ts';
import type { ActionKind, ActionPlan, ActorKind, Rung } from './action.ts';
import { anySubject } from './subjects.ts';

export const actionKinds = {
  removeSharingLink: { type: 'removeSharingLink', name: 'Remove sharing links', isIrreversible: false },
  removeExternalAccess: { type: 'removeExternalAccess', name: 'Remove external access', isIrreversible: false },
  restrictSite: { type: 'restrictSite', name: 'Restrict site', isIrreversible: false },
  applyLabel: { type: 'applyLabel', name: 'Apply sensitivity label', isIrreversible: false },
  deleteFile: { type: 'deleteFile', name: 'Delete file', isIrreversible: true },
  blockAgent: { type: 'blockAgent', name: 'Block agent', isIrreversible: false },
  assignOwner: { type: 'assignOwner', name: 'Assign an owner', isIrreversible: false },
  disableApp: { type: 'disableApp', name: 'Disable app', isIrreversible: false },
  revokeConsent: { type: 'revokeConsent', name: 'Revoke consent', isIrreversible: true },
  disableUser: { type: 'disableUser', name: 'Disable account', isIrreversible: false },
  revokeSessions: { type: 'revokeSessions', name: 'Revoke sessions', isIrreversible: true },
  resetPassword: { type: 'resetPassword', name: 'Reset password', isIrreversible: true },
  requireMfa: { type: 'requireMfa', name: 'Require a second factor', isIrreversible: false },
  removeGroupMember: { type: 'removeGroupMember', name: 'Remove group member', isIrreversible: false },
  removeInboxRule: { type: 'removeInboxRule', name: 'Remove inbox rule', isIrreversible: true },
  disableForwarding: { type: 'disableForwarding', name: 'Disable forwarding', isIrreversible: false },
  retireDevice: { type: 'retireDevice', name: 'Retire device', isIrreversible: true },
  notifyOwner: { type: 'notifyOwner', name: 'Notify owner', isIrreversible: true },
} as const satisfies Record<string, ActionKind>;

const kindsOn: Partial<Record<EntityKind, readonly ActionKind[]>> = {
  file: [actionKinds.removeSharingLink, actionKinds.applyLabel, actionKinds.deleteFile],
  site: [actionKinds.removeExternalAccess, actionKinds.restrictSite],
  agent: [actionKinds.blockAgent, actionKinds.assignOwner],
  app: [actionKinds.disableApp, actionKinds.revokeConsent],
  user: [actionKinds.requireMfa, actionKinds.revokeSessions, actionKinds.disableForwarding],
  group: [actionKinds.removeGroupMember, actionKinds.notifyOwner],
  device: [actionKinds.retireDevice, actionKinds.notifyOwner],
};

const lives: readonly { readonly weight: number; readonly steps: readonly Rung[] }[] = [
  { weight: 3, steps: ['staged'] },
  { weight: 2, steps: ['staged', 'approved'] },
  { weight: 2, steps: ['staged', 'rejected'] },
  { weight: 3, steps: ['staged', 'approved', 'applied'] },
  { weight: 9, steps: ['staged', 'approved', 'applied', 'confirmed'] },
  { weight: 2, steps: ['staged', 'approved', 'failed'] },
  { weight: 2, steps: ['staged', 'approved', 'applied', 'confirmed', 'reverted'] },
];

/** What policies and people set going on ordinary days. */
export function everydayActions(company: Company, chance: Chance, endMs: number, count: number): ActionPlan[] {
  return Array.from({ length: count }, (_, index) => {
    const createdMs = endMs - chance.between(60, 29 * 24 * 60) * 60_000;
    // Every rung is climbed by somebody, however few the actions.
    const steps = lives[index]?.steps ?? anyLife(chance);
    return anyAction(company, chance, createdMs, steps);
  });
}

/** How far an action may come. */
export function anyLife(chance: Chance): readonly Rung[] {
  return chance.weighted(lives).steps;
}

export function anyAction(company: Company, chance: Chance, createdMs: number, steps: readonly Rung[]): ActionPlan {
  const [type, kinds] = chance.pick(Object.entries(kindsOn) as [EntityKind, readonly ActionKind[]][]);
  const policy = policies.find(({ looksAt }) => looksAt === type) ?? null;
  const items = chance.between(1, 9);
  return {
    what: chance.pick(kinds),
    on: anySubject(company, type, chance),
    policy,
    by: byWhom(
      company,
      chance,
      policy?.name ?? 'Tenantscope',
      chance.pick(['policy', 'policy', 'human', 'agent', 'system']),
    ),
    askers: policy === null || chance.is(0.4) ? [] : [handlerOf(company, policy)],
    createdMs,
    steps,
    items,
    failed: items > 2 && chance.is(0.2) ? 1 : 0,
    isSimulated: chance.is(0.15),
    isAcknowledged: chance.is(0.5),
    with: { notifyUser: chance.is(0.5), reason: policy?.name ?? 'Housekeeping' },
  };
}

function byWhom(company: Company, chance: Chance, policyName: string, kind: ActorKind): ActionPlan['by'] {
  if (kind === 'policy') return { kind, id: null, name: policyName };
  if (kind === 'system') return { kind, id: null, name: 'Tenantscope' };
  const { id, displayName } =
    kind === 'human' ? chance.pick(company.admins) : { id: null, displayName: 'Operator assistant' };
  return { kind, id, name: displayName };
}
