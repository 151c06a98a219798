import type { EntityKind } from '@tenantscope/contract';
import type { Company } from '../company.ts';
import { chooseHandler, policies } from '../policies.ts';
import type { Random } from '../random.ts';
import type { ActionKind, ActionPlan, ActionState, ActorKind } from './action.ts';
import { chooseSubject } from './subjects.ts';

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

const kindsByEntity: Partial<Record<EntityKind, readonly ActionKind[]>> = {
  file: [actionKinds.removeSharingLink, actionKinds.applyLabel, actionKinds.deleteFile],
  site: [actionKinds.removeExternalAccess, actionKinds.restrictSite],
  agent: [actionKinds.blockAgent, actionKinds.assignOwner],
  app: [actionKinds.disableApp, actionKinds.revokeConsent],
  user: [actionKinds.requireMfa, actionKinds.revokeSessions, actionKinds.disableForwarding],
  group: [actionKinds.removeGroupMember, actionKinds.notifyOwner],
  device: [actionKinds.retireDevice, actionKinds.notifyOwner],
};

const stepSequences: readonly { readonly weight: number; readonly steps: readonly ActionState[] }[] = [
  { weight: 3, steps: ['staged'] },
  { weight: 2, steps: ['staged', 'approved'] },
  { weight: 2, steps: ['staged', 'rejected'] },
  { weight: 3, steps: ['staged', 'approved', 'applied'] },
  { weight: 9, steps: ['staged', 'approved', 'applied', 'confirmed'] },
  { weight: 2, steps: ['staged', 'approved', 'failed'] },
  { weight: 2, steps: ['staged', 'approved', 'applied', 'confirmed', 'reverted'] },
];

/** Routine actions triggered by policies and users. */
export function createRoutineActions(company: Company, random: Random, endMs: number, count: number): ActionPlan[] {
  return Array.from({ length: count }, (_, index) => {
    const createdMs = endMs - random.between(60, 29 * 24 * 60) * 60_000;
    // Every sequence of steps occurs, however few the actions.
    const steps = stepSequences[index]?.steps ?? chooseSteps(random);
    return chooseAction(company, random, createdMs, steps);
  });
}

/** Chooses the steps that an action reaches. */
export function chooseSteps(random: Random): readonly ActionState[] {
  return random.weighted(stepSequences).steps;
}

export function chooseAction(
  company: Company,
  random: Random,
  createdMs: number,
  steps: readonly ActionState[],
): ActionPlan {
  const [type, kinds] = random.pick(Object.entries(kindsByEntity) as [EntityKind, readonly ActionKind[]][]);
  const policy = policies.find(({ resourceType: looksAt }) => looksAt === type) ?? null;
  const items = random.between(1, 9);
  return {
    kind: random.pick(kinds),
    subject: chooseSubject(company, type, random),
    policy,
    by: chooseActor(
      company,
      random,
      policy?.name ?? 'Tenantscope',
      random.pick(['policy', 'policy', 'human', 'agent', 'system']),
    ),
    requesters: policy === null || random.bool(0.4) ? [] : [chooseHandler(company, policy)],
    createdMs,
    steps,
    items,
    failed: items > 2 && random.bool(0.2) ? 1 : 0,
    isSimulated: random.bool(0.15),
    isAcknowledged: random.bool(0.5),
    with: { notifyUser: random.bool(0.5), reason: policy?.name ?? 'Housekeeping' },
  };
}

function chooseActor(company: Company, random: Random, policyName: string, kind: ActorKind): ActionPlan['by'] {
  if (kind === 'policy') return { kind, id: null, name: policyName };
  if (kind === 'system') return { kind, id: null, name: 'Tenantscope' };
  const { id, displayName } =
    kind === 'human' ? random.pick(company.admins) : { id: null, displayName: 'Operator assistant' };
  return { kind, id, name: displayName };
}
