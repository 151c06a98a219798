import type { EvidencePage, EvidenceQuery, OrderedRows } from './ordered.ts';
import { bounds, epochMilliseconds, readSectionRows, wasFirstSeen } from './section-rows.ts';

export interface AiPolicyScan {
  scanId: string;
  policyId: string;
  scannedMs: number;
  severity: string;
  status: string;
  resourceType: string;
  isResolved: boolean;
  previousMatched: number | null;
  policyName: string | null;
  matchedResources: number | null;
  resolvedAt: string | null;
  assignedUser: string | null;
}

/** Scans of the window by policies that look at agents, or that are recorded as being about AI. */
export function readAiPolicyScans(reading: EvidenceQuery, page: EvidencePage): Promise<OrderedRows<AiPolicyScan>> {
  const { tenant, from, to, storedThrough } = bounds(reading);
  return readSectionRows<AiPolicyScan>(
    reading,
    {
      parts: [
        `ai_policy as materialized (
          select c.record_id from models.compliance_record c
           where c.tenant_id = ${tenant} and c.kind = 'policy' and c.updated_at <= ${storedThrough} and c.facts->'aiSubject' = 'true')`,
        // What a failed scan matched is unknown.
        `scan as materialized (
          select r.id, r.policy_id, r.scanned_at, r.severity, r.status, r.resource_type, r.is_resolved, lag(m.matched) over (partition by r.policy_id order by r.scanned_at, r.id) as previous
            from models.policy_scan r
           cross join lateral (select case when r.status <> 'error' then (r.document::json->>'resources')::float8 end as matched) m
           where r.tenant_id = ${tenant} and r.scanned_at <= ${to} and ${wasFirstSeen(storedThrough)}
             and (r.resource_type = 'agent' or r.policy_id in (select record_id from ai_policy)))`,
      ],
      rows: `select s.id as "scanId", s.policy_id as "policyId", ${epochMilliseconds('s.scanned_at')} as "scannedMs", s.severity, s.status, s.resource_type as "resourceType",
                    s.is_resolved as "isResolved", s.previous as "previousMatched" from scan s where s.scanned_at >= ${from}`,
      columns: [
        `d.listed->>'name' as "policyName"`,
        `(d.listed->>'resources')::float8 as "matchedResources"`,
        `d.listed->>'resolvedAt' as "resolvedAt"`,
        `d.listed->>'assignedUser' as "assignedUser"`,
      ],
      joins: [
        `cross join lateral (select r.document::json as listed from models.policy_scan r where r.tenant_id = ${tenant} and r.id = p."scanId" limit 1) d`,
      ],
      order: [
        { column: 'scannedMs', type: 'time' },
        { column: 'scanId', type: 'text' },
      ],
    },
    page,
  );
}
