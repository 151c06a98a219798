import type { EntityKind } from '@tenantscope/contract';
import { numberOf } from '../chance.ts';
import type { Company } from '../company.ts';
import type { DemoState } from '../demo-state.ts';
import { type Episode, levelOf, summaryOf } from '../feeds/episode.ts';
import { alertId, type VendorAlert } from '../feeds/vendor-alert.ts';
import type { Mail } from './mails.ts';

/** A company at a moment, with what is known of it from elsewhere: entities count and name it. */
export interface Picture {
  readonly company: Company;
  readonly atMs: number;
  readonly episodes: readonly Episode[];
  readonly alerts: readonly VendorAlert[];
  readonly mails: readonly Mail[];
}

/** The full state of an entity, as of some hours before the picture's moment. */
export function entityState(
  { atMs }: Picture,
  kind: EntityKind,
  id: string,
  fields: Record<string, unknown>,
): DemoState {
  return { topic: 'entity', kind, id, changedAtMs: atMs - numberOf(6 * 3_600_000, id, 'synced'), fields };
}

/** A moment before the picture's, the same for the same names. */
export function momentBefore({ atMs }: Picture, days: number, ...names: readonly string[]): string {
  return new Date(atMs - numberOf(days * 86_400_000, ...names)).toISOString();
}

function episodesAbout({ episodes }: Picture, id: string): readonly Episode[] {
  return episodes.filter(({ about }) => about?.id === id);
}

export function openEpisodeCount(picture: Picture, id: string): number {
  return episodesAbout(picture, id).filter((episode) => episode.resolvedMs === null && levelOf(episode) === 'alerted')
    .length;
}

export function recentDetections(picture: Picture, id: string) {
  return episodesAbout(picture, id)
    .slice(0, 5)
    .map((episode) => ({ id: episode.id, summary: summaryOf(episode) }));
}

/** Alerts in whose evidence something is named by this id. */
export function alertsNaming({ company, alerts }: Picture, id: string) {
  return alerts
    .filter(({ evidence }) => JSON.stringify(evidence).includes(id))
    .map((alert) => ({ id: alertId(company, alert), title: alert.kind.title, isOpen: alert.status !== 'resolved' }));
}

/** Its risk follows from what is open about it. */
export function riskOf(picture: Picture, id: string): 'none' | 'low' | 'medium' | 'high' {
  const open = openEpisodeCount(picture, id) + alertsNaming(picture, id).filter(({ isOpen }) => isOpen).length;
  return (['none', 'low', 'medium'] as const)[open] ?? 'high';
}
