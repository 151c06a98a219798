import { setTimeout as sleep } from 'node:timers/promises';
import { topics } from '@tenantscope/contract';
import { connectPublisher } from '@tenantscope/publish';
import { type Admin, connectAdmin } from '@tenantscope/store/admin';
import { expect, inject, test } from 'vitest';
import { createCellInstallation } from '../cells/cell-installation.ts';
import { activityMessage, activityRecord } from '../installation/activity-records.ts';
import { isLong } from './random.ts';

// An MSSP with one key sweeps 300 tenants while their records arrive and the ingest of one cell is killed: in three cells, and all in one.

const tenantCount = 300;
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

async function createTenants(admin: Admin, organizationId: string, cellNames: readonly string[]) {
  const tenants: SweptTenant[] = [];
  for (let number = 0; number < tenantCount; number++) {
    const cell = cellNames[number % cellNames.length] as string;
    const { id } = await admin.tenants.create({ name: `${number}`, organizationId, azureTenantId: null, cell });
    tenants.push({ id, cell, published: new Set(), received: [], cursor: null });
  }
  return tenants;
}

test.runIf(isLong).each([[['default', 'eu1', 'eu2']], [['default']]])(
  'a sweep over 300 tenants in the cells %s shows each record of each tenant once',
  async (cellNames) => {
    const { kafka, redis, postgres } = inject('services');
    const further = Object.fromEntries(cellNames.map((name) => [name, postgres]));
    await using installation = await createCellInstallation({
      kafka,
      redis,
      postgres: { ...further, default: postgres },
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
    const tenants = await createTenants(admin, organizationId, cellNames);
    const { secret } = await admin.keys.create({
      name: 'mssp',
      scopes: ['logs:read'],
      owner: { organizationId },
      expiresAt: null,
    });
    const killedCell = cellNames.at(-1) as string;
    for (const cell of cellNames.slice(0, -1)) stack.use(await installation.start('ingest', cell));
    const killed = stack.use(await installation.start('ingest', killedCell));
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
          stack.use(await installation.start('ingest', killedCell));
        }
        await sleep(5_000);
      }
      isPublishing = false;
    };
    const publishing = publish();
    const durations: number[] = [];
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
          durations.push(performance.now() - startedMs);
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
    const quantile = (share: number) =>
      Math.round(durations.toSorted((a, b) => a - b)[Math.floor(durations.length * share)] ?? 0);
    process.stdout.write(
      `${cellNames.length} cells: ${sweeps} sweeps, requests of ${quantile(0.5)} ms at the median and ${quantile(0.99)} ms at the 99th percentile, ${rows} rows; missed ${missed.length}, repeated ${repeated}, foreign ${foreign.length}\n`,
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
