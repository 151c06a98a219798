import { toEventType } from '@tenantscope/intake';
import type { Ledger } from '@tenantscope/store/ingest';
import { createPartCache } from '@tenantscope/store/ingest';
import { expect, test } from 'vitest';
import type { IngestMetrics } from '../src/ingest-metrics.ts';
import type { KafkaRecord } from '../src/kafka/kafka-reader.ts';
import { encodeHeaders } from '../src/kafka/record-headers.ts';
import { createRecordProcessor } from '../src/record/record-processor.ts';
import type { TenantCache } from '../src/tenant/tenant-cache.ts';

const tenantId = '00000000-0000-4000-8000-000000000001';
const tenants: TenantCache = {
  current: () => new Map([[tenantId, { azureTenantId: null, isClosed: false }]]),
  refresh: async () => {},
  reload: async () => false,
  reloadAll: async () => false,
  movesVersion: () => '',
  isMoving: () => false,
  refreshMoves: async () => {},
};
/** Nothing is written here. */
const unused = { ledger: {} as Ledger, metrics: {} as IngestMetrics };

/** A page of users, of whom it has the ids alone. */
function pageOfUsers(offset: number): KafkaRecord {
  return {
    offset: BigInt(offset),
    producedAtMs: Date.UTC(2026, 10, 20),
    key: null,
    value: Buffer.from(JSON.stringify(Array.from({ length: 10_000 }, (_, number) => ({ id: `${offset}-${number}` })))),
    headers: encodeHeaders([
      ['ce_specversion', '1.0'],
      ['ce_type', toEventType('graph.user')],
      ['ce_tenantid', tenantId],
      ['ce_time', '2026-11-20T08:00:00Z'],
    ]),
  };
}

test('records with more elements than a transaction may have are written in halves', async () => {
  const processor = createRecordProcessor(
    {
      ...unused,
      topic: 'rawEntity',
      deadLetterConflicts: false,
      parts: createPartCache(),
      tenants,
      maxRecordBytes: 1_048_576,
    },
    'armed',
  );
  const one = await processor.prepare([pageOfUsers(0)]);
  expect(one).toMatchObject({ isTooLarge: false, rejected: [] });
  expect(one.changes).toHaveLength(10_000);
  expect(await processor.prepare(Array.from({ length: 14 }, (_, offset) => pageOfUsers(offset)))).toMatchObject({
    isTooLarge: true,
    changes: [],
  });
});
