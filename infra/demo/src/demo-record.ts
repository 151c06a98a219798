import type { ActivityFormatName } from '@tenantscope/intake';
import type { Activity } from './activity.ts';
import { timestampPrecisionMs } from './activity-catalogue.ts';
import { chooseActor } from './choose-actor.ts';
import type { Company } from './company.ts';
import type { Random } from './random.ts';

/** A log record as delivered by a provider. */
export interface DemoRecord {
  readonly format: ActivityFormatName;
  readonly record: Readonly<Record<string, unknown>>;
  readonly occurredAtMs: number;
}

/** Creates the record of an activity at a time. */
export function createDemoRecord(activity: Activity, company: Company, random: Random, atMs: number): DemoRecord {
  const occurredAtMs = atMs - (atMs % timestampPrecisionMs(activity.format));
  const record = activity.record(chooseActor(activity, company, random, occurredAtMs));
  return { format: activity.format, record, occurredAtMs };
}
