import { actions } from './actions.ts';
import { oversightRelations } from './agent-oversight.ts';
import { agentRelations } from './agents.ts';
import { aiActivityRelations } from './ai-activity.ts';
import { alerts } from './alerts.ts';
import { appRelations } from './apps.ts';
import { fileRelations } from './data-files.ts';
import { movementRelations } from './data-movement.ts';
import { detectionRelations } from './detections.ts';
import { devices } from './devices.ts';
import { licenseAssignments } from './licenses.ts';
import { logRelations } from './logs.ts';
import { notificationRelations } from './notifications.ts';
import { policies } from './policies.ts';
import type { Relation } from './relation.ts';
import { restrictedReads } from './restricted-reads.ts';
import { sites } from './sites.ts';
import { userRelations } from './users.ts';

/** Every population whose subjects a rule counts. */
export const relations: readonly Relation[] = [
  ...agentRelations,
  ...oversightRelations,
  ...aiActivityRelations,
  ...fileRelations,
  restrictedReads,
  sites,
  ...movementRelations,
  ...appRelations,
  ...userRelations,
  devices,
  licenseAssignments,
  ...logRelations,
  alerts,
  ...detectionRelations,
  ...notificationRelations,
  actions,
  policies,
];
