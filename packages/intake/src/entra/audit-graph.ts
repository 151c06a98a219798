import type { Format } from '../format.ts';
import { splitRecords, wholeRecord } from '../split.ts';
import { normaliseDirectoryAudit } from './directory-audit.ts';

/** Directory audits of the Graph API, alone or in the `value` array of a page. */
export const entraAuditGraph: Format = {
  family: 'entra',
  split: (reading) => splitRecords(reading, { list: 'value', unless: 'id' }, wholeRecord),
  normalise: (record) => normaliseDirectoryAudit(record, { sourceName: 'AuditLogs' }),
};
