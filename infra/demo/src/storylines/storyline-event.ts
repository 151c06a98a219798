import type { ActivityFormatName } from '@tenantscope/intake';
import type { ActivityContext } from '../activity.ts';
import type { Person } from '../company.ts';

/** One log record of a storyline, and when it occurs. */
export interface StorylineEvent {
  readonly offsetMinutes: number;
  readonly by: Person;
  /** Set where the event comes from another device or address than the person's own. */
  readonly from?: Pick<ActivityContext, 'device' | 'address'>;
  readonly format?: ActivityFormatName;
  record(context: ActivityContext): Record<string, unknown>;
}
