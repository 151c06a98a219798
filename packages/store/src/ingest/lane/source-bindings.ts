import type { Ledger } from './lane.ts';

/** Says which format the values of a topic have and whose they are. Never changed, only removed. */
export interface SourceBinding {
  readonly id: string;
  /** The name of a configured Kafka cluster. */
  readonly cluster: string;
  readonly topic: string;
  readonly format: string;
  /** The tenant of all records; null where each record names its own. */
  readonly tenantId: string | null;
  /** The member of a record that has the provider's id of the tenant. */
  readonly tenantPath: string | null;
  readonly isRemoved: boolean;
  /** Another cell reads the topic: its tenant is there, or was moved there. */
  readonly isElsewhere: boolean;
}

/**
 * All bindings, also removed ones and those of tenants in other cells, which dead letters here may name; the newest first. Topics whose records name their
 * tenants are read by the cell default.
 */
export async function readSourceBindings(control: Ledger, cell: string): Promise<SourceBinding[]> {
  const { rows } = await control.pool.query<SourceBinding>({
    name: 'source bindings',
    text: `select b.id, b.cluster, b.topic, b.format, b.tenant_id as "tenantId", b.tenant_path as "tenantPath", b.removed_at is not null as "isRemoved",
                  coalesce(t.cell, 'default') <> $1 as "isElsewhere"
             from control.source_binding b left join control.tenant t on t.id = b.tenant_id order by b.created_at desc, b.id`,
    values: [cell],
  });
  return rows;
}

export interface BindingCheck {
  readonly id: string;
  /** Why ingestion does not read the topic; null while it does. */
  readonly problem: string | null;
}

/** Records what ingestion found about bindings, at most once in 30 s while nothing changes. */
export async function recordBindingChecks(control: Ledger, checks: readonly BindingCheck[]): Promise<void> {
  if (checks.length === 0) return;
  await control.pool.query({
    name: 'binding checks',
    text: `update control.source_binding b set problem = c.problem, checked_at = clock_timestamp()
             from unnest($1::uuid[], $2::text[]) as c (id, problem)
            where b.id = c.id and (b.problem is distinct from c.problem or b.checked_at is null or b.checked_at < clock_timestamp() - interval '30 s')`,
    values: [checks.map(({ id }) => id), checks.map(({ problem }) => problem)],
  });
}
