import type pg from 'pg';
import { type Metrics, type MetricsQuery, readFigures, toIsoTime } from '../figures.ts';
import { importedAt } from './sources.ts';

/** How old the inventory of sensitive types is. */
export function readInventoryMetrics(client: pg.ClientBase, { tenantId, nowMs }: MetricsQuery): Promise<Metrics> {
  return readFigures(client, scans, [tenantId, toIsoTime(nowMs)]);
}

/** Only a source that says so has come to the end of its scan. */
const scans = `
  select (select count(*) from models.entity_fact where tenant_id = $1 and kind = 'sensitiveInfoType' and not is_deleted)
           as "data.inventory.fresh/typesTracked",
         (select ceil(extract(epoch from $2::timestamptz - max(${importedAt("(facts ->> 'lastCompleteImportAt')::timestamptz")})) / 86400) from models.compliance_record
           where tenant_id = $1 and kind = 'sourceStatus' and facts ->> 'source' in ('sensitive_info_types', 'sensitiveInfoType')) as "data.inventory.fresh/scanAgeDays"`;
