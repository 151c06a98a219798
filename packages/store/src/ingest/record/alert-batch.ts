import { createHash } from 'node:crypto';
import { alertElementsMax } from '@tenantscope/contract';
import type pg from 'pg';
import { securityAlertTable } from '../../resource/security-alert.ts';
import { type AlertParts, alertKey, alertPart, readAlertParts, writeAlertParts } from './alert-parts.ts';
import {
  compareVersions,
  lockStoredVersions,
  type RecordState,
  type StateOutcome,
  upsertRows,
  writeFirstStamps,
  writeStates,
} from './record-batch.ts';
import { lockRecords } from './record-lock.ts';

/** The list members of an alert with what its evidence adds, JSON text without braces. Pure. */
export type MergeEvidence = (members: string, evidence: readonly string[]) => string;

/**
 * Pieces of evidence of one alert that are stored: usually below 50. Of more, those with the least digests remain, so that
 * every order of delivery keeps the same ones.
 */
export const alertPartsMax = 4 * alertElementsMax;

/**
 * Writes alerts inside the lane transaction. An alert without evidence of its own is its greatest state, see `writeStates`.
 * Evidence that arrives in records of its own (`isPart`) is stored piece by piece and merged into the greatest state; until
 * there is one, the earliest piece stands for it. Every order of delivery ends in the same rows. Several lanes may touch one
 * alert. Returns the outcomes in the order of `states`.
 */
export async function writeAlertStates(
  client: pg.PoolClient,
  states: readonly RecordState[],
  stampOf: (index: number) => string,
  merge: MergeEvidence,
): Promise<StateOutcome[]> {
  if (states.length === 0) return [];
  await lockRecords(client, 'tenantscope.alert', states.map(alertKey));
  const alerts = await readAlertParts(client, states);
  // Those with evidence are written after the others, and a backfill locks all in the order of ids.
  if (alerts.size > 0) await lockStoredVersions(client, securityAlertTable, states);
  const isMerged = (state: RecordState) => alerts.has(alertKey(state));
  const plain = states.flatMap((state, index) => (isMerged(state) ? [] : [index]));
  const plainOutcomes = await writeStates(
    client,
    securityAlertTable,
    plain.map((index) => states[index] as RecordState),
    (position) => stampOf(plain[position] as number),
  );
  const outcomes = new Map(plain.map((index, position) => [index, plainOutcomes[position] as StateOutcome]));
  if (alerts.size === 0) return plainOutcomes;
  for (const [index, state] of states.entries()) {
    const alert = alerts.get(alertKey(state));
    if (alert !== undefined) outcomes.set(index, applyState(alert, state, index));
  }
  await writeMergedAlerts(client, [...alerts.values()], stampOf, merge);
  const merged = states.flatMap((state, index) => (isMerged(state) ? [index] : []));
  await writeFirstStamps(
    client,
    securityAlertTable,
    merged.map((index) => states[index] as RecordState),
    (position) => stampOf(merged[position] as number),
  );
  return states.map((_, index) => outcomes.get(index) as StateOutcome);
}

async function writeMergedAlerts(
  client: pg.PoolClient,
  alerts: readonly AlertParts[],
  stampOf: (index: number) => string,
  merge: MergeEvidence,
): Promise<void> {
  const touched = alerts.filter(({ lastChange }) => lastChange >= 0);
  if (touched.length === 0) return;
  await writeAlertParts(client, touched);
  const rows = touched.map((alert) => ({ state: mergeParts(alert, merge), stamp: stampOf(alert.lastChange) }));
  await upsertRows(client, securityAlertTable, rows, '');
}

function applyState(alert: AlertParts, state: RecordState, index: number): StateOutcome {
  const outcome =
    state.isPart === true ? addEvidence(alert, state) : compareVersions(state, alert.parts.get(alertPart));
  if (outcome !== 'applied') return outcome;
  if (state.isPart !== true) {
    alert.parts.set(alertPart, state);
    alert.changed.add(alertPart);
  }
  alert.lastChange = index;
  return outcome;
}

/** A piece is never replaced: one that reports something else is another one. */
function addEvidence({ parts, changed, removed }: AlertParts, state: RecordState): StateOutcome {
  const part = state.digest.toString('hex');
  if (parts.has(part)) return 'same';
  const names = listEvidence(parts);
  if (names.length >= alertPartsMax) {
    const greatest = names.at(-1) as string;
    if (part > greatest) return 'stale';
    parts.delete(greatest);
    changed.delete(greatest);
    removed.add(greatest);
  }
  parts.set(part, state);
  changed.add(part);
  return 'applied';
}

function listEvidence(parts: ReadonlyMap<string, RecordState>): string[] {
  return [...parts.keys()].filter((part) => part !== alertPart).sort();
}

/** The row of an alert: a function of its parts alone. */
function mergeParts({ parts }: AlertParts, merge: MergeEvidence): RecordState {
  const names = listEvidence(parts);
  const evidence = names.map((name) => parts.get(name) as RecordState).sort(compareAge);
  const alert = parts.get(alertPart);
  const shown = alert ?? (evidence[0] as RecordState);
  const { isPart: _, ...state } = shown;
  const hash = createHash('sha256').update(alert?.digest ?? '');
  for (const name of names) hash.update(name);
  return {
    ...state,
    version: (alert?.version ?? 0) + countEvidence(names),
    digest: hash.digest(),
    members: merge(
      shown.members,
      evidence.map(({ members }) => members),
    ),
  };
}

function compareAge(one: RecordState, other: RecordState): number {
  return one.version - other.version || Buffer.compare(one.digest, other.digest);
}

/**
 * What evidence adds to the version, in any order of delivery the same: one per piece. Once there is no space, each new piece
 * lowers the greatest digest, whose distance from the greatest possible one then counts: up to 72 minutes in microseconds.
 */
function countEvidence(names: readonly string[]): number {
  if (names.length < alertPartsMax) return names.length;
  return names.length + 0xffff_ffff - Number.parseInt((names.at(-1) as string).slice(0, 8), 16);
}
