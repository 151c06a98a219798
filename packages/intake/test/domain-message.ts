import type { RecordTopicName } from '@tenantscope/contract';
import {
  type Message,
  type ReadingContext,
  type RecordOutcome,
  type RecordState,
  readRecords,
} from '@tenantscope/intake';
import { context, tenantId } from './message.ts';

type Payload = Record<string, unknown>;

/** The name of a topic's records in types and keys. */
export const recordKinds = {
  detection: 'detection',
  policyScan: 'policy-scan',
  notification: 'notification',
  action: 'action',
} as const;
export type FeedTopic = keyof typeof recordKinds;
export const feedTopics = Object.keys(recordKinds) as FeedTopic[];

/** An event of the platform's own producers; a kind alone stands for its upserted event. */
export function published(kind: string, payload: unknown, changes: Partial<Message> = {}): Message {
  const [name, verb = 'upserted'] = kind.split(':') as [string, string?];
  const { id } = (typeof payload === 'string' ? JSON.parse(payload) : payload) as { id?: unknown };
  return {
    key: Buffer.from(`${tenantId}/${name}/${encodeURIComponent(String(id))}`),
    value: Buffer.from(typeof payload === 'string' ? payload : JSON.stringify(payload)),
    headers: { ce_specversion: '1.0', ce_type: `tenantscope.${name}.${verb}.v1`, ce_tenantid: tenantId },
    ...changes,
  };
}

export function readOne(
  topic: RecordTopicName,
  message: Message,
  changes: Partial<ReadingContext> = {},
): RecordOutcome {
  const [outcome, ...others] = readRecords(topic, message, { ...context, ...changes });
  if (outcome === undefined || others.length > 0) throw new Error('not one outcome');
  return outcome;
}

/** A payload given as text is sent as it is. */
export function readFeed(topic: FeedTopic, payload: unknown): RecordOutcome {
  return readOne(topic, published(recordKinds[topic], payload));
}

/** The state of a payload that is in order. */
export function readState(topic: FeedTopic, payload: unknown): RecordState {
  const outcome = readFeed(topic, payload);
  if (outcome.kind !== 'state') throw new Error(`no state: ${JSON.stringify(outcome)}`);
  return outcome.state;
}

/** The members that the state adds to the list row. */
export function readMembers(topic: FeedTopic, payload: unknown): Payload {
  return JSON.parse(`{${readState(topic, payload).members}}`) as Payload;
}

const head = { id: 'd_9f2', tenantId, version: 3, changedAt: '2026-11-20T08:00:07.412Z' };

export const payloads: Record<FeedTopic, Payload> = {
  detection: {
    ...head,
    kind: 'anomaly',
    severity: 'high',
    status: 'open',
    stateful: true,
    openedAt: '2026-11-19T07:00:00.000Z',
    lastSeenAt: '2026-11-20T08:00:00.000Z',
    resolvedAt: null,
    summary: 'Adele Vance downloaded 412 files in 24 hours, 930 % above the usual 40.',
    detector: { id: 'volume.file-download.user', name: 'Unusual file downloads by a user' },
    entity: { type: 'user', id: '87d3', name: 'Adele Vance' },
    details: {
      level: 'alerted',
      current: 412,
      peakCurrent: 530,
      baseline: 40,
      score: 74.2,
      peakScore: 81.5,
      diffPercent: 930,
      actionGroup: 'file.download',
      activityLabel: 'File downloads',
      activityDescription: 'Files downloaded or synced from SharePoint and OneDrive.',
      episodeCount: 2,
    },
  },
  policyScan: {
    ...head,
    name: 'Anonymous links',
    severity: 'medium',
    status: 'open',
    resourceType: 'file',
    resources: 14,
    scannedAt: '2026-11-20T06:00:00Z',
    policyId: 'policy-anonymous-links',
    assignedUser: 'adele@contoso.example',
    automations: '{"then":["notify"]}',
  },
  notification: {
    id: 'n_1',
    tenantId,
    createdAt: '2026-11-20T08:01:00Z',
    source: 'policy',
    kind: 'digest',
    channel: 'email',
    decision: 'suppressed',
    reason: 'cooldown',
    severity: 'low',
    recipients: ['adele@contoso.example'],
    subjectCount: 3,
  },
  action: {
    ...head,
    actionName: 'Remove anonymous links',
    actionType: 'removeSharingLink',
    actorKind: 'human',
    rollupRung: 'applied',
    itemsTotal: 5,
    itemsSettled: 3,
    failedCount: 1,
    isSimulated: false,
    isIrreversible: false,
    createdAt: '2026-11-20T07:00:00Z',
    updatedAt: '2026-11-20T08:00:00Z',
    revertBucket: 'available',
    askerNames: ['Adele Vance'],
    actionArguments: { linkId: 'l1', clientSecret: 'hunter2' },
    rungs: [{ rung: 'staged', at: '2026-11-20T07:00:00Z', by: 'adele', byKind: 'human' }],
  },
};
