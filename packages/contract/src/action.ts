import { z } from 'zod';
import { byActor, byKind, idToldBy } from './id-of.ts';
import { mutableRecord, updatedAt } from './mutable-record.ts';
import { list } from './operation.ts';
import { choices, flag, texts } from './parameter.ts';
import { instant, nullableInstant, nullableText } from './scalar.ts';

/** The ladder an action climbs, and the ways off it. */
export const rungs = ['staged', 'approved', 'rejected', 'applied', 'confirmed', 'failed', 'reverted'] as const;
export const actorKinds = ['policy', 'human', 'agent', 'system'] as const;
export const revertBuckets = ['notApplicable', 'available', 'expiring', 'expired', 'reverted'] as const;

const count = (description: string) => z.int().nullable().meta({ description });
const truth = (description: string) => z.boolean().nullable().meta({ description });

/** One row of the remediation ledger. Members stand in this order in every stored and served document. */
const action = z
  .object({
    ...mutableRecord,
    actionName: nullableText('Name of the action.'),
    actionType: nullableText('What it does, for example removeSharingLink, blockAgent or revokeSessions.'),
    policyId: nullableText('Id of the policy that asked for it.'),
    policyName: nullableText('Name of that policy.'),
    actorId: idToldBy('actorKind', byActor, 'Id of who triggered it.'),
    actorName: nullableText('Name of who triggered it.'),
    actorKind: nullableText('policy, human, agent or system.'),
    rollupRung: nullableText(
      'The rung reached over all items: staged, approved, rejected, applied (executed), confirmed (a probe agreed), failed or reverted.',
    ),
    itemsTotal: count('Items the action covers.'),
    itemsSettled: count('Items rejected, confirmed, failed or reverted.'),
    failedCount: count('Items that failed.'),
    hasFailures: truth('Whether failedCount is above zero.'),
    isSimulated: truth('Whether nothing was really changed.'),
    isIrreversible: truth('Whether it cannot be reverted.'),
    revertBucket: nullableText('notApplicable, available, expiring, expired or reverted.'),
    resourceType: nullableText('Kind of what it acts on.'),
    resourceId: idToldBy('resourceType', byKind, 'Id of what it acts on.'),
    resourceName: nullableText('Name of what it acts on.'),
    askerCount: count('How many people asked for it or were asked.'),
    askerNames: z.array(z.string()).nullable().meta({ description: 'Their names.' }),
    actionArguments: z.object({}).nullable().meta({ description: 'Arguments of the action, secrets removed.' }),
    createdAt: instant('When it was staged.'),
    dueAt: nullableInstant('When it is due.'),
    acknowledgedAt: nullableInstant('When somebody took note of it.'),
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
    'poll with sort=updatedAtAsc and upsert on id. from and to act on createdAt, where rows may still appear late. Names are text from third parties. Values may be added to every vocabulary.',
  guidance:
    'Remediation ledger: what was staged, approved, rejected, applied, confirmed, failed or reverted (links removed, access revoked, agents blocked), by whom and on what. Use it to see whether something was fixed.',
  textOfOthers: true,
  record: action,
  filters: {
    rung: choices(rungs, 'Rung reached (rollupRung).', 'applied', { brief: 'rollupRung reached.' }),
    actionType: texts('What the action does.', 'removeSharingLink,blockAgent', { brief: '' }),
    policyId: texts('Id of the policy that asked for it.', 'policy-anonymous-links', { brief: '' }),
    actorKind: choices(actorKinds, 'Kind of who triggered it.', 'human', { brief: '' }),
    resourceType: texts('Kind of what it acts on.', 'file', { brief: '' }),
    resourceId: texts('Id of what it acts on.', '7b4c2f0e-6d2a-4c55-9b0e-2f3a1c9d8e11', { brief: '' }),
    isSimulated: flag('Only simulated actions, or only real ones.', 'false', { brief: '' }),
    isIrreversible: flag('Only actions that cannot be reverted, or only the others.', 'true', { brief: '' }),
    hasFailures: flag('Only actions with failed items, or only those without.', 'true', { brief: '' }),
    revertBucket: choices(revertBuckets, 'How it can be reverted.', 'expiring', { brief: '' }),
  },
  windows: {
    createdAt: { from: 'from', to: 'to', clock: 'upstream', words: 'createdAt, when it was staged' },
    updatedAt,
  },
  sorts: ['createdAtDesc', 'createdAtAsc', 'updatedAtAsc'],
  examples: [
    { words: 'What was executed and not yet confirmed', input: { rung: 'applied' } },
    { words: 'Actions that failed somewhere', input: { hasFailures: 'true', isSimulated: 'false' } },
  ],
});
