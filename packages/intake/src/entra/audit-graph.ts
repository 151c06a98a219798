import type { ActivityFormat } from '../activity/activity-format.ts';
import { noFrame } from '../azure-monitor/log-frame.ts';
import { splitRecords, toSplitRecord } from '../message/split-records.ts';
import { normaliseDirectoryAudit } from './directory-audit.ts';

/** Directory audits of the Graph API, alone or in the `value` array of a page. */
export const entraAuditGraph: ActivityFormat = {
  family: 'entra',
  split: (parsed) => splitRecords(parsed, { list: 'value', recordMember: 'id' }, toSplitRecord),
  normalise: (record) => normaliseDirectoryAudit(record, { ...noFrame, sourceName: 'AuditLogs' }),
};
