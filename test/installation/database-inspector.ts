import { formatEvent } from '@tenantscope/contract';
import pg from 'pg';

export interface StoredLogRow {
  id: string;
  discoveredAt: string;
  document: Record<string, unknown>;
}

export interface StoredDeadLetter {
  id: string;
  topic: string;
  partition: number;
  offset: string;
  element: number;
  tenantId: string | null;
  reason: string;
  state: string;
  key: Buffer | null;
  value: Buffer | null;
  headers: [name: string, base64: string][];
}

/** Reads the written rows without row-level security. */
export interface DatabaseInspector extends AsyncDisposable {
  readonly client: pg.Client;
  rows(tenantId: string): Promise<StoredLogRow[]>;
  rowCount(tenantId: string): Promise<number>;
  /** In the order of their positions in Kafka. */
  deadLetters(): Promise<StoredDeadLetter[]>;
}

export async function openDatabaseInspector(superuserUrl: string): Promise<DatabaseInspector> {
  const client = new pg.Client(superuserUrl);
  client.on('error', () => {});
  await client.connect();
  return {
    client,
    async rows(tenantId) {
      const { rows } = await client.query<{ id: string; at: Date; occurred: Date; lines: string }>(
        'select id, discovered_at as at, occurred_at as occurred, member_lines as lines from models.audit_log where tenant_id = $1 order by discovered_at, id',
        [tenantId],
      );
      return rows.map(({ id, at, occurred, lines }) => {
        const discoveredAt = at.toISOString();
        const key = { id, occurredAt: occurred.toISOString(), discoveredAt, tenantId };
        return { id, discoveredAt, document: JSON.parse(formatEvent(key, lines)) as Record<string, unknown> };
      });
    },
    async rowCount(tenantId) {
      const { rows } = await client.query<{ rows: number }>(
        'select count(*)::int as rows from models.audit_log where tenant_id = $1',
        [tenantId],
      );
      return rows[0]?.rows ?? 0;
    },
    async deadLetters() {
      const { rows } = await client.query<StoredDeadLetter>(
        `select l.id, m.topic, m.partition, m."offset", l.element, l.tenant_id as "tenantId", l.reason, l.state, m.key, m.value, m.headers
           from models.dead_letter l join models.dead_letter_message m on m.id = l.message_id
          order by m.topic, m.partition, m."offset", l.element`,
      );
      return rows;
    },
    [Symbol.asyncDispose]: () => client.end(),
  };
}
