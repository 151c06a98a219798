import type { ComplianceStatus, ReportLanguage } from '@tenantscope/contract';
import type { Json, JsonObject } from '@tenantscope/proof';
import type { EvidenceReading } from '@tenantscope/store';
import { sectionReaders } from '../evidence/sections.ts';
import { statusBehind } from '../read-status.ts';

/** What a report is read with: one moment of the database, one tenant, one period, and what the template was asked for. */
export interface ReportReading extends EvidenceReading {
  readonly connectedAtMs: number;
  readonly lang: ReportLanguage;
  /** A framework's key, where the template takes one. */
  readonly framework: string | null;
  readonly incidentId: string | null;
}

/** The status as evaluated for the end of the period, from what is known now. */
export function readStatusAtEnd(reading: ReportReading): Promise<ComplianceStatus> {
  const { client, tenantId, connectedAtMs, toMs } = reading;
  return statusBehind(client, { tenantId, connectedAtMs, nowMs: toMs });
}

export interface SectionRows {
  readonly rows: readonly JsonObject[];
  readonly total: number;
}

/** Most rows of a section that a report counts in memory. */
export const countedMax = 2_000;

/** Rows of a section of the evidence pack, in its order. */
export async function readSectionOf(reading: ReportReading, key: string, limit = countedMax): Promise<SectionRows> {
  const reader = sectionReaders.find((one) => one.key === key);
  if (reader === undefined) throw new TypeError(`there is no section ${key}`);
  const { rows, totalRowCount } = await reader.read(reading, { after: null, limit });
  return { rows, total: totalRowCount };
}

/**
 * The latest rows of a section of events, oldest first. Sections begin with their oldest row, so where there are more than are counted the period is halved
 * toward its end until they fit. `total` is of the whole period.
 */
export async function readLatestOf(reading: ReportReading, key: string): Promise<SectionRows> {
  let part = await readSectionOf(reading, key);
  const { total } = part;
  let { fromMs } = reading;
  while (part.total > countedMax && reading.toMs - fromMs > 60_000) {
    fromMs = Math.ceil((fromMs + reading.toMs) / 2);
    part = await readSectionOf({ ...reading, fromMs }, key);
  }
  return { rows: part.rows, total };
}

/** The member at the end of a path such as `oversight.accountable.name`; null where the path ends early. */
export function memberAt(row: JsonObject, path: string): Json {
  let value: Json = row;
  for (const name of path.split('.')) {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return null;
    value = (value as JsonObject)[name] ?? null;
  }
  return value;
}

export function textAt(row: JsonObject, path: string): string | null {
  const value = memberAt(row, path);
  return typeof value === 'string' && value !== '' ? value : null;
}

export function numberAt(row: JsonObject, path: string): number | null {
  const value = memberAt(row, path);
  return typeof value === 'number' ? value : null;
}

export function listAt(row: JsonObject, path: string): readonly Json[] {
  const value = memberAt(row, path);
  return Array.isArray(value) ? (value as readonly Json[]) : [];
}
