import * as events from '../events.ts';
import * as input from '../input-records.ts';
import { type Chooser, count, guid, nowMs, type Part, type Sent, send } from './part.ts';

const { dayMs, hourMs } = input;

const actionGroups = [
  ...['file.download', 'mail.forwardingChange', 'ediscovery.export', 'file.share', 'file.shareAnonymous'],
  ...['mail.exfiltration', 'file.delete', 'ai.interaction', 'agent.change', 'aircraft', 'sign.in'],
] as const;
const isAiGroup = (actionGroup: string) => /^(?:ai|agent)\./.test(actionGroup);
const carriesDataOut = /^(?:file\.download|mail\.forwardingChange|ediscovery\.export|file\.share.*|.*exfiltration.*)$/;

const createApp = (choose: Chooser, index: number) => ({
  id: `app${index}`,
  clientId: guid('a', index),
  isAiApp: choose.maybe(),
  isDeleted: choose.happens(20),
});
type App = ReturnType<typeof createApp>;

const createEntity = (choose: Chooser, apps: readonly App[]) => {
  const type = choose.pick(['agent', 'app', 'app', 'app', 'user', null]);
  if (type === null) return null;
  const app = choose.pick(apps);
  const name = choose.happens(10) ? 'stranger' : choose.pick([app.id, app.clientId]);
  return { type, id: type === 'app' ? choose.inAnyCase(name) : 'sales', name: 'Sales' };
};

function createEpisode(choose: Chooser, index: number, apps: readonly App[]) {
  const openedAgeMs = choose.near(3, 7, 30, 60);
  const entity = createEntity(choose, apps);
  const actionGroup = choose.pick(actionGroups);
  const isResolved = choose.happens(75);
  return {
    id: `episode${index}`,
    openedAgeMs,
    entity,
    actionGroup,
    firstLevel: choose.pick(['alerted', 'informational']),
    level: choose.pick(['alerted', 'alerted', 'alerted', 'informational']),
    // A detector's clock may be ahead of this one.
    resolvedAfterMs: isResolved
      ? choose.pick([0, 1, 3, 3, 7, 7, 10]) * dayMs + choose.pick([0, 0, 1_000, hourMs])
      : null,
    // Detections of other kinds than anomalies have no level, and are listed by default.
    hasLevel: choose.happens(60),
    status: choose.pick(['resolved', 'resolved', 'dismissed']),
    // Resolved once, and open again.
    wasResolved: choose.happens(30),
    isSentOnce: choose.happens(30),
  };
}
type Episode = ReturnType<typeof createEpisode>;

/** Its states as they arrive: open, perhaps resolved too early, and the last one. */
function sendEpisode(one: Episode): Sent[] {
  const { id, openedAgeMs, entity, actionGroup, status, resolvedAfterMs } = one;
  const state = (resolvedMs: number | null, level: string): input.InputRecord => {
    const hours = resolvedMs === null ? null : resolvedMs / hourMs;
    const record = events.episode(id, nowMs - openedAgeMs, hours, { entity, actionGroup, level, status });
    if (one.hasLevel || record.topic !== 'detection') return record;
    return { ...record, members: { ...record.members, kind: 'novelty', details: { actionGroup } } };
  };
  const lastAgeMs = Math.max(0, openedAgeMs - Math.max(resolvedAfterMs ?? 0, hourMs));
  const last = send(lastAgeMs, state(resolvedAfterMs, one.level));
  if (one.isSentOnce) return last;
  return [
    ...send(openedAgeMs, state(null, one.firstLevel)),
    ...(one.wasResolved ? send(openedAgeMs - 1, state(0, one.firstLevel)) : []),
    ...last,
  ];
}

/** Whether it is about AI; undefined for an app of which that is not known. An app is called by its id or its client id. */
function isOfAi({ entity, actionGroup }: Episode, apps: readonly App[]): boolean | undefined {
  if (entity?.type === 'agent' || isAiGroup(actionGroup)) return true;
  if (entity?.type !== 'app') return false;
  const name = entity.id.toLowerCase();
  return apps.find(({ id, clientId }) => id === name || clientId === name)?.isAiApp;
}

/** Episodes of detectors with all their states, about agents, apps, accounts and the whole tenant. */
export function createEpisodes(choose: Chooser): Part {
  const apps = [0, 1, 2].map((index) => createApp(choose, index));
  const episodes = choose.several([2, 25], (index) => createEpisode(choose, index, apps));
  const alerted = episodes.filter(({ hasLevel, level }) => !hasLevel || level === 'alerted');
  const openedDays = (some: readonly Episode[], from: number) =>
    some.filter(({ openedAgeMs }) => openedAgeMs >= from * dayMs && openedAgeMs <= 60 * dayMs);
  const isResolvedWithin = ({ openedAgeMs, resolvedAfterMs }: Episode, days: number) =>
    resolvedAfterMs !== null && resolvedAfterMs <= days * dayMs && resolvedAfterMs <= openedAgeMs;
  const due = openedDays(alerted, 7);
  const ofAi = due.filter((one) => isOfAi(one, apps) !== false);
  const ofData = openedDays(alerted, 3).filter(({ actionGroup }) => carriesDataOut.test(actionGroup));
  return {
    sent: [
      ...apps.flatMap(({ id, clientId, isAiApp, isDeleted }) => [
        ...send(100 * dayMs, input.app(id, { appId: clientId, isAiApp })),
        ...(isDeleted ? send(90 * dayMs, input.deletedEntity('app', id)) : []),
      ]),
      ...episodes.flatMap(sendEpisode),
    ],
    counts: {
      'ops.detections.resolution': {
        episodes: due.length,
        resolved: count(due, (one) => isResolvedWithin(one, 7)),
        unknown: 0,
      },
      'ai.detection.resolved_7d': {
        episodes: ofAi.length,
        resolvedInTime: count(ofAi, (one) => isOfAi(one, apps) === true && isResolvedWithin(one, 7)),
        unknown: count(ofAi, (one) => isOfAi(one, apps) === undefined),
      },
      'data.exfiltration.handled': {
        episodes: ofData.length,
        handled: count(ofData, (one) => isResolvedWithin(one, 3)),
        unknown: 0,
      },
    },
  };
}
