import { evidenceSections, sectionReaders, toPosition } from '@tenantscope/compliance';
import type { JsonObject } from '@tenantscope/proof';
import type { EvidencePosition } from '@tenantscope/store/compliance';
import { expect } from 'vitest';
import type { FactDatabase } from '../compliance/fact-database.ts';

export interface Window {
  readonly fromMs: number;
  readonly toMs: number;
  /** All stored facts by default. */
  readonly storedThroughMs?: number;
}

export interface ReadSection {
  readonly rows: readonly JsonObject[];
  readonly totalRowCount: number;
  readonly asOfMs: number | null;
}

/** Reads a section as a pack contains it. Every row has exactly the fields of the catalogue and a unique position. */
export async function readSection(
  facts: FactDatabase,
  tenantId: string,
  key: string,
  window: Window,
  page: { after: EvidencePosition | null; limit: number } = { after: null, limit: 2_000 },
): Promise<ReadSection> {
  const reader = sectionReaders.find((one) => one.key === key);
  const section = evidenceSections.find((one) => one.key === key);
  if (!reader || !section) throw new Error(`unknown section ${key}`);
  const { fromMs, toMs, storedThroughMs = Date.UTC(2100, 0) } = window;
  const read = await facts.read(tenantId, (client) =>
    reader.read({ client, tenantId, fromMs, toMs, storedThroughMs: storedThroughMs }, page),
  );
  for (const row of read.rows) {
    expect(Object.keys(row).sort()).toEqual(section.fields.map(({ name }) => name).sort());
  }
  const places = read.rows.map((row) => JSON.stringify(toPosition(row, section.orderBy)));
  expect(new Set(places).size).toBe(places.length);
  return read;
}

/** The rows of a section, page by page; each page reports how many rows are left. */
export async function readPages(
  facts: FactDatabase,
  tenantId: string,
  key: string,
  window: Window,
  limit: number,
): Promise<readonly JsonObject[]> {
  const orderBy = evidenceSections.find((one) => one.key === key)?.orderBy ?? '';
  const rows: JsonObject[] = [];
  let after: EvidencePosition | null = null;
  for (;;) {
    const page: ReadSection = await readSection(facts, tenantId, key, window, { after, limit });
    rows.push(...page.rows);
    const last = page.rows.at(-1);
    if (last === undefined || page.totalRowCount === page.rows.length) return rows;
    expect(page.rows).toHaveLength(limit);
    after = toPosition(last, orderBy);
  }
}
