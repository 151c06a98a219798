import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { activityMessage, activityRecord } from '../installation/activity-records.ts';
import { type DatabaseInspector, openDatabaseInspector } from '../installation/database-inspector.ts';
import { eventually } from '../installation/eventually.ts';
import { type Installation, startInstallation } from '../installation/installation.ts';

let installation: Installation;
let inspector: DatabaseInspector;

beforeAll(async () => {
  installation = await startInstallation();
  inspector = await openDatabaseInspector(installation.database.superuser);
});
afterAll(async () => {
  await inspector?.[Symbol.asyncDispose]();
  await installation?.[Symbol.asyncDispose]();
});

interface HungWriter extends AsyncDisposable {
  /** Resolves when the server has ended its connection. */
  readonly ended: Promise<unknown>;
}

/** A connection of ingest that has locked every lane and then does what `hang` does, for ever. */
async function openHungWriter(hang: (connection: pg.Connection) => void): Promise<HungWriter> {
  const client = new pg.Client(installation.database.roles.ingest);
  const ended = new Promise((resolve) => client.on('error', resolve));
  await client.connect();
  await client.query('begin');
  await client.query('update models.ingest_lane set written_at = clock_timestamp()');
  hang(client.connection);
  return { ended, [Symbol.asyncDispose]: () => client.end() };
}

// The server's own time limits end the first; none of them applies while COPY waits for its client.
test.each([
  ['between two statements', () => {}],
  [
    'in the middle of a row of COPY',
    (connection) => {
      connection.once('copyInResponse', () => connection.sendCopyFromChunk(Buffer.from('PGCOPY\n')));
      connection.query(copyText);
    },
  ],
] satisfies [string, (connection: CopyConnection) => void][])(
  'a process that hangs %s delays neither its lanes nor the watermark',
  async (_, hang) => {
    await using ingest = await installation.startIngest();
    const { id } = await installation.createTenant();
    const publish = (number: number) =>
      installation.publisher.publish(installation.activityTopic, [activityMessage(id, activityRecord(number))]);
    await publish(1);
    await eventually('the first record is stored', 20_000, async () => (await inspector.rowCount(id)) === 1);
    await using hung = await openHungWriter(hang as (connection: pg.Connection) => void);
    const hungAt = new Date();
    await publish(2);
    await hung.ended;
    await eventually('the second record is stored', 20_000, async () => (await inspector.rowCount(id)) === 2);
    await eventually('every lane is settled', 20_000, async () => {
      const { rows } = await inspector.client.query('select min(settled_at) as through from models.lane_watermark');
      return rows[0].through > hungAt;
    });
    expect(ingest.output()).not.toContain('"level":60');
  },
);

const copyText = `copy models.log_identity_default from stdin (format binary)`;

type CopyConnection = pg.Connection & { query(text: string): void; sendCopyFromChunk(chunk: Buffer): void };
