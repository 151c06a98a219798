import { randomUUID } from 'node:crypto';
import type { AuditLogEvent } from '@tenantscope/contract';
import pg from 'pg';
import { serializeMembers } from './member-lines.ts';

/** A log that only the test writes, with a watermark that the test sets. No ingest runs. */
export interface ControlledLog extends AsyncDisposable {
  settle(throughMs: number): Promise<void>;
  /** Writes events unchanged; returns their ids in the order of the log. */
  write(tenantId: string, events: readonly Partial<AuditLogEvent>[]): Promise<string[]>;
  query(text: string, values?: unknown[]): Promise<void>;
  /** A partition of so many days that ends where the first one begins; returns when it begins, in epoch ms. */
  addPartitionBefore(days: number): Promise<number>;
}

const emptyEvent = {
  description: null,
  severity: null,
  actorId: null,
  actorName: null,
  actorType: null,
  actorIp: null,
  resourceId: null,
  resourceName: null,
  resourceType: null,
  workload: null,
  sourceType: null,
  sourceName: null,
  clientApp: null,
  deviceId: null,
  deviceName: null,
  isManagedDevice: null,
  applicationId: null,
  applicationClientId: null,
  applicationDisplayName: null,
  externalEventId: null,
  outcome: null,
  recordType: null,
  category: null,
  errorCode: null,
  outcomeReason: null,
  sessionId: null,
  correlationId: null,
  userAgent: null,
  deviceOs: null,
  location: null,
  actorUserId: null,
  signIn: null,
  targets: null,
  changes: null,
  details: null,
  threat: null,
  ai: null,
  truncated: false,
};

export async function openControlledLog(superuserUrl: string): Promise<ControlledLog> {
  const client = new pg.Client(superuserUrl);
  await client.connect();
  await client.query(
    `insert into models.ingest_lane (cluster_id, topic_id, partition, topic, source, settled_at, opened)
     values ('still', $1, 0, 'still.raw.activity.v1', 'raw.activity.v1', now() - interval '1 hour', true)`,
    [randomUUID()],
  );
  return {
    async settle(throughMs) {
      await client.query('update models.ingest_lane set settled_at = $1', [new Date(throughMs).toISOString()]);
    },
    async write(tenantId, events) {
      const written = events.map((event): AuditLogEvent => {
        const discoveredAt = event.discoveredAt ?? new Date().toISOString();
        const id = event.id ?? randomUUID();
        return {
          id,
          occurredAt: event.occurredAt ?? discoveredAt,
          discoveredAt,
          action: 'FileAccessed',
          ...emptyEvent,
          tenantId,
          ...event,
        };
      });
      await client.query(
        `insert into models.audit_log (tenant_id, discovered_at, id, occurred_at, severity, action, actor_id, actor_type, actor_ip, resource_id, resource_type, workload,
           source_type, client_app, device_id, is_managed_device, application_id, external_event_id, outcome, error_code, session_id, correlation_id, actor_user_id,
           target_ids, normaliser_version, member_lines)
         select $1, (d->>'discoveredAt')::timestamptz, (d->>'id')::uuid, (d->>'occurredAt')::timestamptz, d->>'severity', lower(d->>'action'), d->>'actorId', d->>'actorType',
           d->>'actorIp', d->>'resourceId', d->>'resourceType', d->>'workload', d->>'sourceType', d->>'clientApp', d->>'deviceId', (d->>'isManagedDevice')::boolean,
           d->>'applicationId', d->>'externalEventId', d->>'outcome', d->>'errorCode', d->>'sessionId', d->>'correlationId', d->>'actorUserId',
           (select array_agg(target->>'id') from jsonb_array_elements(nullif(d->'targets', 'null')) target), 1, lines
           from (select document::jsonb as d, lines from unnest($2::text[], $3::text[]) as given (document, lines)) as given`,
        [tenantId, written.map((event) => JSON.stringify(event)), written.map(serializeMembers)],
      );
      return written.toSorted((a, b) => (a.discoveredAt + a.id < b.discoveredAt + b.id ? -1 : 1)).map(({ id }) => id);
    },
    async query(text, values) {
      await client.query(text, values);
    },
    async addPartitionBefore(days) {
      const { rows } = await client.query<{ name: string; from: string; to: string; ms: number }>(
        `insert into models.audit_log_partition
         select 'audit_log_' || to_char(p.from_at at time zone 'UTC', 'YYYYMMDD'), p.from_at, p.to_at
           from (select min(from_at) - $1 * interval '1 day' as from_at, min(from_at) as to_at from models.audit_log_partition) p
         returning name, from_at::text as from, to_at::text as to, (extract(epoch from from_at) * 1000)::float8 as ms`,
        [days],
      );
      const { name, from, to, ms } = rows[0] ?? { name: '', from: '', to: '', ms: Number.NaN };
      for (const parent of ['audit_log', 'audit_log_raw']) {
        const partition = `models.${name.replace('audit_log', parent)}`;
        await client.query(
          `create table ${partition} partition of models.${parent} for values from ('${from}') to ('${to}');
           alter table ${partition} owner to tenantscope_owner;
           grant select, insert on ${partition} to tenantscope_ingest`,
        );
      }
      return ms;
    },
    [Symbol.asyncDispose]: () => client.end(),
  };
}
