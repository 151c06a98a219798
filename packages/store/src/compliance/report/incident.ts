import type { EvidenceQuery } from '../evidence/ordered.ts';
import { bounds, epochMilliseconds } from '../evidence/section-rows.ts';
import type { FindingKind } from './findings.ts';

/** A finding with everything that is kept of it. */
export interface Incident {
  readonly kind: FindingKind;
  readonly id: string;
  readonly severity: string;
  readonly createdMs: number;
  /** When its first state was written by this service; null where unknown. */
  readonly arrivedMs: number | null;
  /** Alerts: when a state that is no longer new was written. Null for detections, and while there is none. */
  readonly triagedMs: number | null;
  readonly updatedMs: number;
  /** JSON text as it is served; of an alert with what its provider sent. */
  readonly document: string;
}

export interface IncidentNotification {
  readonly createdMs: number;
  readonly decision: string;
  readonly channel: string;
  readonly recipients: number | null;
  /** When the first one that was sent was created, whichever are listed; null where none was. */
  readonly firstSentMs: number | null;
}

/** A person's statement since when the organization was aware of an incident. */
export interface AwarenessStatement {
  /** As reported, ISO 8601. */
  readonly awareAt: string;
  readonly statedBy: string;
}

export interface IncidentAction {
  readonly id: string;
  readonly name: string | null;
  readonly type: string;
  readonly rung: string;
  readonly resourceName: string | null;
  readonly actorId: string | null;
  readonly actorName: string | null;
  readonly actorKind: string | null;
  readonly createdMs: number;
  /** `by` is null for steps that no person took: those of the independent probe. */
  readonly steps: readonly {
    readonly rung?: unknown;
    readonly at?: unknown;
    readonly by?: unknown;
    readonly byKind?: unknown;
  }[];
  /** When a person first took a step or an action, whichever are listed; null where none did. */
  readonly firstHumanStepMs: number | null;
}

/** The finding of this id; without one the newest of high or critical severity. Null when there is none. */
export async function readIncident(reading: EvidenceQuery, id: string | null): Promise<Incident | null> {
  const { tenant, to, storedThrough } = bounds(reading);
  const { rows } = await reading.client.query<Incident>(
    `select * from (
       select 'alert' as kind, a.id, coalesce(a.severity, 'unknown') as severity, ${epochMilliseconds('a.created_at')} as "createdMs", ${epochMilliseconds('a.first_seen_at')} as "arrivedMs", ${epochMilliseconds('a.first_triaged_at')} as "triagedMs",
              ${epochMilliseconds('a.updated_at')} as "updatedMs", a.detail as document
         from models.security_alert a
        where a.tenant_id = ${tenant} and a.updated_at <= ${storedThrough} and a.created_at <= ${to} and case when $1::text is null then a.severity in ('high', 'critical') else a.id = $1 end
       union all
       select 'detection', d.id, d.severity, ${epochMilliseconds('d.opened_at')}, ${epochMilliseconds('d.first_seen_at')}, null, ${epochMilliseconds('d.updated_at')}, d.document
         from models.detection d
        where d.tenant_id = ${tenant} and d.updated_at <= ${storedThrough} and d.opened_at <= ${to}
          and case when $1::text is null then d.severity in ('high', 'critical') and d.level is distinct from 'informational' else d.id = $1 end) i
      order by i."createdMs" desc, i.id collate "C" limit 1`,
    [id],
  );
  return rows[0] ?? null;
}

export async function readIncidentNotifications(
  reading: EvidenceQuery,
  incidentId: string,
  limit: number,
): Promise<readonly IncidentNotification[]> {
  const { tenant, storedThrough } = bounds(reading);
  const { rows } = await reading.client.query<IncidentNotification>(
    `select ${epochMilliseconds('n.created_at')} as "createdMs", n.decision, n.channel, case when json_typeof(n.document::json -> 'recipients') = 'array' then json_array_length(n.document::json -> 'recipients') end as recipients,
            ${epochMilliseconds("min(n.created_at) filter (where n.decision = 'sent') over ()")} as "firstSentMs"
       from models.notification n
      where n.tenant_id = ${tenant} and n.updated_at <= ${storedThrough} and (n.resource_id = $1 or n.document::json ->> 'subjectId' = $1)
      order by n.created_at, n.id collate "C" limit $2`,
    [incidentId, limit],
  );
  return rows;
}

/** Kinds of entities that actions are about. */
const touchedKinds = ['user', 'agent', 'app', 'group', 'file', 'site', 'device'];

/** What was done from then on about the incident or about whom it touched, by any of their names: the incident may have another one than the action. */
export async function readIncidentActions(
  reading: EvidenceQuery,
  { ids, fromMs, limit }: { readonly ids: readonly string[]; readonly fromMs: number; readonly limit: number },
): Promise<readonly IncidentAction[]> {
  const { tenant, storedThrough } = bounds(reading);
  const { rows } = await reading.client.query<IncidentAction>(
    `with given as materialized (
       select id, models.lower_case(id) as name from unnest($1::text[]) id
     ), touched as materialized (
       select n.kind, n.id from models.entity_alias n
        where n.tenant_id = ${tenant} and n.kind = any ($4) and n.alias = any (array(select name from given))
        union
       select kind, one.id from unnest($4::text[]) kind cross join (select id from given union select name from given) one
     ), called as materialized (
       select null as kind, name from given
        union select kind, models.lower_case(id) from touched
        union select n.kind, n.alias from touched t join models.entity_alias n on n.tenant_id = ${tenant} and n.kind = t.kind and n.id = t.id
     )
     select a.id, f."actionName" as name, a.action_type as type, a.rung, f."resourceName" as "resourceName", f."actorId" as "actorId", f."actorName" as "actorName", f."actorKind" as "actorKind",
            ${epochMilliseconds('a.created_at')} as "createdMs", coalesce(a.steps, '[]')::json as steps,
            ${epochMilliseconds(`min(least(case when f."actorKind" = 'human' then a.created_at end, h.first_at)) over ()`)} as "firstHumanStepMs"
       from models.action a
      cross join lateral json_to_record(a.document::json) as f ("actionName" text, "resourceName" text, "actorId" text, "actorName" text, "actorKind" text)
      cross join lateral (select min(s.at) as first_at from json_to_recordset(coalesce(a.steps, '[]')::json) as s (at timestamptz, by text, "byKind" text)
                           where s.by <> '' and coalesce(s."byKind", 'human') = 'human') h
      where a.tenant_id = ${tenant} and a.updated_at <= ${storedThrough} and not a.is_simulated and a.created_at >= $2
        and exists (select from called c where c.name = models.lower_case(a.resource_id) and coalesce(c.kind = a.resource_type, true))
      order by a.created_at, a.id collate "C" limit $3`,
    [ids, new Date(fromMs).toISOString(), limit, touchedKinds],
  );
  return rows;
}

/** The newest statement about this incident; null where there is none. */
export async function readAwarenessStatement(
  reading: EvidenceQuery,
  incidentId: string,
): Promise<AwarenessStatement | null> {
  const { tenant, storedThrough } = bounds(reading);
  const { rows } = await reading.client.query<AwarenessStatement>(
    `select r.facts ->> 'awareAt' as "awareAt", r.facts ->> 'statedBy' as "statedBy"
       from models.compliance_record r
      where r.tenant_id = ${tenant} and r.kind = 'awareness' and r.subject_type = 'incident' and r.subject_id = $1 and r.updated_at <= ${storedThrough}
      order by r.changed_at desc, r.version desc, r.id limit 1`,
    [incidentId],
  );
  return rows[0] ?? null;
}

/** Display names of these users; those that are not reported are left out. */
export async function readUserNames(
  { client, tenantId }: EvidenceQuery,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const { rows } = await client.query<{ id: string; name: string }>(
    `select p.id, p.facts ->> 'displayName' as name from models.entity_fact p
      where p.tenant_id = $1 and p.kind = 'user' and p.id = any($2) and p.facts ->> 'displayName' <> ''`,
    [tenantId, ids],
  );
  return new Map(rows.map(({ id, name }) => [id, name]));
}
