import type { EntityKind } from '@tenantscope/contract';
import type { Company } from '../company.ts';
import type { DemoState } from '../demo-state.ts';
import { deriveLevel, type Episode, summarizeEpisode } from '../feeds/episode.ts';
import { deriveAlertId, type VendorAlert } from '../feeds/vendor-alert.ts';
import { deriveNumber } from '../random.ts';
import type { Mail } from './mails.ts';

/** A company at a point in time, with the records that its entities count and refer to. */
export interface InventorySnapshot {
  readonly company: Company;
  readonly atMs: number;
  readonly episodes: readonly Episode[];
  readonly alerts: readonly VendorAlert[];
  readonly mails: readonly Mail[];
}

/** The full state of an entity, as of some hours before the snapshot. */
export function createEntityState(
  { atMs }: InventorySnapshot,
  kind: EntityKind,
  id: string,
  fields: Record<string, unknown>,
): DemoState {
  return { topic: 'entity', kind, id, changedAtMs: atMs - deriveNumber(6 * 3_600_000, id, 'synced'), fields };
}

/** Derives a time before the snapshot from names. */
export function formatTimeBefore({ atMs }: InventorySnapshot, days: number, ...names: readonly string[]): string {
  return new Date(atMs - deriveNumber(days * 86_400_000, ...names)).toISOString();
}

function findEpisodes({ episodes }: InventorySnapshot, id: string): readonly Episode[] {
  return episodes.filter(({ subject: about }) => about?.id === id);
}

export function countOpenEpisodes(snapshot: InventorySnapshot, id: string): number {
  return findEpisodes(snapshot, id).filter(
    (episode) => episode.resolvedMs === null && deriveLevel(episode) === 'alerted',
  ).length;
}

export function listRecentDetections(snapshot: InventorySnapshot, id: string) {
  return findEpisodes(snapshot, id)
    .slice(0, 5)
    .map((episode) => ({ id: episode.id, summary: summarizeEpisode(episode) }));
}

/** Alerts whose evidence contains this id. */
export function findAlerts({ company, alerts }: InventorySnapshot, id: string) {
  return alerts
    .filter(({ evidence }) => JSON.stringify(evidence).includes(id))
    .map((alert) => ({
      id: deriveAlertId(company, alert),
      title: alert.kind.title,
      isOpen: alert.status !== 'resolved',
    }));
}

/** Derives the risk from the open detections and alerts. */
export function deriveRisk(snapshot: InventorySnapshot, id: string): 'none' | 'low' | 'medium' | 'high' {
  const open = countOpenEpisodes(snapshot, id) + findAlerts(snapshot, id).filter(({ isOpen }) => isOpen).length;
  return (['none', 'low', 'medium'] as const)[open] ?? 'high';
}
