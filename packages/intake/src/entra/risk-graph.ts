import type { ActivityFormat } from '../activity/activity-format.ts';
import { noFrame } from '../azure-monitor/log-frame.ts';
import { firstId } from '../field/guid.ts';
import { sourceShapes } from '../source/source-shapes.ts';
import { normaliseRiskEvent } from './risk-event.ts';

/** Risk detections of the Graph API, alone or in the `value` array of a page. */
export const entraRiskGraph: ActivityFormat = {
  family: 'entra',
  shape: sourceShapes['entra.risk.graph'],
  normalise: (record) => {
    const isService = firstId(record.servicePrincipalId) !== null;
    return normaliseRiskEvent(record, {
      ...noFrame,
      sourceName: isService ? 'ServicePrincipalRiskEvents' : 'UserRiskEvents',
    });
  },
};
