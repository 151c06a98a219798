import { randomUUID } from 'node:crypto';

/** A message of one of the platform's producers. */
export interface RecordMessage {
  readonly key: string;
  readonly value: Buffer | null;
  readonly headers: Record<string, string>;
}

type Payload = { readonly id: string; readonly tenantId: string } & Readonly<Record<string, unknown>>;

/** @param type the kind and its event, for example `policy-scan.upserted` */
export function recordMessage(type: string, payload: Payload): RecordMessage {
  const kind = type.split('.').at(-2) ?? '';
  return {
    key: `${payload.tenantId}/${kind}/${encodeURIComponent(payload.id)}`,
    value: Buffer.from(JSON.stringify(payload)),
    headers: {
      ce_specversion: '1.0',
      ce_id: randomUUID(),
      ce_source: '/platform/test',
      ce_type: `tenantscope.${type}.v1`,
      ce_tenantid: payload.tenantId,
      'content-type': 'application/json',
    },
  };
}

/** A tombstone for compaction: the key only. */
export function tombstone(message: RecordMessage): RecordMessage {
  return { ...message, value: null };
}

export const firstMs = Date.UTC(2026, 9, 1);
const at = (ms: number): string => new Date(ms).toISOString();

/** One version of a detection; all members follow from its number and version. */
export function detectionState(tenantId: string, number: number, version = 1, more: Record<string, unknown> = {}) {
  const openedMs = firstMs + number * 60_000;
  const seenMs = openedMs + version * 3_600_000;
  const isOpen = version % 3 !== 0;
  const current = 40 + version;
  const kind = ['user', 'agent', 'file'][number % 3];
  return {
    id: `detection-${number}`,
    tenantId,
    version,
    changedAt: at(seenMs),
    kind: 'anomaly',
    severity: ['low', 'medium', 'high', 'critical'][(number + version) % 4],
    status: isOpen ? 'open' : 'resolved',
    stateful: true,
    openedAt: at(openedMs),
    lastSeenAt: at(seenMs),
    resolvedAt: isOpen ? null : at(seenMs + 3_600_000),
    summary: `Person ${number} downloaded ${current} files in 24 hours.`,
    detector: { id: `volume.${number % 2}`, name: 'Unusual volume' },
    entity: number % 5 === 0 ? null : { type: kind, id: `${kind}-${number}`, name: `Name ${number}` },
    details: {
      level: number % 4 === 0 ? 'informational' : 'alerted',
      current,
      peakCurrent: current + 10,
      baseline: 4.5,
      score: 61.5,
      peakScore: 88.1,
      diffPercent: 930.5,
      actionGroup: 'file.download',
      activityLabel: 'File downloads',
      activityDescription: 'Files downloaded.',
      episodeCount: 1,
    },
    ...more,
  };
}

export function policyScanState(tenantId: string, number: number, version = 1, more: Record<string, unknown> = {}) {
  const scannedMs = firstMs + number * 60_000;
  const isResolved = version % 2 === 0;
  return {
    id: `scan-${number}`,
    tenantId,
    version,
    changedAt: at(scannedMs + version * 1_000),
    name: `Policy ${number % 3}`,
    severity: ['informational', 'low', 'medium', 'high'][number % 4],
    status: isResolved ? 'resolved' : 'open',
    resourceType: 'file',
    resources: number + version,
    scannedAt: at(scannedMs),
    policyId: `policy-${number % 3}`,
    resolvedAt: isResolved ? at(scannedMs + 60_000) : null,
    automations: JSON.stringify({ notify: [`person${number}@example.com`] }),
    ...more,
  };
}

export function notificationRecord(tenantId: string, number: number, more: Record<string, unknown> = {}) {
  const decision = ['sent', 'suppressed', 'failed'][number % 3];
  return {
    id: `notification-${number}`,
    tenantId,
    createdAt: at(firstMs + number * 60_000),
    source: 'policy',
    kind: number % 2 ? 'digest' : 'instant',
    channel: 'email',
    decision,
    reason: decision === 'sent' ? null : 'timeout',
    policyId: `policy-${number % 3}`,
    severity: 'high',
    recipients: [`person${number}@example.com`],
    ...more,
  };
}

export function actionState(tenantId: string, number: number, version = 1, more: Record<string, unknown> = {}) {
  const createdMs = firstMs + number * 60_000;
  const ladder = ['staged', 'approved', 'applied', 'confirmed'];
  return {
    id: `action-${number}`,
    tenantId,
    version,
    changedAt: at(createdMs + version * 60_000),
    actionName: 'Remove anonymous links',
    actionType: 'removeSharingLink',
    actorKind: number % 2 ? 'human' : 'policy',
    rollupRung: ladder[Math.min(version, ladder.length) - 1],
    itemsTotal: 10,
    itemsSettled: Math.min(version, 10),
    failedCount: number % 2,
    isSimulated: false,
    isIrreversible: false,
    createdAt: at(createdMs),
    updatedAt: at(createdMs + version * 60_000),
    revertBucket: 'available',
    ...more,
  };
}
