import { topics } from '@tenantscope/contract';
import { connectPublisher } from '@tenantscope/publish';
import pg from 'pg';
import { expect, inject } from 'vitest';
import { activityMessage, activityRecord } from '../installation/activity-records.ts';
import { eventually } from '../installation/eventually.ts';
import { type CellInstallation, createCellInstallation } from './cell-installation.ts';

export interface LogsPage {
  readonly data: readonly { readonly externalEventId: string; readonly discoveredAt: string }[];
  readonly pagination: { readonly completeThrough: string };
}

export interface MoveInstallation extends AsyncDisposable, Pick<CellInstallation, 'cli' | 'environment'> {
  readonly tenantId: string;
  readonly otherId: string;
  /** The ids of the records that were sent of `tenantId`. */
  readonly sent: readonly string[];
  superuserOf(cell: string): string;
  /** In the database of a cell, or `control`, without row-level security. */
  query<Row extends pg.QueryResultRow>(place: string, text: string, values?: readonly unknown[]): Promise<Row[]>;
  /** Sends records to the topics of a cell. */
  publish(cell: string, tenantId: string, count: number): Promise<void>;
  /** The rows of the last minutes, oldest first. */
  readLogs(tenantId?: string): Promise<LogsPage>;
  readIds(tenantId?: string): Promise<string[]>;
  /** Waits until each sent record is served, and asserts that each is served once. */
  awaitAllServed(): Promise<void>;
  /** The metrics of the ingest of a cell. */
  readMetrics(cell: string): Promise<string>;
  move(cell: string): Promise<{ rows: number; fencedMs: number; forwarded: number; rowCounts: Record<string, number> }>;
}

/** Two cells with ingest, an API, and two tenants in the cell default. Rows before `startedAt` are not read. */
export async function createMoveInstallation(startedAt: string): Promise<MoveInstallation> {
  await using stack = new AsyncDisposableStack();
  const { kafka, redis, postgres } = inject('services');
  const installation = stack.use(
    await createCellInstallation({ kafka, redis, postgres: { default: postgres, eu1: postgres } }),
  );
  const publisher = stack.use(await connectPublisher({ brokers: kafka, clientId: 'test' }));
  const { cli, environment } = installation;
  const { id: organizationId } = await cli<{ id: string }>('org create --name Larkspur');
  const create = async (name: string) =>
    (await cli<{ id: string }>(`tenant create --name ${name} --org ${organizationId}`)).id;
  const [tenantId, otherId] = [await create('moved'), await create('other')];
  const key = `key create --name k --scopes logs:read --org ${organizationId}`;
  const { secret } = await cli<{ secret: string }>(key);
  const healthPorts = new Map<string, number>();
  for (const cell of ['default', 'eu1'])
    healthPorts.set(cell, stack.use(await installation.start('ingest', cell)).healthPort);
  stack.use(await installation.start('api'));
  const sent: string[] = [];
  const superuserOf = (cell: string) => installation.cells.get(cell)?.database.superuser as string;
  const readLogs = async (of = tenantId): Promise<LogsPage> => {
    const parameters = { limit: '1000', sort: 'discoveredAtAsc', discoveredFrom: startedAt };
    const { status, body } = await installation.client(secret).get('/logs', parameters, { 'X-Tenant-Id': of });
    expect(status, JSON.stringify(body)).toBe(200);
    return body;
  };
  const readIds = async (of = tenantId) => (await readLogs(of)).data.map(({ externalEventId }) => externalEventId);
  const all = stack.move();
  return {
    cli,
    environment,
    tenantId,
    otherId,
    sent,
    superuserOf,
    readLogs,
    readIds,
    async query<Row extends pg.QueryResultRow>(place: string, text: string, values: readonly unknown[] = []) {
      const client = new pg.Client(place === 'control' ? installation.control.superuser : superuserOf(place));
      await client.connect();
      try {
        return (await client.query<Row>(text, [...values])).rows;
      } finally {
        await client.end();
      }
    },
    async publish(cell, of, count) {
      const records = Array.from({ length: count }, (_, number) => activityRecord(number));
      if (of === tenantId) sent.push(...records.map(({ Id }) => String(Id)));
      await publisher.publish(
        `${installation.cells.get(cell)?.topicPrefix}.${topics.activity.suffix}`,
        records.map((record) => activityMessage(of, record)),
      );
    },
    async awaitAllServed() {
      await eventually('all records are served', 40_000, async () => (await readIds()).length >= sent.length);
      expect((await readIds()).toSorted()).toEqual(sent.toSorted());
    },
    readMetrics: async (cell) => (await fetch(`http://127.0.0.1:${healthPorts.get(cell)}/metrics`)).text(),
    move: (cell) => cli(`tenant move --tenant ${tenantId} --cell ${cell} --yes`),
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
}
