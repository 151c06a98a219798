import { topics } from '@tenantscope/contract';
import { type LocalServices, startTemporaryServices } from '@tenantscope/local';
import { connectPublisher } from '@tenantscope/publish';
import { inject } from 'vitest';
import { activityMessage, activityRecord } from '../installation/activity-records.ts';
import { type CellInstallation, createCellInstallation } from './cell-installation.ts';

export type Cell = 'default' | 'eu1';

export interface SeparateCells extends AsyncDisposable {
  readonly installation: CellInstallation;
  /** Of the cell eu1. */
  readonly server: LocalServices<'postgres'>;
  /** Of a key that reads both tenants. */
  readonly secret: string;
  /** A tenant of each cell. */
  readonly tenantIds: Readonly<Record<Cell, string>>;
  /** Sends records of its tenant to the topics of a cell; returns their ids. */
  publish(cell: Cell, count: number): Promise<string[]>;
}

/** Two cells, of which eu1 has a server of its own, with ingest, and an organization with a tenant in each. */
export async function createSeparateCells(): Promise<SeparateCells> {
  await using stack = new AsyncDisposableStack();
  const { kafka, redis, postgres } = inject('services');
  const server = stack.use(await startTemporaryServices({ only: ['postgres'] }));
  const installation = stack.use(
    await createCellInstallation({ kafka, redis, postgres: { default: postgres, eu1: server.postgres } }),
  );
  const publisher = stack.use(await connectPublisher({ brokers: kafka, clientId: 'test' }));
  const { cli, cells } = installation;
  const { id: organizationId } = await cli<{ id: string }>('org create --name Larkspur');
  const create = async (cell: Cell) =>
    (await cli<{ id: string }>(`tenant create --name ${cell} --org ${organizationId} --cell ${cell}`)).id;
  const tenantIds = { default: await create('default'), eu1: await create('eu1') };
  const { secret } = await cli<{ secret: string }>(`key create --name mssp --scopes logs:read --org ${organizationId}`);
  for (const cell of ['default', 'eu1']) stack.use(await installation.start('ingest', cell));
  const all = stack.move();
  return {
    installation,
    server,
    secret,
    tenantIds,
    async publish(cell, count) {
      const records = Array.from({ length: count }, (_, number) => activityRecord(number));
      const topic = `${cells.get(cell)?.topicPrefix}.${topics.activity.suffix}`;
      await publisher.publish(
        topic,
        records.map((record) => activityMessage(tenantIds[cell], record)),
      );
      return records.map(({ Id }) => String(Id));
    },
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
}
