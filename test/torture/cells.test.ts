import { setTimeout as sleep } from 'node:timers/promises';
import { topics } from '@tenantscope/contract';
import { connectPublisher } from '@tenantscope/publish';
import { connectAdmin } from '@tenantscope/store/admin';
import { expect, inject, test } from 'vitest';
import { createCellInstallation } from '../cells/cell-installation.ts';
import { activityMessage, activityRecord } from '../installation/activity-records.ts';
import { isLong } from './random.ts';

// An MSSP with one key sweeps 300 tenants in three cells while their records arrive and the ingest of one cell is killed.

const cellNames = ['default', 'eu1', 'eu2'] as const;
const tenantsPerCell = 100;
const batches = 5;
const recordsPerBatch = 2;
/** Below the 600 requests a minute of a key. */
const requestIntervalMs = 110;

interface SweptTenant {
  readonly id: string;
  readonly cell: string;
  readonly published: Set<string>;
  readonly received: string[];
  cursor: string | null;
}

test.runIf(isLong)(
  'a sweep over 300 tenants in three cells shows each record of each tenant once',
  async () => {
    const { kafka, redis, postgres } = inject('services');
    await using installation = await createCellInstallation({
      kafka,
      redis,
      postgres: { default: postgres, eu1: postgres, eu2: postgres },
    });
    await using stack = new AsyncDisposableStack();
    const publisher = stack.use(await connectPublisher({ brokers: kafka, clientId: 'test' }));
    const { environment } = installation;
    await using admin = await connectAdmin(
      {
        models: environment.TENANTSCOPE_ADMIN_DATABASE_URL as string,
        control: environment.TENANTSCOPE_ADMIN_CONTROL_DATABASE_URL as string,
      },
      'cli:test',
    );
    const { id: organizationId } = await admin.organizations.create({ name: 'Larkspur' });
    const tenants: SweptTenant[] = [];
    for (let number = 0; number < tenantsPerCell * cellNames.length; number++) {
      const cell = cellNames[number % cellNames.length] as string;
      const { id } = await admin.tenants.create({ name: `${number}`, organizationId, azureTenantId: null, cell });
      tenants.push({ id, cell, published: new Set(), received: [], cursor: null });
    }
    const { secret } = await admin.keys.create({
      name: 'mssp',
      scopes: ['logs:read'],
      owner: { organizationId },
      expiresAt: null,
    });
    for (const cell of ['default', 'eu2']) stack.use(await installation.start('ingest', cell));
    const killed = stack.use(await installation.start('ingest', 'eu1'));
    stack.use(await installation.start('api'));
    const client = installation.client(secret);
    expect((await client.get('/tenants')).body.data.length).toBe(tenants.length);

    let isPublishing = true;
    const publish = async () => {
      for (let batch = 0; batch < batches; batch++) {
        for (const { id, cell, published } of tenants) {
          const records = Array.from({ length: recordsPerBatch }, (_, number) => activityRecord(batch * 10 + number));
          for (const { Id } of records) published.add(String(Id));
          const topic = `${installation.cells.get(cell)?.topicPrefix}.${topics.activity.suffix}`;
          await publisher.publish(
            topic,
            records.map((record) => activityMessage(id, record)),
          );
        }
        if (batch === 1) {
          killed.kill('SIGKILL');
          await killed.gone;
          stack.use(await installation.start('ingest', 'eu1'));
        }
        await sleep(5_000);
      }
      isPublishing = false;
    };
    const publishing = publish();
    const sweep = async () => {
      for (const tenant of tenants) {
        for (let hasMore = true; hasMore; ) {
          const startedMs = performance.now();
          const parameters: Record<string, string> =
            tenant.cursor === null ? { limit: '3' } : { cursor: tenant.cursor };
          const { status, body, headers } = await client.get(
            '/logs',
            { sort: 'discoveredAtAsc', ...parameters },
            { 'X-Tenant-Id': tenant.id },
          );
          expect(status, JSON.stringify(body)).toBe(200);
          expect(headers.get('x-tenant-id')).toBe(tenant.id);
          for (const { externalEventId } of body.data) tenant.received.push(externalEventId);
          tenant.cursor = body.pagination.resumeCursor;
          hasMore = body.pagination.hasMore;
          await sleep(Math.max(0, requestIntervalMs - (performance.now() - startedMs)));
        }
      }
    };
    let sweeps = 0;
    for (; isPublishing; sweeps++) await sweep();
    await publishing;
    const isReceived = () => tenants.every(({ published, received }) => received.length >= published.size);
    for (let more = 0; more < 5 && !isReceived(); more++, sweeps++) await sweep();

    const missed = tenants.flatMap(({ published, received }) => [...published].filter((id) => !received.includes(id)));
    const repeated = tenants.reduce((sum, { received }) => sum + received.length - new Set(received).size, 0);
    const foreign = tenants.flatMap(({ published, received }) => received.filter((id) => !published.has(id)));
    const rows = tenants.reduce((sum, { received }) => sum + received.length, 0);
    process.stdout.write(
      `${sweeps} sweeps, ${rows} rows; missed ${missed.length}, repeated ${repeated}, foreign ${foreign.length}\n`,
    );
    expect({ missed: missed.length, repeated, foreign: foreign.length }).toEqual({
      missed: 0,
      repeated: 0,
      foreign: 0,
    });
    expect(rows).toBe(tenants.length * batches * recordsPerBatch);
  },
  900_000,
);
