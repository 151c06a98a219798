import type { DatabaseInspector } from '../installation/database-inspector.ts';

export interface PartitionRow {
  name: string;
  fromAt: Date;
  toAt: Date;
}

export async function readPartitions(inspector: DatabaseInspector): Promise<PartitionRow[]> {
  const { rows } = await inspector.client.query<PartitionRow>(
    'select name, from_at as "fromAt", to_at as "toAt" from models.audit_log_partition order by from_at',
  );
  return rows;
}

/** A database that is created on a Monday has the partition of the week before, too. It has no rows. */
export async function dropEndedPartitions(inspector: DatabaseInspector): Promise<void> {
  const ended = (await readPartitions(inspector)).filter(({ toAt }) => toAt.getTime() <= Date.now());
  for (const { name } of ended)
    await inspector.client.query(
      `drop table models.${name}, models.${name.replace('audit_log', 'audit_log_raw')};
       delete from models.audit_log_partition where name = '${name}'`,
    );
}

/** Moves the boundary between the current partition and the next to this time, as if time had passed. */
export async function moveBoundary(
  inspector: DatabaseInspector,
  time: Date,
): Promise<[before: string, behind: string]> {
  const [now, next] = (await readPartitions(inspector)).filter(({ toAt }) => toAt.getTime() > Date.now());
  if (!now || !next) throw new Error('no partitions lie ahead');
  const at = time.toISOString();
  for (const parent of ['audit_log', 'audit_log_raw'] as const) {
    const [nowName, nextName] = [now, next].map(({ name }) => name.replace('audit_log', parent));
    await inspector.client.query(
      `alter table models.${parent} detach partition models.${nowName};
       alter table models.${parent} detach partition models.${nextName};
       alter table models.${parent} attach partition models.${nowName} for values from ('${now.fromAt.toISOString()}') to ('${at}');
       alter table models.${parent} attach partition models.${nextName} for values from ('${at}') to ('${next.toAt.toISOString()}')`,
    );
  }
  await inspector.client.query(
    `update models.audit_log_partition set to_at = '${at}' where name = '${now.name}';
     update models.audit_log_partition set from_at = '${at}' where name = '${next.name}'`,
  );
  return [now.name, next.name];
}
