import type { Company, Person } from '../company.ts';
import { type DemoState, formatInstant, formatOptionalInstant } from '../demo-state.ts';
import type { Policy } from '../policies.ts';
import { deriveGuid } from '../random.ts';
import type { Subject } from './episode.ts';

export type ActionState = 'staged' | 'approved' | 'rejected' | 'applied' | 'confirmed' | 'failed' | 'reverted';
export type ActorKind = 'policy' | 'human' | 'agent' | 'system';

/** A remediation action with the states that it has reached. */
export interface ActionPlan {
  readonly kind: ActionKind;
  readonly subject: Subject;
  readonly policy: Policy | null;
  /** The trigger. Policies and the system have no id. */
  readonly by: { readonly kind: ActorKind; readonly id: string | null; readonly name: string };
  readonly requesters: readonly Person[];
  readonly createdMs: number;
  /** The states so far, starting with staged. */
  readonly steps: readonly ActionState[];
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

function actionId({ plan }: Company, { kind: what, subject: on, createdMs }: ActionPlan): string {
  return `act_${deriveGuid(plan.azureTenantId, what.type, on.id, String(createdMs)).replaceAll('-', '').slice(0, 20)}`;
}

/** One record state for each step. */
export function createActionStates(company: Company, plan: ActionPlan): DemoState[] {
  return plan.steps.map((_, index) => createActionState(company, plan, index + 1));
}

/** The time between two steps. */
const stepMs = 7 * 60_000;

function createActionState(company: Company, plan: ActionPlan, stepCount: number): DemoState {
  const { kind: what, subject: on, policy, by, requesters: askers, createdMs, items } = plan;
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
      revertBucket: what.isIrreversible ? 'notApplicable' : undoStatus(last.rung, items),
      resourceType: on.type,
      resourceId: on.id,
      resourceName: on.name,
      askerCount: askers.length,
      askerNames: askers.map((asker) => asker.displayName),
      actionArguments: plan.with,
      createdAt: formatInstant(createdMs),
      updatedAt: formatInstant(last.atMs),
      dueAt: formatInstant(createdMs + 3 * 86_400_000),
      acknowledgedAt: formatOptionalInstant(plan.isAcknowledged ? createdMs + 2 * 60_000 : null),
      rungs: taken.map(({ rung, atMs }) => ({
        rung,
        at: formatInstant(atMs),
        by: rung === 'approved' || rung === 'rejected' ? (approver?.id ?? null) : null,
        byKind: rung === 'approved' || rung === 'rejected' ? 'human' : rung === 'staged' ? by.kind : 'system',
      })),
      settledAt: formatOptionalInstant(isSettled ? last.atMs : null),
      ledger: 'staged',
    },
  };
}

/** A completed action can be undone for a limited time. */
function undoStatus(rung: ActionState, items: number): string {
  if (rung === 'reverted') return 'reverted';
  if (rung !== 'applied' && rung !== 'confirmed') return 'notApplicable';
  return (['available', 'expiring', 'expired'] as const)[items % 3] ?? 'available';
}
