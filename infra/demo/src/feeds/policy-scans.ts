import { type Chance, guidOf } from '../chance.ts';
import type { Company } from '../company.ts';
import { type DemoState, shown, shownOrNull } from '../demo-state.ts';
import { handlerOf, type Policy, policies, policyOf } from '../policies.ts';
import type { Occasion } from './occasion.ts';

/** One evaluation of one policy, and what became of its matches. */
export interface Scan {
  readonly id: string;
  readonly policy: Policy;
  readonly scannedMs: number;
  readonly resources: number;
  readonly status: 'open' | 'resolved' | 'snoozed' | 'clear' | 'error';
  readonly resolvedMs: number | null;
  /** Whether what it led to was done before actions were kept for themselves. */
  readonly isBeforeLedger: boolean;
}

/** Each policy every third day of the last thirty, the latest still open where it matched; and one in the midst of the storyline. */
export function scansOf(company: Company, chance: Chance, endMs: number, storyMs: number): Scan[] {
  const rounds = company.people.length > 20 ? 10 : company.people.length > 12 ? 4 : 2;
  const routine = policies.flatMap((policy) =>
    Array.from({ length: rounds }, (_, index) => {
      const scannedMs = endMs - (index * 3 + 0.2) * dayMs - chance.between(0, 7_200_000);
      const age = { isLatest: index === 0, isBeforeLedger: index >= Math.min(7, rounds - 1) };
      return scanOf(company, policy, scannedMs, chance, age);
    }),
  );
  return [...routine, storyScan(company, storyMs)];
}

function scanOf(
  company: Company,
  policy: Policy,
  scannedMs: number,
  chance: Chance,
  { isLatest, isBeforeLedger }: { isLatest: boolean; isBeforeLedger: boolean },
): Scan {
  const resources = Math.max(0, policy.usual + chance.between(-2, 2));
  const scan = { id: scanId(company, policy, scannedMs), policy, scannedMs, resources, isBeforeLedger };
  if (chance.is(0.03)) return { ...scan, resources: 0, status: 'error', resolvedMs: null };
  if (resources === 0) return { ...scan, status: 'clear', resolvedMs: scannedMs };
  if (isLatest) return { ...scan, status: 'open', resolvedMs: null };
  if (chance.is(0.15)) return { ...scan, status: 'snoozed', resolvedMs: null };
  return { ...scan, status: 'resolved', resolvedMs: scannedMs + chance.between(1, 60) * 3_600_000 };
}

/** The scan that found the files the intruder had opened to anyone. */
function storyScan(company: Company, storyMs: number): Scan {
  const policy = policyOf('policy-anonymous-links');
  const scannedMs = storyMs + 95 * 60_000;
  return {
    id: scanId(company, policy, 'storyline'),
    policy,
    scannedMs,
    resources: 5,
    status: 'resolved',
    resolvedMs: storyMs + 240 * 60_000,
    isBeforeLedger: false,
  };
}

/** As the scan ended, and as it stands where that changed. */
export function scanStates(company: Company, scan: Scan): DemoState[] {
  const isLater = scan.resolvedMs !== null && scan.resolvedMs > scan.scannedMs;
  const found: Scan = isLater ? { ...scan, status: 'open', resolvedMs: null } : scan;
  const saidMs = scan.scannedMs + 5_000;
  return isLater
    ? [scanState(company, found, saidMs), scanState(company, scan, scan.resolvedMs ?? saidMs)]
    : [scanState(company, found, saidMs)];
}

function scanState(company: Company, scan: Scan, saidMs: number): DemoState {
  const { id, policy, resources, status } = scan;
  const handler = handlerOf(company, policy);
  return {
    topic: 'policyScan',
    kind: 'policy-scan',
    id,
    changedAtMs: saidMs,
    fields: {
      name: policy.name,
      severity: policy.severity,
      status,
      resourceType: policy.looksAt,
      resources,
      assignedUser: resources > 0 ? handler.userPrincipalName : null,
      description: policy.description,
      createdFrom: policy.createdFrom,
      scannedAt: shown(scan.scannedMs),
      resolvedAt: shownOrNull(scan.resolvedMs),
      policyId: policy.id,
      automations: JSON.stringify([
        ...executionsOf(scan),
        { on: 'match', notify: handler.userPrincipalName, channel: 'email' },
        ...(policy.does === null
          ? []
          : [{ on: 'match', stage: policy.does, needsApproval: policy.severity === 'critical' }]),
      ]),
    },
  };
}

/** Before there was a ledger of actions, a scan itself kept what its policy did at once. */
function executionsOf({ id, policy, resources, scannedMs, status, isBeforeLedger }: Scan) {
  if (policy.does === null || !isBeforeLedger || status !== 'resolved') return [];
  const failedCount = resources > 4 ? 1 : 0;
  const done = { itemsTotal: resources, itemsSettled: resources, failedCount, isSimulated: false };
  const executedAt = shown(scannedMs + 2 * 60_000);
  const result = failedCount > 0 ? 'failed' : 'applied';
  return [{ id: `${id}_1`, on: 'match', stage: policy.does, actionType: policy.does, executedAt, result, ...done }];
}

export function scanId({ plan }: Company, policy: Policy, occasion: Occasion): string {
  return `scan_${guidOf(plan.azureTenantId, policy.id, String(occasion)).replaceAll('-', '').slice(0, 20)}`;
}

const dayMs = 86_400_000;
