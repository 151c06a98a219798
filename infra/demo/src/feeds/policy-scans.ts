import type { Company } from '../company.ts';
import { type DemoState, formatInstant, formatOptionalInstant } from '../demo-state.ts';
import { chooseHandler, findPolicy, type Policy, policies } from '../policies.ts';
import { deriveGuid, type Random } from '../random.ts';
import type { Trigger } from './trigger.ts';

/** One evaluation of a policy, and the state of its matches. */
export interface Scan {
  readonly id: string;
  readonly policy: Policy;
  readonly scannedMs: number;
  readonly resources: number;
  readonly status: 'open' | 'resolved' | 'snoozed' | 'clear' | 'error';
  readonly resolvedMs: number | null;
  /** Whether its actions were executed before the action feed existed. */
  readonly isBeforeLedger: boolean;
}

/** Each policy every third day of the last thirty, the latest still open if it matched; and one during the storyline. */
export function createScans(company: Company, random: Random, endMs: number, storylineMs: number): Scan[] {
  const scansPerPolicy = company.employees.length > 20 ? 10 : company.employees.length > 12 ? 4 : 2;
  const routine = policies.flatMap((policy) =>
    Array.from({ length: scansPerPolicy }, (_, index) => {
      const scannedMs = endMs - (index * 3 + 0.2) * dayMs - random.between(0, 7_200_000);
      const age = { isLatest: index === 0, isBeforeLedger: index >= Math.min(7, scansPerPolicy - 1) };
      return createScan(company, policy, scannedMs, random, age);
    }),
  );
  return [...routine, createStorylineScan(company, storylineMs)];
}

function createScan(
  company: Company,
  policy: Policy,
  scannedMs: number,
  random: Random,
  { isLatest, isBeforeLedger }: { isLatest: boolean; isBeforeLedger: boolean },
): Scan {
  const resources = Math.max(0, policy.usualMatches + random.between(-2, 2));
  const scan = { id: deriveScanId(company, policy, scannedMs), policy, scannedMs, resources, isBeforeLedger };
  if (random.bool(0.03)) return { ...scan, resources: 0, status: 'error', resolvedMs: null };
  if (resources === 0) return { ...scan, status: 'clear', resolvedMs: scannedMs };
  if (isLatest) return { ...scan, status: 'open', resolvedMs: null };
  if (random.bool(0.15)) return { ...scan, status: 'snoozed', resolvedMs: null };
  return { ...scan, status: 'resolved', resolvedMs: scannedMs + random.between(1, 60) * 3_600_000 };
}

/** The scan that finds the files that the intruder shared with anyone. */
function createStorylineScan(company: Company, storylineMs: number): Scan {
  const policy = findPolicy('policy-anonymous-links');
  const scannedMs = storylineMs + 95 * 60_000;
  return {
    id: deriveScanId(company, policy, 'storyline'),
    policy,
    scannedMs,
    resources: 5,
    status: 'resolved',
    resolvedMs: storylineMs + 240 * 60_000,
    isBeforeLedger: false,
  };
}

/** The state when the scan ended, and the current state if it changed. */
export function createScanStates(company: Company, scan: Scan): DemoState[] {
  const isLater = scan.resolvedMs !== null && scan.resolvedMs > scan.scannedMs;
  const found: Scan = isLater ? { ...scan, status: 'open', resolvedMs: null } : scan;
  const reportedMs = scan.scannedMs + 5_000;
  return isLater
    ? [createScanState(company, found, reportedMs), createScanState(company, scan, scan.resolvedMs ?? reportedMs)]
    : [createScanState(company, found, reportedMs)];
}

function createScanState(company: Company, scan: Scan, reportedMs: number): DemoState {
  const { id, policy, resources, status } = scan;
  const handler = chooseHandler(company, policy);
  return {
    topic: 'policyScan',
    kind: 'policy-scan',
    id,
    changedAtMs: reportedMs,
    fields: {
      name: policy.name,
      severity: policy.severity,
      status,
      resourceType: policy.resourceType,
      resources,
      assignedUser: resources > 0 ? handler.userPrincipalName : null,
      description: policy.description,
      createdFrom: policy.createdFrom,
      scannedAt: formatInstant(scan.scannedMs),
      resolvedAt: formatOptionalInstant(scan.resolvedMs),
      policyId: policy.id,
      automations: JSON.stringify([
        ...listExecutions(scan),
        { on: 'match', notify: handler.userPrincipalName, channel: 'email' },
        ...(policy.actionType === null
          ? []
          : [{ on: 'match', stage: policy.actionType, needsApproval: policy.severity === 'critical' }]),
      ]),
    },
  };
}

/** Before the action feed existed, a scan stored the automatic actions of its policy. */
function listExecutions({ id, policy, resources, scannedMs, status, isBeforeLedger }: Scan) {
  if (policy.actionType === null || !isBeforeLedger || status !== 'resolved') return [];
  const failedCount = resources > 4 ? 1 : 0;
  const done = { itemsTotal: resources, itemsSettled: resources, failedCount, isSimulated: false };
  const executedAt = formatInstant(scannedMs + 2 * 60_000);
  const result = failedCount > 0 ? 'failed' : 'applied';
  return [
    {
      id: `${id}_1`,
      on: 'match',
      stage: policy.actionType,
      actionType: policy.actionType,
      executedAt,
      result,
      ...done,
    },
  ];
}

export function deriveScanId({ plan }: Company, policy: Policy, trigger: Trigger): string {
  return `scan_${deriveGuid(plan.azureTenantId, policy.id, String(trigger)).replaceAll('-', '').slice(0, 20)}`;
}

const dayMs = 86_400_000;
