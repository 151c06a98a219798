import { activitySummary } from './activity-summary.ts';
import { aiDetections } from './ai-detections.ts';
import { aiPolicyScans } from './ai-policy-scans.ts';
import { dataRestrictions } from './data-restrictions.ts';
import { friaSummary } from './fria-summary.ts';
import { friaSystems } from './fria-systems.ts';
import { instructionChanges } from './instruction-changes.ts';
import { lifecycleEvents } from './lifecycle-events.ts';
import { remediation } from './remediation.ts';
import { restrictionHistory } from './restriction-history.ts';
import type { SectionReader } from './section.ts';
import { threatEvents } from './threat-events.ts';

/** Readers of the sections, in the catalogue's order. */
export const sectionReaders: readonly SectionReader[] = [
  activitySummary,
  lifecycleEvents,
  threatEvents,
  instructionChanges,
  aiPolicyScans,
  aiDetections,
  dataRestrictions,
  restrictionHistory,
  friaSystems,
  friaSummary,
  remediation,
];
