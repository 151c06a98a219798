/** SQL: rows of the tenant with an earlier stamp are beyond the retention of the installation or its own; null while none is. */
export const droppedBefore = (tenant: string): string => `(select greatest(
    (select r.dropped_before from models.retention r where r.feed = 'logs'),
    (select r.dropped_before from models.tenant_retention r where r.tenant_id = ${tenant})))`;
