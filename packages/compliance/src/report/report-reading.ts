import type { ComplianceStatus, ReportLanguage } from '@tenantscope/contract';
import type { Json, JsonObject } from '@tenantscope/proof';
import type { EvidenceQuery } from '@tenantscope/store/compliance';
import { readTogether } from '@tenantscope/store/connection';
import { sectionReaders } from '../evidence/section-readers.ts';

/** The scope of a report: one read snapshot, one tenant, one period, and the template's parameters. */
export interface ReportQuery extends EvidenceQuery {
  readonly connectedAtMs: number;
  /** IANA name, as configured. */
  readonly timeZone: string;
  readonly lang: ReportLanguage;
  /** A framework's key, where the template takes one. */
  readonly framework: string | null;
  readonly incidentId: string | null;
}

/**
 * Where the statuses at the end of a report's period come from. `current`: nothing was recorded after the end, so the facts of
 * now are those of the end. Otherwise the newest snapshot at or before the end, where there is one.
 */
export type EndStatus =
  | { readonly kind: 'current' }
  | { readonly kind: 'snapshot'; readonly id: string; readonly takenAtMs: number; readonly status: ComplianceStatus }
  | { readonly kind: 'unknown' };

/** What a template reads from. */
export interface ReportReading extends ReportQuery {
  readonly end: EndStatus;
}

/** Reads parts of a report that do not depend on each other. */
export async function readParts<Parts extends object>(
  reading: ReportReading,
  parts: { readonly [Name in keyof Parts]: (reading: ReportReading) => Promise<Parts[Name]> },
): Promise<Parts> {
  const readers = Object.entries<(reading: ReportReading) => Promise<unknown>>(parts);
  const values = await readTogether(
    reading.client,
    readers.map(
      ([, read]) =>
        (client) =>
          read({ ...reading, client }),
    ),
  );
  return Object.fromEntries(readers.map(([name], index) => [name, values[index]])) as Parts;
}

export interface SectionRows {
  readonly rows: readonly JsonObject[];
  readonly total: number;
}

/** Maximum number of rows of a section that a report counts in memory. */
export const maxCountedRows = 2_000;

/** Rows of a section of the evidence pack, in its order. */
export async function readSection(reading: ReportReading, key: string, limit = maxCountedRows): Promise<SectionRows> {
  const reader = sectionReaders.find((one) => one.key === key);
  if (reader === undefined) throw new TypeError(`there is no section ${key}`);
  const { rows, totalRowCount } = await reader.read(reading, { after: null, limit });
  return { rows, total: totalRowCount };
}

/**
 * The latest rows of a section of events, oldest first. Sections begin with their oldest row, so where there are more than
 * are counted the period is halved toward its end until they fit. `total` is of the whole period.
 */
export async function readLatestRows(reading: ReportReading, key: string): Promise<SectionRows> {
  let part = await readSection(reading, key);
  const { total } = part;
  let { fromMs } = reading;
  while (part.total > maxCountedRows && reading.toMs - fromMs > 60_000) {
    fromMs = Math.ceil((fromMs + reading.toMs) / 2);
    part = await readSection({ ...reading, fromMs }, key);
  }
  return { rows: part.rows, total };
}

/** The member at the end of a path such as `oversight.accountable.name`; null where the path ends early. */
export function readMember(row: JsonObject, path: string): Json {
  let value: Json = row;
  for (const name of path.split('.')) {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return null;
    value = (value as JsonObject)[name] ?? null;
  }
  return value;
}

export function readText(row: JsonObject, path: string): string | null {
  const value = readMember(row, path);
  return typeof value === 'string' && value !== '' ? value : null;
}

export function readNumber(row: JsonObject, path: string): number | null {
  const value = readMember(row, path);
  return typeof value === 'number' ? value : null;
}

export function readList(row: JsonObject, path: string): readonly Json[] {
  const value = readMember(row, path);
  return Array.isArray(value) ? (value as readonly Json[]) : [];
}
