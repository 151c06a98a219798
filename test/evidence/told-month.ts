import { afterAll } from 'vitest';
import * as said from '../compliance/said.ts';
import { strangeTenant, type Told, toldDatabase } from '../compliance/told.ts';
import { type ReadSection, readSection, type Window } from './read.ts';

/** When all that tests say is known; the end of the window they ask about. */
export const toMs = Date.UTC(2026, 5, 15, 12);
/** Some time in that window. */
export const ms = toMs - 5 * said.dayMs;

export interface ToldMonth {
  readonly told: Told;
  readonly window: Window;
  readonly fromMs: number;
  /** The section's rows of a tenant that was told this and nothing else. */
  sectionOf(key: string, sayings: readonly said.Saying[], tellMs?: number): Promise<ReadSection['rows']>;
}

/** A database for the tests of one file, which ask about the days before `toMs`. */
export async function toldMonth({ days = 30 } = {}): Promise<ToldMonth> {
  const told = await toldDatabase();
  afterAll(() => told[Symbol.asyncDispose]());
  const fromMs = toMs - days * said.dayMs;
  const window = { fromMs, toMs };
  return {
    told,
    window,
    fromMs,
    async sectionOf(key, sayings, tellMs = toMs) {
      const tenantId = strangeTenant();
      await told.tell(tenantId, tellMs, sayings);
      return (await readSection(told, tenantId, key, window)).rows;
    },
  };
}
