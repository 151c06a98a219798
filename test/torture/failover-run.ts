import { inject } from 'vitest';
import { type DatabaseInspector, openDatabaseInspector } from '../installation/database-inspector.ts';
import { eventually } from '../installation/eventually.ts';
import type { Installation } from '../installation/installation.ts';
import { compareFlow, startRecordFlow } from '../installation/record-flow.ts';
import { createHttpPoller } from './http-poller.ts';
import { compareStyles, createStylePollers } from './poller-styles.ts';
import { comparePolled, sleep } from './pollers.ts';

export interface FailoverRun {
  readonly rows: number;
  /** Of records in Kafka against rows. */
  readonly flow: Awaited<ReturnType<typeof compareFlow>>;
  /** Of the pollers of each API: one reads windows, one follows a cursor, and four poll in other styles. */
  readonly judged: readonly (ReturnType<typeof comparePolled> & ReturnType<typeof compareStyles>)[];
}

const allRead = { missed: 0, readTwice: 0 };
export const nothingMissed = {
  missedInWindows: 0,
  missedByCursor: 0,
  readTwiceByCursor: 0,
  changedWindows: 0,
  descending: { missed: 0, changed: 0 },
  checkpoint: allRead,
  ndjson: allRead,
  tools: allRead,
};

const keysPerPoller = 12;

/** Sends records and polls them from each API while `work` runs, then compares what was sent, stored and served. */
export async function pollDuring(
  installation: Installation,
  baseUrls: readonly string[],
  work: (sent: ReadonlySet<string>) => Promise<void>,
): Promise<FailoverRun> {
  const tenant = await installation.createTenant();
  const createKey = async () => {
    const key = { name: 'poller', scopes: ['logs:read'], owner: { tenantId: tenant.id }, expiresAt: null };
    return (await installation.admin.keys.create(key)).secret;
  };
  // Each key has a limit per minute.
  const createKeys = async () => {
    const secrets: string[] = [];
    while (secrets.length < keysPerPoller) secrets.push(await createKey());
    return secrets;
  };
  const pollers = [];
  for (const baseUrl of baseUrls) {
    const pair = createHttpPoller(baseUrl, await createKeys(), '1000');
    const styles = createStylePollers(baseUrl, await createKeys());
    pollers.push({ pair, styles });
  }
  const flow = startRecordFlow({
    brokers: inject('services').kafka,
    topic: installation.activityTopic,
    tenantIds: [tenant.id],
  });
  const polling = Promise.all(
    pollers.map(async ({ pair, styles }) => {
      const [polled, read] = await Promise.all([pair.poll(), styles.poll()]);
      return { polled, read };
    }),
  );
  polling.catch(() => {});
  const inspect = async <Value>(read: (inspector: DatabaseInspector) => Promise<Value>): Promise<Value> => {
    await using inspector = await openDatabaseInspector(installation.database.superuser);
    return await read(inspector);
  };
  try {
    await eventually('rows are stored', 60_000, () =>
      inspect(async ({ rowCount }) => (await rowCount(tenant.id)) > 1_000),
    );
    await work(flow.good);
  } finally {
    await flow.stop();
  }
  const compare = () => inspect((inspector) => compareFlow(flow, inspector, [tenant.id]));
  await eventually('all records are stored', 120_000, async () => (await compare()).lost === 0);
  const { rows: stored } = await inspect(({ client }) =>
    client.query<{ id: string; atMs: number }>(
      `select id, (extract(epoch from discovered_at) * 1000)::float8 as "atMs" from models.audit_log where tenant_id = $1 order by discovered_at, id`,
      [tenant.id],
    ),
  );
  // Those of a new epoch are up to 5 s ahead.
  await sleep(Math.max(0, (stored.at(-1)?.atMs ?? 0) - Date.now() + 1));
  for (const { pair, styles } of pollers) {
    pair.end();
    styles.end();
  }
  const all = await polling;
  const run = {
    rows: stored.length,
    flow: await compare(),
    judged: all.map(({ polled, read }) => ({ ...comparePolled(polled, stored), ...compareStyles(read, stored) })),
  };
  console.log(JSON.stringify({ ...run, windows: all.map(({ polled }) => polled.windows.length) }));
  return run;
}
