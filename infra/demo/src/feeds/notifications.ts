import type { Company } from '../company.ts';
import { type DemoState, formatInstant } from '../demo-state.ts';
import { chooseHandler } from '../policies.ts';
import { deriveGuid, type Random } from '../random.ts';
import { deriveLevel, deriveSeverity, type Episode, summarizeEpisode } from './episode.ts';
import type { Scan } from './policy-scans.ts';

/** The records that notifications are about. */
export interface NotificationSubjects {
  readonly episodes: readonly Episode[];
  readonly scans: readonly Scan[];
}

/** A notification for each episode and each scan with matches, then reminders until there are `count`. */
export function createNotifications(
  company: Company,
  random: Random,
  subjects: NotificationSubjects,
  count: number,
): DemoState[] {
  const ofEpisodes = subjects.episodes.map((episode) =>
    notifyOfEpisode(company, random, episode, episode.openedMs + 70 * 60_000),
  );
  const matched = subjects.scans.filter(({ resources }) => resources > 0);
  const ofScans = matched.map((scan) => notifyOfScan(company, random, scan, scan.scannedMs + 60_000));
  const first = [...ofEpisodes, ...ofScans];
  const reminders = Array.from({ length: Math.max(0, count - first.length) }, () => {
    const scan = random.pick(matched);
    return notifyOfScan(company, random, scan, scan.scannedMs + random.between(10, 400) * 60_000);
  });
  return [...first, ...reminders].slice(0, count);
}

/** A notification about an existing record. */
export function chooseNotification(
  company: Company,
  random: Random,
  { episodes, scans }: NotificationSubjects,
  atMs: number,
): DemoState {
  const open = scans.filter(({ status }) => status === 'open');
  if (open.length === 0 || (random.bool(0.3) && episodes.length > 0))
    return notifyOfEpisode(company, random, random.pick(episodes), atMs);
  return notifyOfScan(company, random, random.pick(open), atMs);
}

function notifyOfEpisode(company: Company, random: Random, episode: Episode, atMs: number): DemoState {
  const { id, subject: about } = episode;
  const isQuiet = deriveLevel(episode) === 'informational';
  return createNotification(company, random, atMs, {
    source: 'anomaly',
    kind: 'anomaly',
    ...(isQuiet ? { decision: 'suppressed', reason: 'informationalTier' } : chooseDecision(random)),
    subjectType: 'detection',
    subjectId: id,
    subjectCount: 1,
    resourceType: about?.type ?? null,
    resourceId: about?.id ?? null,
    severity: deriveSeverity(episode),
    recipients: company.admins.map(({ userPrincipalName }) => userPrincipalName),
    recipientSource: 'tenantAdmins',
    mailSubject: summarizeEpisode(episode),
  });
}

function notifyOfScan(company: Company, random: Random, { id, policy, resources }: Scan, atMs: number): DemoState {
  const kind = random.pick(['instant', 'digest'] as const);
  return createNotification(company, random, atMs, {
    source: 'policy',
    kind,
    ...chooseDecision(random),
    policyId: policy.id,
    policyName: policy.name,
    subjectType: 'policyScan',
    subjectId: id,
    subjectCount: resources,
    resourceType: policy.resourceType,
    resourceId: null,
    severity: policy.severity,
    recipients: [chooseHandler(company, policy).userPrincipalName],
    recipientSource: random.pick(['policyDefault', 'explicit', 'role']),
    mailSubject: `${policy.name}: ${resources} found`,
  });
}

/** The first notification: the log was silent for a while after it was connected. */
export function createSilenceNotification(company: Company, atMs: number): DemoState {
  return {
    topic: 'notification',
    kind: 'notification',
    id: `ntf_${deriveGuid(company.plan.azureTenantId, 'silence', String(atMs)).replaceAll('-', '').slice(0, 20)}`,
    changedAtMs: atMs,
    fields: {
      createdAt: formatInstant(atMs),
      channel: 'email',
      senderMode: 'platform',
      source: 'ingestion',
      kind: 'instant',
      decision: 'sent',
      reason: null,
      severity: 'medium',
      recipients: company.admins.map(({ userPrincipalName }) => userPrincipalName),
      recipientSource: 'tenantAdmins',
      mailSubject: 'Nothing has come from the activity log since it was connected',
    },
  };
}

function createNotification(
  company: Company,
  random: Random,
  atMs: number,
  fields: Record<string, unknown>,
): DemoState {
  const id = `ntf_${deriveGuid(company.plan.azureTenantId, String(fields.subjectId), String(atMs), random.hex(8)).replaceAll('-', '').slice(0, 20)}`;
  return {
    topic: 'notification',
    kind: 'notification',
    id,
    changedAtMs: atMs,
    fields: {
      createdAt: formatInstant(atMs),
      channel: random.pick(['email', 'email', 'email', 'teams', 'inApp']),
      senderMode: random.pick(['platform', 'platform', 'tenantMailbox']),
      ...fields,
    },
  };
}

function chooseDecision(random: Random): { decision: string; reason: string | null } {
  if (random.bool(0.66)) return { decision: 'sent', reason: null };
  if (random.bool(0.25))
    return { decision: 'failed', reason: random.pick(['providerThrottled', 'recipientRejected', 'timeout']) };
  return {
    decision: 'suppressed',
    reason: random.pick(['cooldown', 'duplicate', 'quietHours', 'noChange', 'belowThreshold']),
  };
}
