import type { EvidencePage, EvidenceQuery, OrderedRows } from './ordered.ts';
import { bounds, epochMilliseconds, parseReportedTime, readSectionRows, wasFirstSeen } from './section-rows.ts';

export interface Remediation {
  actionId: string;
  ledger: 'staged' | 'legacyAutomation';
  createdMs: number;
  /** Of the ledger: the document that is served, and the columns that are not. */
  listed: Readonly<Record<string, unknown>> | null;
  steps: readonly Readonly<Record<string, unknown>>[] | null;
  settledAt: string | null;
  /** Of an automation of a policy scan: what its scan keeps of the execution. */
  execution: Readonly<Record<string, unknown>> | null;
  policyId: string | null;
  policyName: string | null;
  scanResourceType: string | null;
}

/** What was done in the window: the ledger's actions, and executions that policy scans kept from before there was a ledger. */
export function readRemediation(reading: EvidenceQuery, page: EvidencePage): Promise<OrderedRows<Remediation>> {
  const { tenant, from, to, storedThrough } = bounds(reading);
  return readSectionRows<Remediation>(
    reading,
    {
      parts: [
        // An automation that says when it ran is an execution; the others are plans. Scans repeat what earlier ones kept, and the ledger may have taken it over.
        `automation as materialized (
          select distinct on (2, 3) r.id as scan_id, coalesce(e.one->>'id', r.id || ':' || e.place) as id, ${parseReportedTime("e.one->>'executedAt'")} as executed_at, e.one
            from models.policy_scan r
           cross join lateral (select r.detail::json->>'automations' as automations) d
           cross join lateral json_array_elements(case when json_typeof(d.automations::json) = 'array' then d.automations::json else '[]' end) with ordinality e (one, place)
           where r.tenant_id = ${tenant} and ${wasFirstSeen(storedThrough)} and r.detail like '%executedAt%' order by 2, 3, r.id, e.place)`,
      ],
      rows: `select r.id as "actionId", case when r.ledger = 'legacyAutomation' then 'legacyAutomation' else 'staged' end as ledger, ${epochMilliseconds('r.created_at')} as "createdMs", null as scan_id, null::json as execution
               from models.action r where r.tenant_id = ${tenant} and r.created_at between ${from} and ${to} and ${wasFirstSeen(storedThrough)}
             union all
             select x.id, 'legacyAutomation', ${epochMilliseconds('x.executed_at')}, x.scan_id, x.one from automation x where x.executed_at between ${from} and ${to}
                and not exists (select from models.action r where r.tenant_id = ${tenant} and r.ledger = 'legacyAutomation' and r.id = x.id)`,
      columns: [
        'a.document::json as listed',
        'a.steps::json as steps',
        'a.settled_at as "settledAt"',
        's.policy_id as "policyId"',
        `s.document::json->>'name' as "policyName"`,
        's.resource_type as "scanResourceType"',
      ],
      joins: [
        `left join lateral (select r.* from models.action r where r.tenant_id = ${tenant} and r.id = p."actionId" and p.scan_id is null limit 1) a on true`,
        `left join lateral (select r.* from models.policy_scan r where r.tenant_id = ${tenant} and r.id = p.scan_id limit 1) s on true`,
      ],
      order: [
        { column: 'createdMs', type: 'time' },
        { column: 'actionId', type: 'text' },
        { column: 'ledger', type: 'text' },
      ],
    },
    page,
  );
}
