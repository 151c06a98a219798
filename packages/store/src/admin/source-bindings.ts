import { type DatabasePool, sql } from 'slonik';
import { z } from 'zod';

const binding = z.object({
  id: z.string(),
  cluster: z.string(),
  topic: z.string(),
  format: z.string(),
  tenantId: z.string().nullable(),
  tenantPath: z.string().nullable(),
  createdAt: z.string(),
  removedAt: z.string().nullable(),
  /** Why ingestion does not read the topic; null while it does, or has not looked yet. */
  problem: z.string().nullable(),
  /** When ingestion last looked. */
  checkedAt: z.string().nullable(),
});
/** A source binding: which format the values of a topic have and whose they are. */
export type StoredBinding = z.infer<typeof binding>;

export type NewBinding = Pick<StoredBinding, 'cluster' | 'topic' | 'format' | 'tenantId' | 'tenantPath'>;

const columns = sql.fragment`id, cluster, topic, format, tenant_id as "tenantId", tenant_path as "tenantPath", created_at as "createdAt",
  removed_at as "removedAt", problem, checked_at as "checkedAt"`;

/** Creates a binding, which the audit log records. Null where the topic has one. */
export function createBinding(control: DatabasePool, input: NewBinding): Promise<StoredBinding | null> {
  return control.maybeOne(sql.type(binding)`
    insert into control.source_binding (cluster, topic, format, tenant_id, tenant_path)
    values (${input.cluster}, ${input.topic}, ${input.format}, ${input.tenantId}::uuid, ${input.tenantPath})
    on conflict (cluster, topic) where removed_at is null do nothing returning ${columns}`);
}

/** By cluster and topic; removed ones, if wanted, after the current one of their topic. */
export function listBindings(control: DatabasePool, withRemoved: boolean): Promise<readonly StoredBinding[]> {
  return control.any(sql.type(binding)`
    select ${columns} from control.source_binding where removed_at is null or ${withRemoved}
     order by cluster, topic, removed_at desc nulls first, id`);
}

/** Removes the binding of a topic, which the audit log records. Null where it has none. */
export function removeBinding(control: DatabasePool, cluster: string, topic: string): Promise<StoredBinding | null> {
  return control.maybeOne(sql.type(binding)`
    update control.source_binding set removed_at = clock_timestamp()
     where cluster = ${cluster} and topic = ${topic} and removed_at is null returning ${columns}`);
}

/**
 * The topics that had records of a tenant, or may have had them because records name their tenants, by cluster and topic. From the audit log: bindings of a
 * tenant are erased with it, and their topics still retain records.
 */
export function listBoundTopicsOf(
  control: DatabasePool,
  tenantId: string,
): Promise<readonly Pick<StoredBinding, 'cluster' | 'topic'>[]> {
  return control.any(sql.type(binding.pick({ cluster: true, topic: true }))`
    select distinct after ->> 'cluster' as cluster, after ->> 'topic' as topic from control.admin_event
     where subject_type = 'source_binding' and action = 'created' and (after ->> 'tenant_id' = ${tenantId} or after ->> 'tenant_path' is not null)
     order by 1, 2`);
}
