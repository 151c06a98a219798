import type { FormatName } from '@tenantscope/intake';
import { cast } from './casting.ts';
import type { Chance } from './chance.ts';
import type { Company } from './company.ts';
import { tickMs } from './repertoire.ts';
import type { Activity } from './scene.ts';

/** A record as a provider would hand it over. */
export interface DemoRecord {
  readonly format: FormatName;
  readonly record: Readonly<Record<string, unknown>>;
  readonly occurredAtMs: number;
}

/** Lets an activity happen at a time. */
export function perform(activity: Activity, company: Company, chance: Chance, atMs: number): DemoRecord {
  const occurredAtMs = atMs - (atMs % tickMs(activity.format));
  const record = activity.record(cast(activity, company, chance, occurredAtMs));
  return { format: activity.format, record, occurredAtMs };
}
