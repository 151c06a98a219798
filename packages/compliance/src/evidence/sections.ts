import { activitySummary } from './activity-summary.ts';
import { aiAppReach } from './ai-app-reach.ts';
import { aiDetections } from './ai-detections.ts';
import { aiPolicyScans } from './ai-policy-scans.ts';
import { dataRestrictions } from './data-restrictions.ts';
import { friaSummary } from './fria-summary.ts';
import { friaSystems } from './fria-systems.ts';
import { instructionChanges } from './instruction-changes.ts';
import { inventory } from './inventory.ts';
import { lifecycleEvents } from './lifecycle-events.ts';
import { permissions } from './permissions.ts';
import { remediation } from './remediation.ts';
import { restrictionHistory } from './restriction-history.ts';
import type { SectionReader } from './section.ts';
import { storeShelf } from './store-shelf.ts';
import { thirdPartyApps } from './third-party-apps.ts';
import { threatEvents } from './threat-events.ts';

/** Readers of the sections, in the catalogue's order. */
export const sectionReaders: readonly SectionReader[] = [
  inventory,
  permissions,
  activitySummary,
  lifecycleEvents,
  threatEvents,
  instructionChanges,
  storeShelf,
  thirdPartyApps,
  aiAppReach,
  aiPolicyScans,
  aiDetections,
  dataRestrictions,
  restrictionHistory,
  friaSystems,
  friaSummary,
  remediation,
];
