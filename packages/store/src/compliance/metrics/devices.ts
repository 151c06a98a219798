import type pg from 'pg';
import { countReported, type Metrics, type MetricsQuery, readFigures, toIsoTime } from './figures.ts';

/** Managed devices: compliant, encrypted, and seen lately. What a device does not tell is not in order. */
export function readDeviceMetrics(client: pg.ClientBase, { tenantId, nowMs }: MetricsQuery): Promise<Metrics> {
  return readFigures(client, devices, [tenantId, toIsoTime(nowMs)]);
}

// A period of grace is none of compliance, whatever the directory says meanwhile.
const devices = `
  select count(*) as "dev.compliant/managed",
         ${countReported('true', '"isCompliant" is not null or "complianceState" is not null', `"isCompliant" and coalesce("complianceState", 'compliant') = 'compliant'`)} as "dev.compliant/compliant",
         count(*) as "dev.encrypted/managed",
         ${countReported('true', '"isEncrypted" is not null', '"isEncrypted"')} as "dev.encrypted/encrypted",
         count(*) as "dev.stale/managed",
         ${countReported('true', '"lastSyncAt" is not null', `coalesce("lastSyncAt" < $2::timestamptz - interval '30 days', true)`)} as "dev.stale/stale"
    from models.entity_fact e
   cross join lateral jsonb_to_record(e.facts) as f (
           "isManaged" boolean, "isCompliant" boolean, "complianceState" text, "isEncrypted" boolean, "lastSyncAt" timestamptz)
   where e.tenant_id = $1 and e.kind = 'device' and not e.is_deleted and "isManaged"`;
