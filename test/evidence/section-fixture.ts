import { afterAll } from 'vitest';
import { type FactDatabase, newTenantId, openFactDatabase } from '../compliance/fact-database.ts';
import * as input from '../compliance/input-records.ts';
import { type ReadSection, readSection, type Window } from './read-section.ts';

/** The time of all records in these tests, and the end of the window. */
export const toMs = Date.UTC(2026, 5, 15, 12);
/** A time within that window. */
export const ms = toMs - 5 * input.dayMs;

export interface SectionFixture {
  readonly facts: FactDatabase;
  readonly window: Window;
  readonly fromMs: number;
  /** The section's rows of a new tenant with these records. */
  readRows(key: string, records: readonly input.InputRecord[], ingestedAtMs?: number): Promise<ReadSection['rows']>;
}

/** A database for the tests of one file, with a window of the days before `toMs`. */
export async function openSectionFixture({ days = 30 } = {}): Promise<SectionFixture> {
  const facts = await openFactDatabase();
  afterAll(() => facts[Symbol.asyncDispose]());
  const fromMs = toMs - days * input.dayMs;
  const window = { fromMs, toMs };
  return {
    facts,
    window,
    fromMs,
    async readRows(key, records, ingestedAtMs = toMs) {
      const tenantId = newTenantId();
      await facts.ingest(tenantId, ingestedAtMs, records);
      return (await readSection(facts, tenantId, key, window)).rows;
    },
  };
}
