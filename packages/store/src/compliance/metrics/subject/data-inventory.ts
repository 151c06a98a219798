import type pg from 'pg';
import { type Metrics, type MetricsQuery, readFigures, toIsoTime } from '../figures.ts';
import { importedAt } from './sources.ts';

/** How old the inventory of sensitive types is. */
export function readInventoryMetrics(client: pg.ClientBase, { tenantId, nowMs }: MetricsQuery): Promise<Metrics> {
  return readFigures(client, scans, [tenantId, toIsoTime(nowMs)]);
}

/** Only a source that says so has come to the end of its scan. Of several the oldest one decides that is enabled and licensed. */
const scans = `
  with source as (
    select ${importedAt("(facts ->> 'lastCompleteImportAt')::timestamptz")} as imported_at from models.compliance_record
     where tenant_id = $1 and kind = 'sourceStatus' and facts ->> 'source' ~ '^(sensitive_info_types|sensitiveInfoType)(/|$)'
       and (facts ->> 'enabled')::boolean and (facts ->> 'licensed')::boolean is not false
  )
  select (select count(*) from models.entity_fact where tenant_id = $1 and kind = 'sensitiveInfoType' and not is_deleted)
           as "data.inventory.fresh/typesTracked",
         (select ceil(extract(epoch from $2::timestamptz - min(imported_at)) / 86400) from source) as "data.inventory.fresh/scanAgeDays"`;
