import { evidenceSections, positionOf, sectionReaders } from '@tenantscope/compliance';
import type { JsonObject } from '@tenantscope/proof';
import type { EvidencePosition } from '@tenantscope/store';
import { expect } from 'vitest';
import type { Told } from '../compliance/told.ts';

export interface Window {
  readonly fromMs: number;
  readonly toMs: number;
  /** Everything that was told, unless it says otherwise. */
  readonly knownThroughMs?: number;
}

export interface ReadSection {
  readonly rows: readonly JsonObject[];
  readonly totalRowCount: number;
  readonly asOfMs: number | null;
}

/** A section as a pack holds it. Every row has the catalogue's fields and no others, and stands at a place of its own. */
export async function readSection(
  told: Told,
  tenantId: string,
  key: string,
  window: Window,
  page: { after: EvidencePosition | null; limit: number } = { after: null, limit: 2_000 },
): Promise<ReadSection> {
  const reader = sectionReaders.find((one) => one.key === key);
  const section = evidenceSections.find((one) => one.key === key);
  if (!reader || !section) throw new Error(`there is no section ${key}`);
  const { fromMs, toMs, knownThroughMs = Date.UTC(2100, 0) } = window;
  const read = await told.read(tenantId, (client) =>
    reader.read({ client, tenantId, fromMs, toMs, knownThroughMs }, page),
  );
  for (const row of read.rows) {
    expect(Object.keys(row).sort()).toEqual(section.fields.map(({ name }) => name).sort());
  }
  const places = read.rows.map((row) => JSON.stringify(positionOf(row, section.orderBy)));
  expect(new Set(places).size).toBe(places.length);
  return read;
}

/** The rows of a section, page by page; each page counts what is left. */
export async function readPages(
  told: Told,
  tenantId: string,
  key: string,
  window: Window,
  limit: number,
): Promise<readonly JsonObject[]> {
  const orderBy = evidenceSections.find((one) => one.key === key)?.orderBy ?? '';
  const rows: JsonObject[] = [];
  let after: EvidencePosition | null = null;
  for (;;) {
    const page: ReadSection = await readSection(told, tenantId, key, window, { after, limit });
    rows.push(...page.rows);
    const last = page.rows.at(-1);
    if (last === undefined || page.totalRowCount === page.rows.length) return rows;
    expect(page.rows).toHaveLength(limit);
    after = positionOf(last, orderBy);
  }
}
