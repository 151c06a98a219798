import * as events from '../events.ts';
import * as input from '../input-records.ts';
import { notification } from '../notifications.ts';
import { ago, type Chooser, count, nowMs, type Part, type Sent, send } from './part.ts';

const { dayMs, hourMs } = input;

/** The times after which a severe alert is late, or a second or an hour from them. */
const isoAges = (choose: Chooser, createdAgeMs: number, ...hours: readonly number[]): number =>
  Math.max(0, createdAgeMs - choose.pick(hours) * hourMs - choose.pick([0, 1_000, -1_000, hourMs]));

function createAlert(choose: Chooser, index: number) {
  const createdAgeMs = choose.near(1, 2, 7, 30, 60, 90);
  // What the platform reports of it later, each state at its own time.
  const states = choose
    .several([0, 0, 1, 2], () => ({
      status: choose.pick(['inProgress', 'resolved', 'resolved', 'new', 'unknown']),
      changedAgeMs: isoAges(choose, createdAgeMs, 1, 24, 72, 168),
      hasFormerResolution: choose.happens(50),
    }))
    .toSorted((one, other) => other.changedAgeMs - one.changedAgeMs)
    // A provider gives each state a time of its own.
    .filter(({ changedAgeMs }, index, all) => changedAgeMs < (all[index - 1]?.changedAgeMs ?? createdAgeMs));
  return {
    id: `alert${index}`,
    createdAgeMs,
    severity: choose.pick(['high', 'high', 'high', 'medium', 'unknown', undefined]),
    category: choose.pick(['Malware', 'Malware', null]),
    firstActivityAgeMs: choose.pick([null, createdAgeMs + hourMs]),
    isOfMail: choose.happens(60),
    states,
    // Reported when it changes, or all at once long after.
    isImportedLate: choose.happens(30),
  };
}
type Alert = ReturnType<typeof createAlert>;

/** Its states as they arrive: the first one, then each change. */
function listStates({ createdAgeMs, states }: Alert) {
  let resolvedAgeMs: number | null = null;
  const changes = states.map(({ status, changedAgeMs, hasFormerResolution }) => {
    if (status === 'resolved') resolvedAgeMs = changedAgeMs;
    else if (!hasFormerResolution) resolvedAgeMs = null;
    return { status, changedAgeMs, resolvedAgeMs };
  });
  return [{ status: 'new', changedAgeMs: createdAgeMs, resolvedAgeMs: null }, ...changes];
}

function sendAlert(one: Alert): Sent[] {
  const evidence = one.isOfMail
    ? [events.userEvidence('anna'), events.mailEvidence('m1')]
    : [events.userEvidence('anna')];
  const records = listStates(one).map(({ status, changedAgeMs, resolvedAgeMs }) => ({
    ageMs: changedAgeMs,
    record: {
      topic: 'rawAlert',
      record: {
        id: one.id,
        title: 'Something is wrong',
        category: one.category,
        severity: one.severity,
        status,
        createdDateTime: ago(one.createdAgeMs),
        lastUpdateDateTime: ago(changedAgeMs),
        resolvedDateTime: ago(resolvedAgeMs) ?? null,
        firstActivityDateTime: ago(one.firstActivityAgeMs) ?? null,
        evidence,
      },
    } as const,
  }));
  return one.isImportedLate ? records.slice(-1).map(({ record }) => ({ ageMs: 0, record })) : records;
}

const lastState = (one: Alert) => listStates(one).at(-1) as ReturnType<typeof listStates>[number];
const isTriaged = (status: string) => status === 'inProgress' || status === 'resolved';

/** When triage began as far as is reported: the greatest age of a triaged state, of the last change of one, and of the resolution. */
function triagedAgeMs(one: Alert): number {
  const reported = one.isImportedLate ? [lastState(one)] : listStates(one);
  const last = lastState(one);
  return Math.max(
    ...reported.filter(({ status }) => isTriaged(status)).map(({ changedAgeMs }) => changedAgeMs),
    last.resolvedAgeMs ?? Number.NEGATIVE_INFINITY,
  );
}

const createEpisode = (choose: Chooser, index: number) => {
  const foundAgeMs = choose.near(1, 7, 30, 60, 90);
  return {
    id: `episode${index}`,
    foundAgeMs,
    openedAgeMs: foundAgeMs + choose.pick([0, 0, dayMs]),
    severity: choose.pick(['critical', 'high', 'low']),
    level: choose.pick(['alerted', 'alerted', 'informational']),
  };
};
type Episode = ReturnType<typeof createEpisode>;

const sendEpisode = ({ id, foundAgeMs, openedAgeMs, severity, level }: Episode): Sent[] => {
  const record = events.episode(id, nowMs - openedAgeMs, null, { level });
  return record.topic === 'detection' ? send(foundAgeMs, { ...record, members: { ...record.members, severity } }) : [];
};

const isBetween = (ageMs: number, fromMs: number, to: number) => ageMs >= fromMs && ageMs <= to * dayMs;

/** Alerts of the security platform and episodes of detectors, and what was sent about them. */
export function createIncidents(choose: Chooser): Part {
  const alerts = choose.several([2, 25], (index) => createAlert(choose, index));
  const episodes = choose.several([2, 20], (index) => createEpisode(choose, index));
  const alerted = episodes.filter(({ level }) => level === 'alerted');
  const found = [
    ...alerts.map((one) => ({
      ...one,
      openedAgeMs: one.createdAgeMs,
      foundAgeMs: one.createdAgeMs,
      type: 'securityAlert',
    })),
    ...episodes.map((one) => ({ ...one, type: 'detection' })),
  ];
  const notices = found.flatMap((one) =>
    choose.several([0, 1, 1], (number) => ({
      id: `${one.id}-${number}`,
      about: one.id,
      type: one.type,
      asResource: choose.happens(50),
      ageMs: Math.max(
        0,
        choose.pick([
          one.openedAgeMs + 1_000,
          one.openedAgeMs,
          one.foundAgeMs - choose.pick([1, 0.5, 2]) * hourMs,
          one.foundAgeMs - hourMs - 1,
        ]),
      ),
      decision: choose.pick(['sent', 'sent', 'failed']),
    })),
  );
  const isSevere = ({ severity = 'unknown' }: { severity?: string | undefined }) =>
    ['high', 'critical', 'unknown'].includes(severity);
  const isUnknown = ({ severity = 'unknown' }: { severity?: string | undefined }) => severity === 'unknown';
  const severe = found.filter(
    (one) => isSevere(one) && !('level' in one && one.level !== 'alerted') && isBetween(one.foundAgeMs, hourMs, 30),
  );
  const isNotified = ({ id, openedAgeMs, foundAgeMs }: (typeof found)[number]) =>
    notices.some(
      (one) =>
        one.about === id && one.decision === 'sent' && one.ageMs <= openedAgeMs && one.ageMs >= foundAgeMs - hourMs,
    );
  return {
    sent: [
      ...alerts.flatMap(sendAlert),
      ...episodes.flatMap(sendEpisode),
      ...notices.flatMap(({ id, about, type, asResource, ageMs, decision }) => {
        const named = asResource ? { resourceType: type, resourceId: about } : { subjectType: type, subjectId: about };
        return send(
          ageMs,
          notification(id, nowMs - ageMs, {
            ...named,
            decision,
            ...(decision === 'sent' ? {} : { reason: 'timeout' }),
          }),
        );
      }),
    ],
    counts: {
      ...recountAlerts(alerts, isSevere, isUnknown),
      'ops.incident.timeline_recorded': {
        findings:
          count(alerts, (one) => one.createdAgeMs <= 90 * dayMs) +
          count(alerted, (one) => one.openedAgeMs <= 90 * dayMs),
        complete:
          count(
            alerts,
            (one) => one.createdAgeMs <= 90 * dayMs && one.category !== null && one.firstActivityAgeMs !== null,
          ) + count(alerted, (one) => one.openedAgeMs <= 90 * dayMs),
      },
      'ops.notify.escalation_1h': {
        findings: severe.length,
        notified: count(severe, (one) => !isUnknown(one) && isNotified(one)),
        unknown: count(severe, isUnknown),
      },
    },
  };
}

function recountAlerts(
  alerts: readonly Alert[],
  isSevere: (one: Alert) => boolean,
  isUnknown: (one: Alert) => boolean,
): Part['counts'] {
  const severe = alerts.filter(isSevere);
  const toTriage = severe.filter((one) => isBetween(one.createdAgeMs, dayMs, 30));
  const toResolve = severe.filter((one) => isBetween(one.createdAgeMs, 7 * dayMs, 60));
  const ofMail = alerts.filter((one) => one.isOfMail && isBetween(one.createdAgeMs, 3 * dayMs, 30));
  const isResolvedWithin = (one: Alert, ms: number) => {
    const { status, resolvedAgeMs } = lastState(one);
    return status === 'resolved' && resolvedAgeMs !== null && one.createdAgeMs - resolvedAgeMs <= ms;
  };
  return {
    'ops.alerts.triage_24h': {
      highAlerts: toTriage.length,
      triaged: count(toTriage, (one) => !isUnknown(one) && one.createdAgeMs - triagedAgeMs(one) <= dayMs),
      unknown: count(toTriage, isUnknown),
    },
    'ops.alerts.resolution_7d': {
      highAlerts: toResolve.length,
      resolved: count(toResolve, (one) => !isUnknown(one) && isResolvedWithin(one, 7 * dayMs)),
      unknown: count(toResolve, isUnknown),
    },
    'data.mail.threats_handled': {
      mailAlerts: ofMail.length,
      handled: count(ofMail, (one) => isResolvedWithin(one, 3 * dayMs)),
    },
  };
}
