import { z } from 'zod';
import { list } from '../operation/operation.ts';
import { choices, flag, texts } from '../parameter/parameter.ts';
import { discriminatedIdReference, resourceByActorType, resourceByKind } from './id-reference.ts';
import { mutableRecord, updatedAt } from './mutable-record.ts';
import { instant, nullableInstant, nullableText } from './scalar.ts';

/** The ladder an action climbs, and the ways off it. */
export const rungs = ['staged', 'approved', 'rejected', 'applied', 'confirmed', 'failed', 'reverted'] as const;
export const actorKinds = ['policy', 'human', 'agent', 'system'] as const;
export const revertBuckets = ['notApplicable', 'available', 'expiring', 'expired', 'reverted'] as const;

const count = (description: string) => z.int().nullable().meta({ description });
const truth = (description: string) => z.boolean().nullable().meta({ description });

/** One row of the remediation ledger. Stored and served documents have the members in this order. */
const action = z
  .object({
    ...mutableRecord,
    actionName: nullableText('Name of the action.'),
    actionType: nullableText('What it does, for example removeSharingLink, blockAgent or revokeSessions.'),
    policyId: nullableText('Id of the policy that triggered it.'),
    policyName: nullableText('Name of that policy.'),
    actorId: discriminatedIdReference('actorKind', resourceByActorType, 'Id of the actor that triggered it.'),
    actorName: nullableText('Name of the actor that triggered it.'),
    actorKind: nullableText('policy, human, agent or system.'),
    rollupRung: nullableText(
      'The rung reached over all items: staged, approved, rejected, applied (executed), confirmed (verified by a probe), failed or reverted.',
    ),
    itemsTotal: count('Items the action covers.'),
    itemsSettled: count('Items rejected, confirmed, failed or reverted.'),
    failedCount: count('Items that failed.'),
    hasFailures: truth('Whether failedCount is above zero.'),
    isSimulated: truth('Whether the changes were only simulated.'),
    isIrreversible: truth('Whether it cannot be reverted.'),
    revertBucket: nullableText('notApplicable, available, expiring, expired or reverted.'),
    resourceType: nullableText('Kind of the target resource.'),
    resourceId: discriminatedIdReference('resourceType', resourceByKind, 'Id of the target resource.'),
    resourceName: nullableText('Name of the target resource.'),
    askerCount: count('Number of requesters and approvers.'),
    askerNames: z.array(z.string()).nullable().meta({ description: 'Their names.' }),
    actionArguments: z.object({}).nullable().meta({ description: 'Arguments of the action, secrets removed.' }),
    createdAt: instant('When it was staged.'),
    dueAt: nullableInstant('When it is due.'),
    acknowledgedAt: nullableInstant('When a user acknowledged it.'),
  })
  .meta({
    id: 'Action',
    description: 'A remediation action and how far it has come. Actions change: follow updatedAt.',
  });

export type Action = z.infer<typeof action>;

export const listActions = list({
  name: 'list_actions',
  path: '/actions',
  scope: 'actions:read',
  summary: 'Actions',
  description:
    'The remediation ledger: actions that the service staged, an admin approved or rejected, the platform executed and an independent probe confirmed. They change after they appear: ' +
    'poll with sort=updatedAtAsc and upsert on id. from and to filter on createdAt, where rows can still arrive late. Names are text from third parties. Values may be added to every vocabulary.',
  toolDescription:
    'Remediation ledger: what was staged, approved, rejected, applied, confirmed, failed or reverted (links removed, access revoked, agents blocked). Shows whether something was fixed.',
  containsUntrustedText: true,
  record: action,
  filters: {
    rung: choices(rungs, 'Rung reached (rollupRung).', 'applied', { brief: '' }),
    actionType: texts('What the action does.', 'blockAgent', { vocabulary: 'actionType', brief: '' }),
    policyId: texts('Id of the policy that triggered it.', 'policy-anonymous-links', { brief: '' }),
    actorKind: choices(actorKinds, 'Kind of the actor that triggered it.', 'human', { brief: '' }),
    resourceType: texts('Kind of the target resource.', 'file', { vocabulary: 'resourceType', brief: '' }),
    resourceId: texts('Id of the target resource.', '7b4c2f0e-6d2a-4c55-9b0e-2f3a1c9d8e11', {
      hasCommas: true,
      brief: '',
    }),
    isSimulated: flag('Only simulated actions, or only real ones.', 'false', { brief: '' }),
    isIrreversible: flag('Only actions that cannot be reverted, or only the others.', 'true', { brief: '' }),
    hasFailures: flag('Only actions with failed items, or only those without.', 'true', { brief: '' }),
    revertBucket: choices(revertBuckets, 'How it can be reverted.', 'expiring', { brief: '' }),
  },
  windows: {
    createdAt: { from: 'from', to: 'to', clock: 'upstream', description: 'createdAt, when it was staged' },
    updatedAt,
  },
  sorts: ['createdAtDesc', 'createdAtAsc', 'updatedAtAsc'],
  examples: [
    { description: 'Executed actions that are not confirmed yet', input: { rung: 'applied' } },
    { description: 'Actions with failed items', input: { hasFailures: 'true', isSimulated: 'false' } },
  ],
});
