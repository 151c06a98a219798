import { alertResolvedAt, detectionResolvedAt } from '../document-members.ts';
import { agentNames, entityNames, personNames } from '../evidence/agent-queries.ts';
import type { EvidenceQuery } from '../evidence/ordered.ts';
import { bounds, epochMilliseconds } from '../evidence/section-rows.ts';

/** Findings are alerts of the vendor's platform and alerted detections of our own. */
export type FindingKind = 'alert' | 'detection';

/** How findings of a kind and severity in the window were handled. Hours are medians over those where both ends are known; null without any. */
export interface FindingFigures {
  readonly kind: FindingKind;
  readonly severity: string;
  readonly findings: number;
  /** Detections: from the first window that stood out until our first row of it. Alerts: until the status left new. */
  readonly seen: number;
  readonly seenHours: number | null;
  /** Until the first notification that was sent about it. */
  readonly reported: number;
  readonly reportedHours: number | null;
  readonly resolved: number;
  readonly resolvedHours: number | null;
}

export interface FindingDay {
  readonly dayMs: number;
  readonly alerts: number;
  readonly detections: number;
}

export interface OpenFinding {
  readonly kind: FindingKind;
  readonly id: string;
  readonly title: string | null;
  readonly severity: string;
  readonly createdMs: number;
  readonly status: string | null;
  readonly entityName: string | null;
}

export interface AffectedEntity {
  readonly type: 'user' | 'app' | 'agent' | 'other';
  readonly id: string;
  readonly name: string | null;
  readonly alerts: number;
  readonly detections: number;
}

/** What began in the window, or what was open at its end whenever it began. */
type Scope = 'begun' | 'open';

/**
 * Findings of a scope as `finding`. Our stamps tell nothing of what was over before it first reached us: an alert was triaged at the latest when it
 * was resolved, and when such an episode was noticed is not known. What was closed and never written since the end was closed before it.
 */
function findings(reading: EvidenceQuery, scope: Scope): string {
  const { tenant, from, to, storedThrough } = bounds(reading);
  const narrowed = (begin: string, isOpen: string, stamp: string) =>
    scope === 'begun' ? `${begin} >= ${from}` : `(${isOpen} or ${stamp} > ${to})`;
  return `finding as (
    select 'detection' as kind, d.id, d.severity, d.opened_at as created_at, case when d.first_seen_at <= r.resolved_at or r.resolved_at is null then d.first_seen_at end as seen_at,
           r.resolved_at, d.status, d.status = 'open' or r.resolved_at > ${to} as is_open, d.document
      from models.detection d cross join lateral (select ${detectionResolvedAt('d')} as resolved_at) r
     where d.tenant_id = ${tenant} and d.opened_at <= ${to} and d.updated_at <= ${storedThrough} and d.level is distinct from 'informational'
       and ${narrowed('d.opened_at', "d.status = 'open'", 'd.updated_at')}
    union all
    select 'alert', a.id, coalesce(a.severity, 'unknown'), a.created_at, least(a.first_triaged_at, r.resolved_at), r.resolved_at, a.status,
           a.is_resolved is distinct from true or r.resolved_at > ${to}, a.document
      from models.security_alert a cross join lateral (select case when a.is_resolved then ${alertResolvedAt('a')} end as resolved_at) r
     where a.tenant_id = ${tenant} and a.created_at <= ${to} and a.updated_at <= ${storedThrough}
       and ${narrowed('a.created_at', 'a.is_resolved is distinct from true', 'a.updated_at')})`;
}

const medianHours = (until: string, to: string) =>
  `(percentile_cont(0.5) within group (order by extract(epoch from ${until} - f.created_at) / 3600) filter (where ${until} between f.created_at and ${to}))::float8`;

export async function readFindingFigures(reading: EvidenceQuery): Promise<readonly FindingFigures[]> {
  const { tenant, from, to } = bounds(reading);
  const { rows } = await reading.client.query<FindingFigures>(
    `with ${findings(reading, 'begun')}, reported as materialized (
       select t.id, min(n.created_at) as at from models.notification n
        cross join lateral (values (n.resource_id), (n.document::json ->> 'subjectId')) t (id)
        where n.tenant_id = ${tenant} and n.decision = 'sent' and n.created_at between ${from} and ${to} and t.id is not null group by t.id)
     select f.kind, f.severity, count(*)::int as findings,
            (count(*) filter (where f.seen_at <= ${to}))::int as seen, ${medianHours('f.seen_at', to)} as "seenHours",
            (count(*) filter (where t.at is not null))::int as reported, ${medianHours('t.at', to)} as "reportedHours",
            (count(*) filter (where not f.is_open))::int as resolved, ${medianHours('f.resolved_at', to)} as "resolvedHours"
       from finding f left join reported t on t.id = f.id
      group by 1, 2 order by 1, 2`,
  );
  return rows;
}

/** Every day of the window in UTC, also those without a finding. */
export async function readFindingDays(reading: EvidenceQuery): Promise<readonly FindingDay[]> {
  const { from, to } = bounds(reading);
  const { rows } = await reading.client.query<FindingDay>(
    `with ${findings(reading, 'begun')}, counted as (
       select date_trunc('day', f.created_at, 'UTC') as at, (count(*) filter (where f.kind = 'alert'))::int as alerts,
              (count(*) filter (where f.kind = 'detection'))::int as detections
         from finding f group by 1)
     select ${epochMilliseconds('day.at')} as "dayMs", coalesce(c.alerts, 0) as alerts, coalesce(c.detections, 0) as detections
       from generate_series(date_trunc('day', ${from}, 'UTC'), ${to}, interval '1 day') as day (at) left join counted c on c.at = day.at
      order by day.at`,
  );
  return rows;
}

const gravestFirst = `array_position(array['critical', 'high', 'medium', 'low', 'informational', 'unknown'], f.severity)`;

/** What was open at the end of the window, whenever it began: the gravest first, and of these the oldest. */
export async function readOpenFindings(
  reading: EvidenceQuery,
  { severities, limit }: { readonly severities: readonly string[] | null; readonly limit: number },
): Promise<{ readonly rows: readonly OpenFinding[]; readonly total: number }> {
  const { rows } = await reading.client.query<OpenFinding & { total: number }>(
    `with ${findings(reading, 'open')}, listed as (
       select f.*, ${gravestFirst} as place, (count(*) over ())::int as total from finding f where f.is_open and ($1::text[] is null or f.severity = any($1))
        order by place, f.created_at, f.id collate "C" limit $2)
     select f.kind, f.id, coalesce(f.document::json ->> 'title', f.document::json #>> '{detector,name}') as title, f.severity, ${epochMilliseconds('f.created_at')} as "createdMs",
            f.status, coalesce(f.document::json #>> '{entity,name}', f.document::json #>> '{users,0,name}', f.document::json #>> '{users,0,userPrincipalName}') as "entityName",
            f.total
       from listed f order by f.place, f.created_at, f.id collate "C"`,
    [severities, limit],
  );
  return { rows, total: rows[0]?.total ?? 0 };
}

/** Whom the window's findings name most often, each user, agent and app of the inventories once: providers name them in several ways. */
export async function readMostAffectedEntities(
  reading: EvidenceQuery,
  limit: number,
): Promise<readonly AffectedEntity[]> {
  const { rows } = await reading.client.query<AffectedEntity>(
    `with ${findings(reading, 'begun')}, ${agentNames(reading)}, ${entityNames(reading, 'app')}, ${personNames(reading)}, named as (
       select f.kind, f.id as finding_id, case when e.type in ('user', 'app', 'agent') then e.type else 'other' end as type, e.id, e.name
         from finding f cross join lateral json_to_record(f.document::json -> 'entity') as e (type text, id text, name text)
        where f.kind = 'detection' and json_typeof(f.document::json -> 'entity') = 'object'
       union all
       select f.kind, f.id, 'user', u.id, coalesce(u.name, u."userPrincipalName")
         from finding f cross join lateral json_to_recordset(f.document::json -> 'users') as u (id text, name text, "userPrincipalName" text) where f.kind = 'alert'
       union all
       select f.kind, f.id, case when p.kind = 'agent' then 'agent' else 'app' end, coalesce(p."appId", p.id), p.name
         from finding f cross join lateral json_to_recordset(f.document::json -> 'apps') as p (id text, "appId" text, name text, kind text) where f.kind = 'alert')
     select n.type, same.id, max(same.name) as name, (count(distinct n.finding_id) filter (where n.kind = 'alert'))::int as alerts,
            (count(distinct n.finding_id) filter (where n.kind = 'detection'))::int as detections
       from named n
       left join person_name p on n.type = 'user' and p.alias = models.lower_case(n.id)
       left join agent_name g on n.type = 'agent' and g.alias = models.lower_case(n.id)
       left join app_name a on n.type = 'app' and a.alias = models.lower_case(n.id)
      cross join lateral (select coalesce(p.id, g.id, a.id, n.id) as id, coalesce(p.name, g.name, a.name, n.name) as name) same
      where n.id is not null group by n.type, same.id
      order by count(distinct n.finding_id) desc, n.type, same.id collate "C" limit $1`,
    [limit],
  );
  return rows;
}
