import type { FormatName } from '@tenantscope/intake';
import { cast } from '../casting.ts';
import type { Chance } from '../chance.ts';
import type { Company, Person } from '../company.ts';
import type { CompanyPlan } from '../company-plan.ts';
import type { DemoRecord } from '../demo-record.ts';
import { tickMs } from '../repertoire.ts';
import type { Scene } from '../scene.ts';
import { accountTakeover } from './account-takeover.ts';
import { carelessSharing } from './careless-sharing.ts';
import { passwordSpray } from './password-spray.ts';
import { storylineStartMs } from './storyline-start.ts';

/** One moment of a storyline. */
export interface Beat {
  readonly afterMinutes: number;
  readonly by: Person;
  /** Where it does not come from where the person usually is. */
  readonly from?: Pick<Scene, 'device' | 'address'>;
  readonly format?: FormatName;
  record(scene: Scene): Record<string, unknown>;
}

const storylines: Record<CompanyPlan['storyline'], (company: Company, chance: Chance) => readonly Beat[]> = {
  'account takeover': accountTakeover,
  'password spray': passwordSpray,
  'careless sharing': carelessSharing,
};

/** What went wrong at a company on a working day shortly before `endMs`, told in the records it left. */
export function storylineOf(company: Company, chance: Chance, endMs: number): DemoRecord[] {
  const startMs = storylineStartMs(company, endMs);
  return told(company, chance, storylines[company.plan.storyline](company, chance), startMs);
}

/** Moments as the records they left. */
export function told(company: Company, chance: Chance, beats: readonly Beat[], startMs: number): DemoRecord[] {
  return beats.map((beat) => {
    const format = beat.format ?? 'o365.management-activity';
    const atMs = startMs + beat.afterMinutes * 60_000;
    const occurredAtMs = Math.round(atMs) - (Math.round(atMs) % tickMs(format));
    const usual = cast({ by: 'anyone' }, { ...company, people: [beat.by] }, chance, occurredAtMs);
    const record = beat.record({ ...usual, company, ...beat.from });
    return { format, record, occurredAtMs };
  });
}
