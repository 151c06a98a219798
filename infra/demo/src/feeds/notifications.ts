import { type Chance, guidOf } from '../chance.ts';
import type { Company } from '../company.ts';
import { type DemoState, shown } from '../demo-state.ts';
import { handlerOf } from '../policies.ts';
import { type Episode, levelOf, severityOf, summaryOf } from './episode.ts';
import type { Scan } from './policy-scans.ts';

/** What somebody may have to be told of. */
export interface Occasions {
  readonly episodes: readonly Episode[];
  readonly scans: readonly Scan[];
}

/** A decision for each episode and each scan that matched, in more than one way where it was grave, until there are `count`. */
export function notificationsOf(company: Company, chance: Chance, occasions: Occasions, count: number): DemoState[] {
  const ofEpisodes = occasions.episodes.map((episode) =>
    ofEpisode(company, chance, episode, episode.openedMs + 70 * 60_000),
  );
  const matched = occasions.scans.filter(({ resources }) => resources > 0);
  const ofScans = matched.map((scan) => ofScan(company, chance, scan, scan.scannedMs + 60_000));
  const first = [...ofEpisodes, ...ofScans];
  const reminders = Array.from({ length: Math.max(0, count - first.length) }, () => {
    const scan = chance.pick(matched);
    return ofScan(company, chance, scan, scan.scannedMs + chance.between(10, 400) * 60_000);
  });
  return [...first, ...reminders].slice(0, count);
}

/** One more about something that is there already. */
export function anyNotification(
  company: Company,
  chance: Chance,
  { episodes, scans }: Occasions,
  atMs: number,
): DemoState {
  const open = scans.filter(({ status }) => status === 'open');
  if (open.length === 0 || (chance.is(0.3) && episodes.length > 0))
    return ofEpisode(company, chance, chance.pick(episodes), atMs);
  return ofScan(company, chance, chance.pick(open), atMs);
}

function ofEpisode(company: Company, chance: Chance, episode: Episode, atMs: number): DemoState {
  const { id, about } = episode;
  const isQuiet = levelOf(episode) === 'informational';
  return notification(company, chance, atMs, {
    source: 'anomaly',
    kind: 'anomaly',
    ...(isQuiet ? { decision: 'suppressed', reason: 'informationalTier' } : decided(chance)),
    subjectType: 'detection',
    subjectId: id,
    subjectCount: 1,
    resourceType: about?.type ?? null,
    resourceId: about?.id ?? null,
    severity: severityOf(episode),
    recipients: company.admins.map(({ userPrincipalName }) => userPrincipalName),
    recipientSource: 'tenantAdmins',
    mailSubject: summaryOf(episode),
  });
}

function ofScan(company: Company, chance: Chance, { id, policy, resources }: Scan, atMs: number): DemoState {
  const kind = chance.pick(['instant', 'digest'] as const);
  return notification(company, chance, atMs, {
    source: 'policy',
    kind,
    ...decided(chance),
    policyId: policy.id,
    policyName: policy.name,
    subjectType: 'policyScan',
    subjectId: id,
    subjectCount: resources,
    resourceType: policy.looksAt,
    resourceId: null,
    severity: policy.severity,
    recipients: [handlerOf(company, policy).userPrincipalName],
    recipientSource: chance.pick(['policyDefault', 'explicit', 'role']),
    mailSubject: `${policy.name}: ${resources} found`,
  });
}

/** The first thing anybody was told: the log said nothing for a while after it was connected. */
export function silenceNoticed(company: Company, atMs: number): DemoState {
  return {
    topic: 'notification',
    kind: 'notification',
    id: `ntf_${guidOf(company.plan.azureTenantId, 'silence', String(atMs)).replaceAll('-', '').slice(0, 20)}`,
    changedAtMs: atMs,
    fields: {
      createdAt: shown(atMs),
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

function notification(company: Company, chance: Chance, atMs: number, said: Record<string, unknown>): DemoState {
  const id = `ntf_${guidOf(company.plan.azureTenantId, String(said.subjectId), String(atMs), chance.hex(8)).replaceAll('-', '').slice(0, 20)}`;
  return {
    topic: 'notification',
    kind: 'notification',
    id,
    changedAtMs: atMs,
    fields: {
      createdAt: shown(atMs),
      channel: chance.pick(['email', 'email', 'email', 'teams', 'inApp']),
      senderMode: chance.pick(['platform', 'platform', 'tenantMailbox']),
      ...said,
    },
  };
}

function decided(chance: Chance): { decision: string; reason: string | null } {
  if (chance.is(0.66)) return { decision: 'sent', reason: null };
  if (chance.is(0.25))
    return { decision: 'failed', reason: chance.pick(['providerThrottled', 'recipientRejected', 'timeout']) };
  return {
    decision: 'suppressed',
    reason: chance.pick(['cooldown', 'duplicate', 'quietHours', 'noChange', 'belowThreshold']),
  };
}
