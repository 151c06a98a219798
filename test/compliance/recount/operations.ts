import * as events from '../events.ts';
import * as input from '../input-records.ts';
import { ago, type Chooser, count, newest, nowMs, type Part, send } from './part.ts';

const { dayMs, hourMs } = input;
/** When what happened before had been reported. */
const reportedAgeMs = hourMs / 2;

const createAction = (choose: Chooser, index: number) => {
  const createdAgeMs = choose.near(1, 90, 180, 100);
  return {
    id: `t${index}`,
    createdAgeMs,
    rung: choose.pick(['staged', 'approved', 'applied', 'confirmed', 'reverted', 'failed']),
    hasSteps: choose.happens(75),
    approvedAgeMs: choose.pick([null, createdAgeMs - hourMs]),
    approverKind: choose.pick(['human', 'human', 'policy', undefined]),
    approver: choose.pick(['chief', '', undefined]),
    appliedAgeMs: choose.pick([null, choose.near(1), choose.near(90), choose.near(180)]),
    isConfirmed: choose.happens(40),
    isIrreversible: choose.happens(60),
    isSimulated: choose.happens(10),
    dueAgeMs: choose.pick([null, choose.near(90), choose.near(0), choose.near(10)]),
    settledAgeMs: choose.pick([null, choose.near(10), choose.near(90)]),
  };
};
type Action = ReturnType<typeof createAction>;

function toActionRecord(one: Action): input.InputRecord {
  const step = (rung: string, ageMs: number, more: object = {}) => ({ rung, at: ago(ageMs), ...more });
  const steps = [
    ...(one.approvedAgeMs === null
      ? []
      : [step('approved', one.approvedAgeMs, { by: one.approver, byKind: one.approverKind })]),
    ...(one.appliedAgeMs === null ? [] : [step('applied', one.appliedAgeMs)]),
    ...(one.isConfirmed ? [step('confirmed', 1)] : []),
  ];
  return events.action(one.id, 'blockUser', { type: 'user', id: 'u' }, nowMs - one.createdAgeMs, {
    rollupRung: one.rung,
    isSimulated: one.isSimulated,
    isIrreversible: one.isIrreversible,
    dueAt: ago(one.dueAgeMs),
    settledAt: ago(one.settledAgeMs),
    rungs: one.hasSteps ? steps : undefined,
  });
}

/** Where no steps are reported, the rung shows that an action was executed, at the latest when it was created. */
function executedAgeMs(one: Action): number | null {
  if (one.hasSteps) return one.appliedAgeMs;
  return ['applied', 'confirmed', 'reverted'].includes(one.rung) ? one.createdAgeMs : null;
}

export function createActions(choose: Chooser): Part {
  const actions = choose.several([2, 40], (index) => createAction(choose, index));
  const real = actions.filter((one) => !one.isSimulated);
  const isBetween = (ageMs: number | null, from: number, to: number) =>
    ageMs !== null && ageMs >= from * dayMs && ageMs <= to * dayMs;
  const isOpen = (one: Action) => ['staged', 'approved', 'applied'].includes(one.rung);
  const due = real.filter((one) => isBetween(one.dueAgeMs, 0, 90));
  const irreversible = real.filter((one) => one.isIrreversible && isBetween(executedAgeMs(one), 0, 180));
  const executed = real.filter((one) => isBetween(executedAgeMs(one), 1, 90));
  const settled = due.filter((one) => !isOpen(one) && one.settledAgeMs !== null);
  const isApproved = (one: Action) =>
    one.hasSteps &&
    one.approvedAgeMs !== null &&
    one.approverKind === 'human' &&
    one.approver &&
    one.approvedAgeMs >= (executedAgeMs(one) as number);
  return {
    sent: send(reportedAgeMs, ...actions.map(toActionRecord)),
    counts: {
      'ops.remediation.on_time': {
        dueActions: due.length,
        onTime: count(settled, (one) => (one.settledAgeMs as number) >= (one.dueAgeMs as number)),
        medianHours: findMedian(settled.map((one) => (one.createdAgeMs - (one.settledAgeMs as number)) / hourMs)),
      },
      'ops.remediation.human_approval': {
        irreversible: irreversible.length,
        approved: count(irreversible, isApproved),
      },
      'ops.remediation.verified': {
        executed: executed.length,
        confirmed: count(executed, (one) => one.rung === 'confirmed' || (one.hasSteps && one.isConfirmed)),
      },
    },
  };
}

/** In whole hours, rounded up. */
function findMedian(hours: readonly number[]): number | null {
  const sorted = hours.toSorted((one, other) => one - other);
  const middle = (sorted.length - 1) / 2;
  if (sorted.length === 0) return null;
  return Math.ceil(((sorted[Math.floor(middle)] as number) + (sorted[Math.ceil(middle)] as number)) / 2);
}

const createPolicy = (choose: Chooser, index: number) => ({
  id: `policy${index}`,
  enabled: choose.happens(80),
  severity: choose.pick([undefined, 'critical', 'critical', 'low']),
  subjectType: choose.pick(['agent', 'app', 'user', 'file', undefined]),
  aiSubject: choose.maybe(),
  scans: choose.several([0, 1, 2, 4], (number) => ({
    id: `scan${index}-${number}`,
    ageMs: choose.near(7, 30, 40, 3) + number,
    status: choose.pick(['clear', 'open', 'open', 'snoozed', 'error', 'resolved']),
    severity: choose.pick(['critical', 'low']),
  })),
});
type Policy = ReturnType<typeof createPolicy>;

/** A scan that failed has looked at nothing. */
const successesOf = ({ scans }: Policy) => scans.filter(({ status }) => status !== 'error');
const isScanned = (one: Policy) => successesOf(one).some(({ ageMs }) => ageMs <= 7 * dayMs);
const isCritical = (one: Policy) => (one.severity ?? newest(one.scans)?.severity ?? 'critical') === 'critical';

/** Since when matches have been unresolved; null where there are none. */
function openAgeMs(one: Policy): number | null {
  let openMs: number | null = null;
  for (const { status, ageMs } of successesOf(one).toSorted((scan, other) => other.ageMs - scan.ageMs))
    openMs = status === 'clear' || status === 'resolved' ? null : (openMs ?? ageMs);
  return openMs;
}

/** Whether its subject is AI, where that is reported. An app may be of AI or not; accounts and files are not. */
function isOfAi({ subjectType, aiSubject }: Policy): boolean | undefined {
  if (subjectType === 'agent') return true;
  if (aiSubject !== undefined) return aiSubject;
  return subjectType === 'user' || subjectType === 'file' ? false : undefined;
}

/** Policies with their scans, and detectors. */
export function createPolicies(choose: Chooser): Part {
  const policies = choose.several([1, 6], (index) => createPolicy(choose, index));
  const detectors = choose.several([1, 6], (index) => ({
    id: `detector${index}`,
    enabled: choose.happens(80),
    // Its clock may be ahead of this one.
    ranAgeMs: choose.pick([null, choose.near(1), choose.near(0), -2 * hourMs, -hourMs]),
  }));
  const enabled = policies.filter((one) => one.enabled);
  const critical = enabled.filter(isCritical);
  const isUnknownState = (one: Policy) => successesOf(one).length === 0;
  const ofAi = enabled.filter((one) => isOfAi(one) !== false);
  const running = detectors.filter((one) => one.enabled);
  const policyRecords = policies.map(({ id, scans: _, ...members }) => input.policy(id, members));
  const scanRecords = policies.flatMap(({ id: policyId, scans }) =>
    scans.map(({ id, ageMs, ...members }) => events.policyScan(id, policyId, nowMs - ageMs, members)),
  );
  return {
    sent: send(
      reportedAgeMs,
      ...policyRecords,
      ...scanRecords,
      ...detectors.map((one) => input.detector(one.id, { enabled: one.enabled, lastRunAt: ago(one.ranAgeMs) })),
    ),
    counts: {
      'ops.policies.scan_freshness': { policies: enabled.length, scanned: count(enabled, isScanned) },
      'ops.policies.critical_open': {
        criticalPolicies: critical.length,
        openOver30d: count(critical, (one) => isUnknownState(one) || (openAgeMs(one) ?? 0) > 30 * dayMs),
        unknown: count(critical, isUnknownState),
      },
      'ai.policies.scanned': {
        aiPolicies: ofAi.length,
        scanned7d: count(ofAi, (one) => isOfAi(one) === true && isScanned(one)),
        unknown: count(ofAi, (one) => isOfAi(one) === undefined),
      },
      'ops.detectors.running': {
        detectors: running.length,
        ran24h: count(running, ({ ranAgeMs }) => ranAgeMs !== null && ranAgeMs <= dayMs && ranAgeMs >= -hourMs),
      },
    },
  };
}
