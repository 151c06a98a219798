import * as events from '../../compliance/events.ts';
import * as input from '../../compliance/input-records.ts';
import { notification } from '../../compliance/notifications.ts';
import { type Chooser, count, dayMs, nowMs, type Part, times } from './part.ts';

const isBetween = (ageDays: number, from: number, to: number) => ageDays >= from && ageDays <= to;

/** Alerts of the security platform. */
export function createAlerts(choose: Chooser): Part {
  const alerts = times(choose.size).map(() => {
    const ageDays = choose.pick([2, 6, 8, 30, 59, 61]);
    const resolvedAfterHours = choose.pick([1, 1, 1, 30, ageDays > 8 ? 169 : 40, null]);
    return { ageDays, resolvedAfterHours, severity: choose.optional(['high', 'high', 'high', 'low']) ?? 'unknown' };
  });
  type Alert = (typeof alerts)[number];
  const isUnknown = (one: Alert) => one.severity === 'unknown';
  const grave = alerts.filter((one) => one.severity !== 'low');
  const due = grave.filter((one) => isBetween(one.ageDays, 7, 60));
  const open = grave.filter((one) => one.resolvedAfterHours === null);
  const isOverdue = (one: Alert) => one.ageDays > 7;
  const toRecord = ({ ageDays, resolvedAfterHours, severity }: Alert, index: number): input.InputRecord => {
    const { record } = events.alert(`alert${index}`, nowMs - ageDays * dayMs, resolvedAfterHours, []) as Extract<
      input.InputRecord,
      { topic: 'rawAlert' }
    >;
    return { topic: 'rawAlert', record: { ...record, severity } };
  };
  return {
    written: { security_alerts: alerts.map(toRecord) },
    counts: {
      'ops.alerts.resolution_7d': {
        highAlerts: due.length,
        resolved: count(due, (one) => !isUnknown(one) && (one.resolvedAfterHours ?? 999) <= 168),
        unknown: count(due, isUnknown),
      },
      'ops.alerts.backlog': {
        openHigh: open.length,
        older7d: count(open, isOverdue),
        unknown: count(open, (one) => isUnknown(one) && isOverdue(one)),
      },
    },
  };
}

const entities = [
  { entity: { type: 'app', id: 'app1', name: 'App' }, isAi: false },
  { entity: { type: 'app', id: 'app2', name: 'App' }, isAi: true },
  { entity: { type: 'app', id: 'app3', name: 'App' }, isAi: null },
  { entity: { type: 'app', id: 'elsewhere', name: 'App' }, isAi: null },
  { entity: { type: 'agent', id: 'sales', name: 'Sales' }, isAi: true },
  { entity: { type: 'user', id: 'anna', name: 'Anna' }, isAi: false },
] as const;

/** Episodes of detectors about accounts, agents and the apps of `createRestrictedReads`. */
export function createEpisodes(choose: Chooser): Part {
  const episodes = times(choose.size).map(() => ({
    ageDays: choose.pick([2, 4, 8, 30, 59, 61]),
    resolvedAfterHours: choose.pick([1, 1, 1, 1, 40, null]),
    about: choose.pick(entities),
    actionGroup: choose.pick(['file.download', 'sign.in']),
    level: choose.pick(['alerted', 'alerted', 'informational']),
  }));
  const alerted = episodes.filter(({ level }) => level === 'alerted');
  const due = alerted.filter(({ ageDays }) => isBetween(ageDays, 7, 60));
  const ofAi = due.filter(({ about }) => about.isAi !== false);
  const ofData = alerted.filter(
    ({ ageDays, actionGroup }) => isBetween(ageDays, 3, 60) && actionGroup === 'file.download',
  );
  const isResolved = (one: (typeof episodes)[number]) => one.resolvedAfterHours !== null;
  return {
    written: {
      detections: episodes.map(({ ageDays, resolvedAfterHours, about, actionGroup, level }, index) =>
        events.episode(`e${index}`, nowMs - ageDays * dayMs, resolvedAfterHours, { ...about, actionGroup, level }),
      ),
    },
    counts: {
      'ops.detections.resolution': { episodes: due.length, resolved: count(due, isResolved), unknown: 0 },
      'ai.detection.resolved_7d': {
        episodes: ofAi.length,
        resolvedInTime: count(ofAi, (one) => isResolved(one) && one.about.isAi === true),
        unknown: count(ofAi, ({ about }) => about.isAi === null),
      },
      'data.exfiltration.handled': { episodes: ofData.length, handled: count(ofData, isResolved), unknown: 0 },
    },
  };
}

/** Actions, notifications, and forwardings of mail that were not reviewed. */
export function createReactions(choose: Chooser): Part {
  const actions = times(choose.size).map(() => ({
    ageDays: choose.pick([1, 80, 95]),
    rollupRung: choose.pick(['staged', 'approved', 'applied', 'confirmed', 'confirmed', 'confirmed']),
    dueInDays: choose.pick([-1, 1, 1, null]),
    itemsTotal: choose.pick([1, 9]),
    failedCount: choose.pick([...times(30).map(() => 0), 1]),
    isSimulated: choose.between(0, 9) === 0,
  }));
  type Action = (typeof actions)[number];
  const real = actions.filter(({ isSimulated }) => !isSimulated);
  const open = real.filter(({ rollupRung }) => rollupRung !== 'confirmed');
  const recent = real.filter(({ ageDays }) => ageDays <= 90);
  const sum = (of: (one: Action) => number) => recent.reduce((total, one) => total + of(one), 0);
  const decisions = times(choose.size).map(() => {
    const decision = choose.pick([...times(9).map(() => 'sent'), 'failed', 'suppressed']);
    return {
      ageDays: choose.pick([1, 29, 31, 89, 91]),
      decision,
      // A record without the reason of a suppression is a dead letter.
      reason: decision === 'sent' ? null : 'a duplicate',
    };
  });
  const inMonth = decisions.filter(({ ageDays }) => ageDays <= 30);
  const isDecided = (decision: string) => (one: (typeof decisions)[number]) => one.decision === decision;
  const suppressed = decisions.filter((one) => one.ageDays <= 90 && one.decision === 'suppressed');
  // Late and backdated: the window counts when they happened.
  const forwardings = times(choose.pick([0, 0, 1, 4])).map(() => nowMs - choose.between(0, 120) * dayMs);
  const unreviewed = forwardings.filter((ms) => ms >= nowMs - 90 * dayMs).length;
  const toAction = ({ ageDays, dueInDays, ...one }: Action, index: number) =>
    events.action(`t${index}`, 'notifyOwner', { type: 'user', id: 'anna' }, nowMs - ageDays * dayMs, {
      ...one,
      dueAt: dueInDays === null ? null : input.at(nowMs + dueInDays * dayMs),
    });
  return {
    written: {
      actions: actions.map(toAction),
      notifications: decisions.map(({ ageDays, ...one }, index) =>
        notification(`n${index}`, nowMs - ageDays * dayMs, one),
      ),
      'logs/Audit.Exchange': forwardings.map((ms, index) =>
        events.forwarding(`m${index}@contoso.example`, 'x@evil.example', ms),
      ),
    },
    counts: {
      'ops.remediation.overdue': {
        open: open.length,
        overdue: count(open, ({ dueInDays }) => dueInDays === -1),
        unknown: 0,
      },
      'ops.remediation.failures': {
        itemsTotal: sum(({ itemsTotal }) => itemsTotal),
        failedItems: sum(({ failedCount }) => failedCount),
        unknown: 0,
      },
      'ops.notify.delivery': {
        sent: count(inMonth, isDecided('sent')),
        failed: count(inMonth, isDecided('failed')),
        unknown: 0,
      },
      'ops.notify.suppression_explained': {
        suppressed: suppressed.length,
        withReason: suppressed.length,
        unknown: 0,
      },
      'data.mail.external_forwarding': { forwardings: unreviewed, unreviewed, unknown: 0 },
      'iam.privileged_changes.notified': { changes: 0, followed: 0, unknown: 0 },
    },
    newestEventMs: Math.max(0, ...forwardings),
  };
}
