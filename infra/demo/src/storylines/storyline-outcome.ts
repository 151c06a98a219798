import type { ActionPlan } from '../feeds/action.ts';
import type { Episode } from '../feeds/episode.ts';
import type { VendorAlert } from '../feeds/vendor-alert.ts';

/** The records of a storyline in the other feeds: detections, alerts, the incident and the response actions. */
export interface StorylineOutcome {
  readonly episodes: readonly Episode[];
  readonly alerts: readonly VendorAlert[];
  readonly incident: string;
  readonly actions: readonly ActionPlan[];
}
