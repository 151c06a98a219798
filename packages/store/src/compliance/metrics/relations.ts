import type { Relation } from './relation.ts';
import { actions } from './subject/actions.ts';
import { oversightRelations } from './subject/agent-oversight.ts';
import { agentRelations } from './subject/agents.ts';
import { aiActivityRelations } from './subject/ai-activity.ts';
import { alerts } from './subject/alerts.ts';
import { appRelations } from './subject/apps.ts';
import { fileRelations } from './subject/data-files.ts';
import { movementRelations } from './subject/data-movement.ts';
import { detectionRelations } from './subject/detections.ts';
import { devices } from './subject/devices.ts';
import { licenseAssignments } from './subject/licenses.ts';
import { logRelations } from './subject/logs.ts';
import { notificationRelations } from './subject/notifications.ts';
import { policies } from './subject/policies.ts';
import { restrictedReads } from './subject/restricted-reads.ts';
import { sites } from './subject/sites.ts';
import { userRelations } from './subject/users.ts';

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
