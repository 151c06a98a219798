import type { ActivityFormat } from '../activity/activity-format.ts';
import { noFrame } from '../azure-monitor/log-frame.ts';
import { splitRecords, toSplitRecord } from '../message/split-records.ts';
import { normaliseRiskEvent } from './risk-event.ts';

/** Risk detections of the Graph API, alone or in the `value` array of a page. */
export const entraRiskGraph: ActivityFormat = {
  family: 'entra',
  split: (parsed) => splitRecords(parsed, { list: 'value', recordMember: 'id' }, toSplitRecord),
  normalise: (record) => {
    const isService = record.servicePrincipalId !== undefined;
    return normaliseRiskEvent(record, {
      ...noFrame,
      sourceName: isService ? 'ServicePrincipalRiskEvents' : 'UserRiskEvents',
    });
  },
};
