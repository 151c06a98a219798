import { guidOf } from '../chance.ts';
import type { Company, Person } from '../company.ts';
import { type DemoState, shown, shownOrNull } from '../demo-state.ts';
import type { Policy } from '../policies.ts';
import type { Subject } from './episode.ts';

export type Rung = 'staged' | 'approved' | 'rejected' | 'applied' | 'confirmed' | 'failed' | 'reverted';
export type ActorKind = 'policy' | 'human' | 'agent' | 'system';

/** A remediation action over its whole life, as far as it came. */
export interface ActionPlan {
  readonly what: ActionKind;
  readonly on: Subject;
  readonly policy: Policy | null;
  /** Who triggered it. Policies and the system have no id of their own. */
  readonly by: { readonly kind: ActorKind; readonly id: string | null; readonly name: string };
  readonly askers: readonly Person[];
  readonly createdMs: number;
  /** Climbed so far, from staged on. */
  readonly steps: readonly Rung[];
  readonly items: number;
  readonly failed: number;
  readonly isSimulated: boolean;
  readonly isAcknowledged: boolean;
  readonly with: Readonly<Record<string, unknown>>;
}

export interface ActionKind {
  readonly type: string;
  readonly name: string;
  readonly isIrreversible: boolean;
}

function actionId({ plan }: Company, { what, on, createdMs }: ActionPlan): string {
  return `act_${guidOf(plan.azureTenantId, what.type, on.id, String(createdMs)).replaceAll('-', '').slice(0, 20)}`;
}

/** One state for each step of the ladder. */
export function actionStates(company: Company, plan: ActionPlan): DemoState[] {
  return plan.steps.map((_, index) => actionState(company, plan, index + 1));
}

/** How long after the one before each step is taken. */
const stepMs = 7 * 60_000;

export function actionState(company: Company, plan: ActionPlan, stepCount: number): DemoState {
  const { what, on, policy, by, askers, createdMs, items } = plan;
  const taken = plan.steps.slice(0, stepCount).map((rung, index) => ({ rung, atMs: createdMs + index * stepMs }));
  const last = taken.at(-1) ?? { rung: 'staged' as const, atMs: createdMs };
  const isSettled = ['rejected', 'confirmed', 'failed', 'reverted'].includes(last.rung);
  const hasRun = isSettled || last.rung === 'applied';
  const failedCount =
    last.rung === 'failed' ? items : hasRun && last.rung !== 'rejected' ? Math.min(plan.failed, items - 1) : 0;
  const [approver] = company.admins;
  return {
    topic: 'action',
    kind: 'action',
    id: actionId(company, plan),
    changedAtMs: last.atMs,
    fields: {
      actionName: what.name,
      actionType: what.type,
      policyId: policy?.id ?? null,
      policyName: policy?.name ?? null,
      actorId: by.id,
      actorName: by.name,
      actorKind: by.kind,
      rollupRung: last.rung,
      itemsTotal: items,
      itemsSettled: isSettled ? items : failedCount,
      failedCount,
      isSimulated: plan.isSimulated,
      isIrreversible: what.isIrreversible,
      revertBucket: what.isIrreversible ? 'notApplicable' : bucketOf(last.rung, items),
      resourceType: on.type,
      resourceId: on.id,
      resourceName: on.name,
      askerCount: askers.length,
      askerNames: askers.map((asker) => asker.displayName),
      actionArguments: plan.with,
      createdAt: shown(createdMs),
      updatedAt: shown(last.atMs),
      dueAt: shown(createdMs + 3 * 86_400_000),
      acknowledgedAt: shownOrNull(plan.isAcknowledged ? createdMs + 2 * 60_000 : null),
      rungs: taken.map(({ rung, atMs }) => ({
        rung,
        at: shown(atMs),
        by: rung === 'approved' || rung === 'rejected' ? (approver?.id ?? null) : null,
        byKind: rung === 'approved' || rung === 'rejected' ? 'human' : rung === 'staged' ? by.kind : 'system',
      })),
      settledAt: shownOrNull(isSettled ? last.atMs : null),
      ledger: 'staged',
    },
  };
}

/** What was done can be undone for a while. */
function bucketOf(rung: Rung, items: number): string {
  if (rung === 'reverted') return 'reverted';
  if (rung !== 'applied' && rung !== 'confirmed') return 'notApplicable';
  return (['available', 'expiring', 'expired'] as const)[items % 3] ?? 'available';
}
