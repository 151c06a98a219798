import { randomBytes, randomUUID } from 'node:crypto';
import { demoHistory, demoTenants } from '@tenantscope/demo';
import { toEventType } from '@tenantscope/intake';
import { createCloudEventMessage, type Message } from '@tenantscope/publish';
import type { Admin } from '@tenantscope/store/admin';
import { Partitioners } from 'kafkajs';

/** A tenant of the benchmark and the demo company whose records it receives. */
export interface BenchTenant {
  id: string;
  company: number;
  partition: number;
}

/** Tenants in equal numbers on every partition, so that all partitions of a topic end at the same time and a rate can be measured. */
export async function createTenants(
  admin: Admin,
  options: { partitions: number; perPartition: number; organizationId: string | null },
): Promise<BenchTenant[]> {
  const { partitions, perPartition, organizationId } = options;
  const choose = Partitioners.DefaultPartitioner();
  const partitionMetadata = Array.from({ length: partitions }, (_, partitionId) => ({
    partitionId,
    partitionErrorCode: 0,
    leader: 1,
    replicas: [1],
    isr: [1],
  }));
  const tenants: BenchTenant[] = [];
  for (let number = 0; tenants.length < partitions * perPartition; number++) {
    const company = number % demoTenants.length;
    const azureTenantId = demoTenants[company]?.azureTenantId ?? null;
    const { id } = await admin.tenants.create({ name: `Tenant ${number}`, organizationId, azureTenantId });
    const partition = choose({ topic: '', partitionMetadata, message: { key: id, value: null } });
    if (tenants.filter((tenant) => tenant.partition === partition).length < perPartition)
      tenants.push({ id, company, partition });
  }
  return tenants;
}

/**
 * Messages as collectors send them: records of the demo companies' last day in all formats, mixed as usual, with nine
 * headers. No two are equal. Tenants alternate, so that every part of the topic has the same mix.
 */
export function* generateMessages(tenants: readonly BenchTenant[], count: number): Generator<Message> {
  const endMs = Date.now();
  const each = Math.ceil(count / tenants.length);
  const histories = tenants.map(({ id, company }) => {
    const tenant = demoTenants[company];
    if (!tenant) throw new Error(`unknown demo company ${company}`);
    return { id, records: demoHistory({ tenant, endMs, days: 1, seed: `bench/${id}`, count: each }) };
  });
  let generated = 0;
  while (generated < count) {
    for (const { id, records } of histories) {
      const next = records.next();
      if (next.done || generated === count) continue;
      const { format, record, occurredAtMs } = next.value;
      const event = createCloudEventMessage({
        id: randomUUID(),
        source: '/collectors/bench',
        type: toEventType(format),
        tenantId: id,
        timeMs: occurredAtMs,
        value: Buffer.from(JSON.stringify(record)),
      });
      generated += 1;
      yield { ...event, headers: { ...event.headers, ce_partitionkey: id, traceparent: trace() } };
    }
  }
}

const trace = (): string => `00-${randomBytes(16).toString('hex')}-${randomBytes(8).toString('hex')}-01`;
