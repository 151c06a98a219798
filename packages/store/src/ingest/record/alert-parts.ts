import type pg from 'pg';
import { securityAlertTable } from '../../resource/security-alert.ts';
import type { RecordState } from './record-batch.ts';

/** An alert that has evidence of its own, as read under its lock. */
export interface AlertParts {
  readonly tenantId: string;
  readonly id: string;
  /** The greatest state of the alert itself as `alertPart`, and pieces of evidence by their digests. */
  readonly parts: Map<string, RecordState>;
  readonly changed: Set<string>;
  readonly removed: Set<string>;
  /** Index of the last state that applied. */
  lastChange: number;
}

/** The name of the part that holds the alert itself. */
export const alertPart = 'alert';

export const alertKey = (one: { tenantId: string; id: string }): string => `${one.tenantId}/${one.id}`;

interface PartRow {
  tenant_id: string;
  id: string;
  part: string;
  version: string;
  digest: Buffer;
  state: string;
}

/** The alerts of a batch that have evidence, stored or in the batch. */
export async function readAlertParts(
  client: pg.PoolClient,
  states: readonly RecordState[],
): Promise<Map<string, AlertParts>> {
  const { rows } = await client.query<PartRow>(
    `select p.tenant_id, p.id, p.part, p.version, p.digest, p.state
       from (select distinct tenant_id, id from unnest($1::uuid[], $2::text[]) as requested (tenant_id, id)) requested
       join models.security_alert_part p on p.tenant_id = requested.tenant_id and p.id = requested.id`,
    [states.map(({ tenantId }) => tenantId), states.map(({ id }) => id)],
  );
  const alerts = new Map<string, AlertParts>();
  for (const row of rows) {
    const { parts } = findOrAdd(alerts, { tenantId: row.tenant_id, id: row.id });
    parts.set(row.part, {
      tenantId: row.tenant_id,
      id: row.id,
      version: Number(row.version),
      digest: row.digest,
      ...(JSON.parse(row.state) as Pick<RecordState, 'columns' | 'times' | 'members' | 'detailMembers'>),
    });
  }
  const fresh = states.filter((state) => state.isPart === true && !alerts.has(alertKey(state)));
  for (const alert of fresh.map((state) => findOrAdd(alerts, state))) alert.changed.add(alertPart);
  for (const state of await readStoredAlerts(client, fresh)) alerts.get(alertKey(state))?.parts.set(alertPart, state);
  return alerts;
}

function findOrAdd(alerts: Map<string, AlertParts>, { tenantId, id }: { tenantId: string; id: string }): AlertParts {
  const key = alertKey({ tenantId, id });
  const found = alerts.get(key);
  if (found) return found;
  const added = {
    tenantId,
    id,
    parts: new Map(),
    changed: new Set<string>(),
    removed: new Set<string>(),
    lastChange: -1,
  };
  alerts.set(key, added);
  return added;
}

type AlertRow = Readonly<Record<string, string | boolean | null>> & {
  readonly tenant_id: string;
  readonly id: string;
  readonly version: string;
  readonly document: string;
  readonly detail: string;
};

/** The states of alerts without evidence: their rows are what was reported, unchanged. */
async function readStoredAlerts(
  client: pg.PoolClient,
  names: readonly { tenantId: string; id: string }[],
): Promise<RecordState[]> {
  if (names.length === 0) return [];
  const columns = Object.keys(securityAlertTable.columns);
  const { rows } = await client.query<AlertRow & { digest: Buffer; created_ms: number }>(
    `select r.tenant_id, r.id, r.version, r.digest, r.document, r.detail, (extract(epoch from r.created_at) * 1000)::float8 as created_ms,
            ${columns.map((name) => `r.${name}`).join(', ')}
       from (select distinct tenant_id, id from unnest($1::uuid[], $2::text[]) as requested (tenant_id, id)) requested
       join models.security_alert r on r.tenant_id = requested.tenant_id and r.id = requested.id`,
    [names.map(({ tenantId }) => tenantId), names.map(({ id }) => id)],
  );
  return rows.map((row) => ({
    tenantId: row.tenant_id,
    id: row.id,
    version: Number(row.version),
    digest: row.digest,
    columns: Object.fromEntries(columns.map((name) => [name, row[name] ?? null])),
    times: { created_at: row.created_ms },
    ...sliceMembers(row),
  }));
}

/** What follows the head of the documents; quotes within an id are escaped, so that no id contains the marker. */
function sliceMembers({ tenant_id, document, detail }: AlertRow): Pick<RecordState, 'members' | 'detailMembers'> {
  const marker = `"tenantId":"${tenant_id}",`;
  const members = document.slice(document.indexOf(marker) + marker.length, -1);
  const detailMembers = detail.slice(detail.indexOf(marker) + marker.length + members.length + 1, -1);
  return { members, detailMembers };
}

/** Writes the parts that changed and deletes those that left. */
export async function writeAlertParts(client: pg.PoolClient, alerts: readonly AlertParts[]): Promise<void> {
  const changed = alerts.flatMap(({ tenantId, id, parts, changed }) =>
    [...changed].flatMap((part) => {
      const state = parts.get(part);
      return state === undefined ? [] : [{ tenantId, id, part, state }];
    }),
  );
  await client.query(
    `insert into models.security_alert_part (tenant_id, id, part, version, digest, state)
     select * from unnest($1::uuid[], $2::text[], $3::text[], $4::bigint[], $5::bytea[], $6::text[])
     on conflict (tenant_id, id, part) do update
       set version = excluded.version, digest = excluded.digest, state = excluded.state`,
    [
      changed.map(({ tenantId }) => tenantId),
      changed.map(({ id }) => id),
      changed.map(({ part }) => part),
      changed.map(({ state }) => state.version),
      changed.map(({ state }) => state.digest),
      changed.map(({ state: { columns, times, members, detailMembers } }) =>
        JSON.stringify({ columns, times, members, detailMembers }),
      ),
    ],
  );
  const removed = alerts.flatMap(({ tenantId, id, removed }) => [...removed].map((part) => ({ tenantId, id, part })));
  if (removed.length === 0) return;
  await client.query(
    `delete from models.security_alert_part p using unnest($1::uuid[], $2::text[], $3::text[]) as removed (tenant_id, id, part)
      where p.tenant_id = removed.tenant_id and p.id = removed.id and p.part = removed.part`,
    [removed.map(({ tenantId }) => tenantId), removed.map(({ id }) => id), removed.map(({ part }) => part)],
  );
}
