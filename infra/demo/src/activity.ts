import type { ActivityFormatName } from '@tenantscope/intake';
import type { Company, Person } from './company.ts';
import type { Feed } from './company-plan.ts';
import type { Device } from './devices.ts';
import type { Random } from './random.ts';

/** The actor of an activity, its time, device and address. */
export interface ActivityContext {
  readonly company: Company;
  readonly random: Random;
  readonly atMs: number;
  readonly person: Person;
  readonly device: Device;
  readonly address: string;
}

/** A kind of activity, and the record that a provider writes for it. */
export interface Activity {
  /** The relative frequency. */
  readonly weight: number;
  readonly by: 'anyone' | 'admin' | 'guest';
  readonly feed: Feed;
  readonly format: ActivityFormatName;
  /** Automated activity occurs at any hour, human activity in office hours. */
  readonly schedule: 'office hours' | 'any hour';
  /** How long the provider usually takes to deliver the record. */
  readonly delay: keyof typeof typicalDelayMs;
  record(context: ActivityContext): Record<string, unknown>;
}

const minuteMs = 60_000;

export const typicalDelayMs = {
  minutes: 4 * minuteMs,
  hour: 55 * minuteMs,
  days: 40 * 60 * minuteMs,
} as const;
