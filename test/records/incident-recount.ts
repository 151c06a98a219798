import type pg from 'pg';

export const toIso = (time: unknown) =>
  time === null || time === undefined ? null : new Date(time as string | Date).toISOString();

/** What `models.incident_fact` should have, by another reading of the documents. */
export async function recountIncidents(superuser: pg.Client, tenantId: string): Promise<unknown[]> {
  const { rows: detections } = await superuser.query(
    'select * from models.detection where tenant_id = $1 order by id collate "C"',
    [tenantId],
  );
  const { rows: alerts } = await superuser.query(
    'select * from models.security_alert where tenant_id = $1 order by id collate "C"',
    [tenantId],
  );
  return [...detections.map(describeDetection), ...alerts.map(describeAlert)];
}

function describeDetection(row: Record<string, unknown>) {
  const { resolvedAt } = JSON.parse(String(row.document));
  return {
    kind: 'detection',
    id: row.id,
    opened_at: row.opened_at,
    found_at: row.first_seen_at ?? row.updated_at,
    severity: row.severity,
    status: row.status,
    level: row.level,
    entity_type: row.entity_type,
    entity_id: row.entity_id,
    action_group: row.action_group,
    is_resolved: row.status !== 'open',
    resolved_at: toIso(resolvedAt),
    taken_up_at: null,
    is_complete: row.kind !== '',
    concerns_mail: false,
    names: row.entity_id === null ? [] : [String(row.entity_id).toLowerCase()],
  };
}

function describeAlert(row: Record<string, unknown>) {
  const document = JSON.parse(String(row.document));
  const { resolvedDateTime } = JSON.parse(String(row.detail));
  const isTriaged = row.status === 'inProgress' || row.status === 'resolved';
  const times = [row.first_triaged_at, resolvedDateTime, isTriaged ? document.lastUpdateDateTime : null];
  const named = [...document.users, ...document.apps].flatMap(({ id, userPrincipalName, appId }) => [
    id,
    userPrincipalName,
    appId,
  ]);
  return {
    kind: 'securityAlert',
    id: row.id,
    opened_at: row.created_at,
    found_at: row.created_at,
    severity: row.severity,
    status: row.status,
    level: null,
    entity_type: null,
    entity_id: null,
    action_group: null,
    is_resolved: row.is_resolved,
    resolved_at: toIso(resolvedDateTime),
    taken_up_at:
      times
        .map(toIso)
        .filter((time) => time !== null)
        .sort()[0] ?? null,
    is_complete: Boolean(row.category) && document.firstActivityDateTime !== null && document.createdDateTime !== null,
    concerns_mail: document.emails.length > 0,
    names: [...new Set(named.filter((name) => typeof name === 'string').map((name) => name.toLowerCase()))].sort(),
  };
}
