import { randomBytes, randomUUID } from 'node:crypto';
import { demoHistory, demoTenants } from '@tenantscope/demo';
import { typeOfFormat } from '@tenantscope/intake';
import { cloudEvent, type Message } from '@tenantscope/publish';
import type { Admin } from '@tenantscope/store';
import { Partitioners } from 'kafkajs';

/** A tenant of the bench, and the demo company whose records it receives. */
export interface BenchTenant {
  id: string;
  company: number;
  partition: number;
}

/** Tenants in equal numbers on every partition: a topic that is read evenly ends evenly, and a rate can be told. */
export async function makeTenants(
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
 * Messages as collectors send them: records of the demo companies' last day, all formats in their everyday mixture, with nine headers.
 * No two are equal. Tenants take turns, so that every part of the topic looks like the whole.
 */
export function* messages(tenants: readonly BenchTenant[], count: number): Generator<Message> {
  const endMs = Date.now();
  const each = Math.ceil(count / tenants.length);
  const histories = tenants.map(({ id, company }) => {
    const tenant = demoTenants[company];
    if (!tenant) throw new Error(`there is no demo company ${company}`);
    return { id, records: demoHistory({ tenant, endMs, days: 1, seed: `bench/${id}`, count: each }) };
  });
  let made = 0;
  while (made < count) {
    for (const { id, records } of histories) {
      const next = records.next();
      if (next.done || made === count) continue;
      const { format, record, occurredAtMs } = next.value;
      const event = cloudEvent({
        id: randomUUID(),
        source: '/collectors/bench',
        type: typeOfFormat(format),
        tenantId: id,
        timeMs: occurredAtMs,
        value: Buffer.from(JSON.stringify(record)),
      });
      made += 1;
      yield { ...event, headers: { ...event.headers, ce_partitionkey: id, traceparent: trace() } };
    }
  }
}

const trace = (): string => `00-${randomBytes(16).toString('hex')}-${randomBytes(8).toString('hex')}-01`;
