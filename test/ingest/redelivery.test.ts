import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { activityMessage, activityRecord } from '../installation/activity-records.ts';
import { eventually } from '../installation/eventually.ts';
import { type Installation, startInstallation } from '../installation/installation.ts';

let installation: Installation;
let inspector: pg.Client;

beforeAll(async () => {
  installation = await startInstallation();
  inspector = new pg.Client(installation.database.superuser);
  await inspector.connect();
});
afterAll(async () => {
  await inspector.end();
  await installation[Symbol.asyncDispose]();
});

const rowsOf = async (tenantId: string): Promise<{ id: string; discovered_at: Date; member_lines: string }[]> =>
  (
    await inspector.query(
      'select id, discovered_at, member_lines from models.audit_log where tenant_id = $1 order by discovered_at, id',
      [tenantId],
    )
  ).rows;

test('a record becomes one row and its redelivery changes nothing', async () => {
  await using ingest = await installation.startIngest();
  const { id } = await installation.createTenant();
  const messages = Array.from({ length: 500 }, (_, number) => activityMessage(id, activityRecord(number)));
  await installation.publisher.publish(installation.activityTopic, messages);
  await eventually('500 rows', 20_000, async () => (await rowsOf(id)).length === 500);
  const before = await rowsOf(id);
  await installation.publisher.publish(installation.activityTopic, messages.toReversed());
  const marker = activityMessage(id, activityRecord(9_999));
  await installation.publisher.publish(installation.activityTopic, [marker]);
  await eventually('the later record is stored', 20_000, async () => (await rowsOf(id)).length === 501);
  expect((await rowsOf(id)).slice(0, 500)).toEqual(before);
  expect(ingest.output()).not.toContain('"level":60');
});
