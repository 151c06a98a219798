import type { SectionReader } from './section-reader.ts';
import { activitySummary } from './sections/activity-summary.ts';
import { aiAppReach } from './sections/ai-app-reach.ts';
import { aiDetections } from './sections/ai-detections.ts';
import { aiPolicyScans } from './sections/ai-policy-scans.ts';
import { attestationHistory } from './sections/attestation-history.ts';
import { dataRestrictions } from './sections/data-restrictions.ts';
import { exceptions } from './sections/exceptions.ts';
import { friaSummary } from './sections/fria-summary.ts';
import { friaSystems } from './sections/fria-systems.ts';
import { instructionChanges } from './sections/instruction-changes.ts';
import { inventory } from './sections/inventory.ts';
import { lifecycleEvents } from './sections/lifecycle-events.ts';
import { permissions } from './sections/permissions.ts';
import { remediation } from './sections/remediation.ts';
import { requirementStatus } from './sections/requirement-status.ts';
import { restrictionHistory } from './sections/restriction-history.ts';
import { storeShelf } from './sections/store-shelf.ts';
import { thirdPartyApps } from './sections/third-party-apps.ts';
import { threatEvents } from './sections/threat-events.ts';

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
  requirementStatus,
  exceptions,
  attestationHistory,
];
