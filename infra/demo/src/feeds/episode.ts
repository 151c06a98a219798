import type { EntityKind } from '@tenantscope/contract';
import { guidOf } from '../chance.ts';
import { type DemoState, shown, shownOrNull } from '../demo-state.ts';
import { actionGroups, type DetectorId, detectorOf } from './detectors.ts';
import type { Occasion } from './occasion.ts';

/** Who or what something is about, by the id that log rows carry. */
export interface Subject {
  readonly type: EntityKind;
  readonly id: string;
  readonly name: string;
}

/** A detection episode over its whole life, as far as it is known. */
export interface Episode {
  readonly id: string;
  readonly detector: DetectorId;
  readonly about: Subject | null;
  readonly openedMs: number;
  readonly lastSeenMs: number;
  readonly resolvedMs: number | null;
  readonly isDismissed: boolean;
  readonly baseline: number;
  readonly peakCurrent: number;
  /** At the end; less than the peak where the excess ebbed away. */
  readonly current: number;
  readonly ordinal: number;
  /** Privileged users and agents of wide reach weigh more. */
  readonly isPrivileged: boolean;
}

export function episodeId(
  azureTenantId: string,
  detector: DetectorId,
  about: Subject | null,
  occasion: Occasion,
): string {
  return `det_${guidOf(azureTenantId, detector, about?.id ?? '', String(occasion))
    .replaceAll('-', '')
    .slice(0, 20)}`;
}

/** The score from which an episode is alerted. */
const alertLine = 60;

/** 0 to 100 and monotone in the ratio; ten times the usual are 76. */
function scoreOf(current: number, baseline: number): number {
  const distance = Math.abs(Math.log((current + 1) / (baseline + 1)));
  return Math.round(1_000 * (1 - Math.exp(-distance / 1.6))) / 10;
}

export function levelOf({ peakCurrent, baseline }: Episode): 'alerted' | 'informational' {
  return scoreOf(peakCurrent, baseline) >= alertLine ? 'alerted' : 'informational';
}

const bands = ['low', 'medium', 'high', 'critical'] as const;

export function severityOf(episode: Episode): (typeof bands)[number] {
  const score = scoreOf(episode.peakCurrent, episode.baseline);
  const band = score >= 90 ? 3 : score >= 70 ? 2 : score >= 40 ? 1 : 0;
  const isRaised = episode.isPrivileged || detectorOf(episode.detector).isGrave === true;
  return bands[Math.min(3, band + (isRaised ? 1 : 0))] ?? 'low';
}

/** The states the detector would have said: as it opened, at its peak, and as it stands. Each is said minutes after its window ended. */
export function episodeStates(episode: Episode): DemoState[] {
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
    const saidMs = state.resolvedMs ?? state.lastSeenMs + (index + 1) * 60_000;
    return detectionState(state, saidMs);
  });
}

/** The episode in the words of the feed, as of `saidMs`. */
export function detectionState(episode: Episode, saidMs: number): DemoState {
  const { detector, about, baseline, current, peakCurrent, resolvedMs, isDismissed } = episode;
  const { name, actionGroup } = detectorOf(detector);
  const [activityLabel, activityDescription] = actionGroups[actionGroup];
  return {
    topic: 'detection',
    kind: 'detection',
    id: episode.id,
    changedAtMs: saidMs,
    fields: {
      kind: 'anomaly',
      severity: severityOf(episode),
      status: resolvedMs === null ? 'open' : isDismissed ? 'dismissed' : 'resolved',
      stateful: true,
      openedAt: shown(episode.openedMs),
      lastSeenAt: shown(episode.lastSeenMs),
      resolvedAt: shownOrNull(resolvedMs),
      summary: summaryOf(episode),
      detector: { id: detector, name },
      entity: about,
      details: {
        level: levelOf(episode),
        current,
        peakCurrent,
        baseline,
        score: scoreOf(current, baseline),
        peakScore: scoreOf(peakCurrent, baseline),
        diffPercent: Math.round(((current - baseline) / Math.max(baseline, 1)) * 1_000) / 10,
        actionGroup,
        activityLabel,
        activityDescription,
        episodeCount: episode.ordinal,
      },
    },
  };
}

export function summaryOf({ detector, about, peakCurrent, baseline }: Episode): string {
  const did = detectorOf(detector).did.replace('%', String(peakCurrent));
  const percent = Math.round(((peakCurrent - baseline) / Math.max(baseline, 1)) * 100);
  const who = about === null ? 'Across the tenant,' : about.name.slice(0, 120);
  return `${who} ${did} in 24 hours, ${percent} % above the usual ${baseline}.`;
}

const hourMs = 3_600_000;
