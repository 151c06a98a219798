import type { EntityKind } from '@tenantscope/contract';
import { type DemoState, formatInstant, formatOptionalInstant } from '../demo-state.ts';
import { deriveGuid } from '../random.ts';
import { actionGroups, type DetectorId, getDetector } from './detectors.ts';
import type { Trigger } from './trigger.ts';

/** The subject of a record, by the id used in log rows. */
export interface Subject {
  readonly type: EntityKind;
  readonly id: string;
  readonly name: string;
}

/** A detection episode with its states so far. */
export interface Episode {
  readonly id: string;
  readonly detector: DetectorId;
  readonly subject: Subject | null;
  readonly openedMs: number;
  readonly lastSeenMs: number;
  readonly resolvedMs: number | null;
  readonly isDismissed: boolean;
  readonly baseline: number;
  readonly peakCurrent: number;
  /** The final value; below the peak if the activity decreased. */
  readonly current: number;
  readonly ordinal: number;
  /** Privileged users and tenant-wide agents raise the severity. */
  readonly isPrivileged: boolean;
}

export function deriveEpisodeId(
  azureTenantId: string,
  detector: DetectorId,
  about: Subject | null,
  trigger: Trigger,
): string {
  return `det_${deriveGuid(azureTenantId, detector, about?.id ?? '', String(trigger))
    .replaceAll('-', '')
    .slice(0, 20)}`;
}

/** The minimum score of an alerted episode. */
const alertThreshold = 60;

/** 0 to 100, monotone in the ratio; ten times the baseline gives 76. */
function computeScore(current: number, baseline: number): number {
  const distance = Math.abs(Math.log((current + 1) / (baseline + 1)));
  return Math.round(1_000 * (1 - Math.exp(-distance / 1.6))) / 10;
}

export function deriveLevel({ peakCurrent, baseline }: Episode): 'alerted' | 'informational' {
  return computeScore(peakCurrent, baseline) >= alertThreshold ? 'alerted' : 'informational';
}

const bands = ['low', 'medium', 'high', 'critical'] as const;

export function deriveSeverity(episode: Episode): (typeof bands)[number] {
  const score = computeScore(episode.peakCurrent, episode.baseline);
  const band = score >= 90 ? 3 : score >= 70 ? 2 : score >= 40 ? 1 : 0;
  const isRaised = episode.isPrivileged || getDetector(episode.detector).raisesSeverity === true;
  return bands[Math.min(3, band + (isRaised ? 1 : 0))] ?? 'low';
}

/** The states reported by the detector: at opening, at the peak, and at the end. Each is reported minutes after its window ended. */
export function createEpisodeStates(episode: Episode): DemoState[] {
  const { openedMs, lastSeenMs, resolvedMs, baseline, peakCurrent, current } = episode;
  const begun = Math.min(peakCurrent, Math.ceil(baseline * 2 + 3));
  const opening = {
    current: begun,
    peakCurrent: begun,
    lastSeenMs: Math.min(lastSeenMs, openedMs + hourMs),
    resolvedMs: null,
  };
  const states: Episode[] = [
    { ...episode, ...opening },
    { ...episode, current: peakCurrent, resolvedMs: null },
  ];
  if (resolvedMs !== null || current !== peakCurrent) states.push(episode);
  return states.map((state, index) => {
    const reportedMs = state.resolvedMs ?? state.lastSeenMs + (index + 1) * 60_000;
    return createDetectionState(state, reportedMs);
  });
}

/** The episode as a feed record, as of `reportedMs`. */
export function createDetectionState(episode: Episode, reportedMs: number): DemoState {
  const { detector, subject: about, baseline, current, peakCurrent, resolvedMs, isDismissed } = episode;
  const { name, actionGroup } = getDetector(detector);
  const [activityLabel, activityDescription] = actionGroups[actionGroup];
  return {
    topic: 'detection',
    kind: 'detection',
    id: episode.id,
    changedAtMs: reportedMs,
    fields: {
      kind: 'anomaly',
      severity: deriveSeverity(episode),
      status: resolvedMs === null ? 'open' : isDismissed ? 'dismissed' : 'resolved',
      stateful: true,
      openedAt: formatInstant(episode.openedMs),
      lastSeenAt: formatInstant(episode.lastSeenMs),
      resolvedAt: formatOptionalInstant(resolvedMs),
      summary: summarizeEpisode(episode),
      detector: { id: detector, name },
      entity: about,
      details: {
        level: deriveLevel(episode),
        current,
        peakCurrent,
        baseline,
        score: computeScore(current, baseline),
        peakScore: computeScore(peakCurrent, baseline),
        diffPercent: Math.round(((current - baseline) / Math.max(baseline, 1)) * 1_000) / 10,
        actionGroup,
        activityLabel,
        activityDescription,
        episodeCount: episode.ordinal,
      },
    },
  };
}

export function summarizeEpisode({ detector, subject: about, peakCurrent, baseline }: Episode): string {
  const did = getDetector(detector).phrase.replace('%', String(peakCurrent));
  const percent = Math.round(((peakCurrent - baseline) / Math.max(baseline, 1)) * 100);
  const who = about === null ? 'Across the tenant,' : about.name.slice(0, 120);
  return `${who} ${did} in 24 hours, ${percent} % above the usual ${baseline}.`;
}

const hourMs = 3_600_000;
