import type pg from 'pg';
import { readActions } from '../../resource/read-actions.ts';
import { readIdentityPartitions } from '../log/partitions.ts';
import { writeListedReads } from '../log/write-file-reads.ts';
import type { LogFact } from '../row/audit-log-row.ts';
import { type FileReader, type ListedRead, listFileReads } from '../row/file-reads.ts';

const batchRows = 5_000;

interface StoredRow {
  readonly tenantId: string;
  readonly logId: string;
  readonly occurredMs: number;
  readonly discoveredMs: number;
  readonly action: string;
  readonly resourceId: string | null;
  readonly actorId: string | null;
  readonly actorType: string | null;
  readonly applicationId: string | null;
  readonly memberLines: string;
  /** Of an interaction. */
  readonly agentId: string | null;
  readonly facts: string | null;
}

const stamps = (of: string) =>
  `(extract(epoch from ${of}.occurred_at) * 1000)::float8 as "occurredMs", (extract(epoch from ${of}.discovered_at) * 1000)::float8 as "discoveredMs"`;

const rowsOf = (partition: string): string => `
  select l.tenant_id as "tenantId", l.id as "logId", ${stamps('l')}, l.action, l.resource_id as "resourceId", l.actor_id as "actorId",
         l.actor_type as "actorType", l.application_id as "applicationId", l.member_lines as "memberLines", null as "agentId", null as facts
    from (select distinct tenant_id as id from models.source_progress where source = 'logs') owner
   cross join ${partition} l
   where l.tenant_id = owner.id and l.discovered_at >= $1 and l.discovered_at < $2 and l.action = any ($3) and l.resource_id is not null`;

const interactions = `
  select f.tenant_id as "tenantId", f.log_id as "logId", ${stamps('f')}, '' as action, null as "resourceId", f.actor_id as "actorId",
         null as "actorType", f.facts ->> 'clientId' as "applicationId", '' as "memberLines", f.agent_id as "agentId", f.facts::text as facts
    from models.log_fact f
   where f.discovered_at >= $1 and f.discovered_at < $2 and f.kind = 'aiInteraction' and jsonb_path_exists(f.facts, '$.resources[0]')
     and cardinality($3::text[]) > 0`;

/** Writes the reads of rows that were discovered in a time, which begins with `from` and ends before `to`, a batch after the other. */
export async function backfillFileReads(
  client: pg.PoolClient,
  { from, to, logPartitions }: { from: string; to: string; logPartitions: readonly string[] },
): Promise<void> {
  const identities = await readIdentityPartitions(client);
  for (const statement of [...logPartitions.map(rowsOf), interactions]) {
    await client.query(`declare stored_read no scroll cursor for ${statement}`, [from, to, readActions]);
    for (;;) {
      const { rows } = await client.query<StoredRow>(`fetch ${batchRows} from stored_read`);
      await writeListedReads(client, identities, rows.flatMap(listReads));
      if (rows.length < batchRows) break;
    }
    await client.query('close stored_read');
  }
}

function listReads(row: StoredRow): ListedRead[] {
  const { tenantId, logId, occurredMs, discoveredMs, actorId, facts } = row;
  const found: ListedRead[] = [];
  const add = (name: string, reader: FileReader) =>
    found.push({ tenantId, logId, occurredMs, discoveredMs, name, reader });
  listFileReads(
    { columns: row, memberLines: row.memberLines, facts: facts === null ? [] : [toInteraction(row, facts)] },
    add,
  );
  return found;

  function toInteraction({ agentId, applicationId: clientId }: StoredRow, text: string): LogFact {
    return {
      kind: 'aiInteraction',
      agentId,
      agentName: null,
      clientId,
      appHost: null,
      event: null,
      actorId,
      facts: text,
    };
  }
}
