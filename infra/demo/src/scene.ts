import type { FormatName } from '@tenantscope/intake';
import type { Chance } from './chance.ts';
import type { Company, Person } from './company.ts';
import type { Feed } from './company-plan.ts';
import type { Device } from './devices.ts';

/** Who does something, when, and from where. */
export interface Scene {
  readonly company: Company;
  readonly chance: Chance;
  readonly atMs: number;
  readonly person: Person;
  readonly device: Device;
  readonly address: string;
}

/** A kind of thing that happens, and the record a provider writes of it. */
export interface Activity {
  /** How often, among all that happens. */
  readonly weight: number;
  readonly by: 'anyone' | 'admin' | 'guest';
  readonly feed: Feed;
  readonly format: FormatName;
  /** Machines do it at any hour; people in theirs. */
  readonly rhythm: 'office hours' | 'any hour';
  /** How long the provider usually takes to hand the record over. */
  readonly delay: keyof typeof typicalDelayMs;
  record(scene: Scene): Record<string, unknown>;
}

const minuteMs = 60_000;

export const typicalDelayMs = {
  minutes: 4 * minuteMs,
  hour: 55 * minuteMs,
  days: 40 * 60 * minuteMs,
} as const;
