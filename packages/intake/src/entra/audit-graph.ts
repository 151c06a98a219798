import type { ActivityFormat } from '../activity/activity-format.ts';
import { noFrame } from '../azure-monitor/log-frame.ts';
import { sourceShapes } from '../source/source-shapes.ts';
import { normaliseDirectoryAudit } from './directory-audit.ts';

/** Directory audits of the Graph API, alone or in the `value` array of a page. */
export const entraAuditGraph: ActivityFormat = {
  family: 'entra',
  shape: sourceShapes['entra.audit.graph'],
  normalise: (record) => normaliseDirectoryAudit(record, { ...noFrame, sourceName: 'AuditLogs' }),
};
