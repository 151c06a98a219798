import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { type DatabaseInspector, openDatabaseInspector } from '../installation/database-inspector.ts';
import { eventually } from '../installation/eventually.ts';
import { type Installation, startInstallation } from '../installation/installation.ts';
import { startRecordFlow } from '../installation/record-flow.ts';

let installation: Installation;
let inspector: DatabaseInspector;

beforeAll(async () => {
  installation = await startInstallation();
  inspector = await openDatabaseInspector(installation.database.superuser);
  await installation.startIngest();
}, 60_000);
afterAll(async () => {
  await inspector?.[Symbol.asyncDispose]();
  await installation?.[Symbol.asyncDispose]();
});

/** Tables with more updates than inserts while records are ingested. Their free space and their indexes keep updates out of the indexes. */
const updated = ['ingest_lane', 'source_progress', 'log_tally', 'actor_tally', 'lane_reader', 'lane_log'];

test('updates of lanes, progress and counts change no index', { timeout: 90_000 }, async () => {
  const { id } = await installation.createTenant();
  const tenantIds = [id];
  const flow = startRecordFlow({ brokers: inject('services').kafka, topic: installation.activityTopic, tenantIds });
  const { client } = inspector;
  const readUpdates = async () => {
    const { rows } = await client.query<{ name: string; updates: number; hot: number }>(
      `select relname as name, n_tup_upd::int as updates, n_tup_hot_upd::int as hot from pg_stat_user_tables
        where schemaname = 'models' and relname = any($1)`,
      [updated],
    );
    return rows;
  };
  await eventually('each table was updated', 60_000, async () =>
    (await readUpdates()).every(({ updates }) => updates >= 40),
  );
  await flow.stop();
  const rows = await readUpdates();
  expect(rows).toHaveLength(updated.length);
  // The measured shares are 0.997 and more; a page that has just become full has one that is not.
  for (const { name, updates, hot } of rows) expect(hot / updates, name).toBeGreaterThan(0.9);
});
