import { daysAgo } from '../clause/days-ago.ts';
import type { Relation } from '../relation.ts';

/** Devices that are managed, or may be: compliant, encrypted, and seen lately. */
export const devices: Relation = {
  with: `
  with device as (
    select e.id, f.* from models.entity_fact e
     cross join lateral jsonb_to_record(e.facts) as f (
             "isManaged" boolean, "isCompliant" boolean, "complianceState" text, "isEncrypted" boolean, "lastSyncAt" timestamptz)
     where e.tenant_id = $1 and e.kind = 'device' and not e.is_deleted and "isManaged" is not false
  )`,
  from: 'device d',
  subject: { type: 'device', id: 'd.id' },
  rules: {
    'dev.compliant': {
      population: ['managed', 'true'],
      // A device in its grace period is not compliant, whatever the directory reports.
      good: ['compliant', `"isCompliant" and coalesce("complianceState", 'compliant') = 'compliant'`],
      reported: `"isManaged" and ("isCompliant" is not null or nullif("complianceState", 'unknown') is not null)`,
      reason: 'not_compliant',
      detail: { complianceState: '"complianceState"' },
    },
    'dev.encrypted': {
      population: ['managed', 'true'],
      good: ['encrypted', '"isEncrypted"'],
      reported: '"isManaged" and "isEncrypted" is not null',
      reason: 'not_encrypted',
    },
    'dev.stale': {
      population: ['managed', 'true'],
      bad: ['stale', `"lastSyncAt" < ${daysAgo(30)}`],
      reported: '"isManaged" and "lastSyncAt" is not null',
      reason: 'no_sync_30d',
      since: '"lastSyncAt"',
    },
  },
};
