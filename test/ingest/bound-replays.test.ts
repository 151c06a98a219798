import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { activityRecord } from '../installation/activity-records.ts';
import { createTopics } from '../installation/create-topics.ts';
import { eventually } from '../installation/eventually.ts';
import { startIngestInstallation } from '../installation/ingest-installation.ts';

const noticedMs = 30_000;
const format = 'o365.management-activity';

const running = await startIngestInstallation();
let organizationId: string;
let memberId: string;
let tenant: { readonly id: string; readonly azureTenantId: string };
let topic: string;
const created: string[] = [];

beforeAll(async () => {
  organizationId = (await running.installation.admin.organizations.create({ name: 'Ours' })).id;
  const { rows: members } = await running.inspector.client.query<{ id: string }>(
    `insert into control.member (organization_id, name, source, subject, role) values ($1, 'Ada', 'local', 'ada', 'admin') returning id`,
    [organizationId],
  );
  memberId = members[0]?.id ?? '';
});
afterAll(async () => {
  await running.broker.admin.deleteTopics({ topics: created }).catch(() => {});
});
beforeEach(async () => {
  tenant = await createTenant(organizationId);
  topic = `collector-${randomUUID()}`;
  await createTopics(running.broker.admin, [{ topic, numPartitions: 1 }]);
  created.push(topic);
});

async function createTenant(of: string | null) {
  const azureTenantId = randomUUID();
  const { id } = await running.installation.admin.tenants.create({ name: 'A', organizationId: of, azureTenantId });
  return { id, azureTenantId };
}
const cli = <Document = Record<string, unknown>>(...args: string[]) => running.installation.cli<Document>(...args);
const bind = (as: string, ...more: string[]) => cli('source', 'create', '--topic', topic, '--format', as, ...more);
const unbind = () => cli('source', 'remove', '--topic', topic);
const append = (...values: unknown[]) =>
  running.broker.append(
    topic,
    0,
    values.map((value) => ({ key: 'k', value: Buffer.from(JSON.stringify(value)), headers: { ce_type: 'claimed' } })),
  );
const deadLetters = async () => (await running.inspector.deadLetters()).filter((one) => one.topic === topic);
const deadLettered = (count: number) =>
  eventually(`${count} dead letters`, noticedMs, async () => (await deadLetters()).length === count);
const rows = (tenantId: string, count: number) =>
  eventually(`${count} rows`, noticedMs, async () => (await running.inspector.rowCount(tenantId)) === count);

test('after a binding with the wrong format is replaced, one command replays what the right one takes', async () => {
  await bind('okta.system-log', '--tenant', tenant.id);
  const records = Array.from({ length: 5 }, (_, number) => activityRecord(number));
  await append(...records, [activityRecord(5), activityRecord(6)], { Operation: 'x' });
  await deadLettered(8);
  const before = await running.broker.offsets(topic, 0);

  // With the binding that they were read with nothing is accepted.
  expect(await cli('dead-letters', 'replay', '--source', topic, '--dry-run')).toMatchObject({
    matching: 8,
    accepted: 0,
  });
  await unbind();
  expect(await cli('dead-letters', 'replay', '--source', topic, '--dry-run')).toMatchObject({
    matching: 8,
    accepted: 0,
  });
  await bind(format, '--tenant', tenant.id);
  expect(await cli('dead-letters', 'replay', '--source', topic)).toMatchObject({
    matching: 8,
    accepted: 7,
    settled: 7,
  });
  await rows(tenant.id, 7);
  expect((await deadLetters()).map(({ offset, state }) => [offset, state]).toSorted()).toEqual([
    ...['0', '1', '2', '3', '4', '5', '5'].map((offset) => [offset, 'settled']),
    ['6', 'pending'],
  ]);
  // Others write the bound topic; we do not.
  expect(await running.broker.offsets(topic, 0)).toEqual(before);
});

test('a record whose tenant is created later is replayed by its id, and a replay that fails stays one dead letter', async () => {
  await bind(format, '--tenant-from', 'OrganizationId');
  const [azureTenantId, unknown] = [randomUUID(), randomUUID()];
  await append(
    [activityRecord(0, { OrganizationId: azureTenantId }), activityRecord(1, { OrganizationId: tenant.azureTenantId })],
    activityRecord(2, { OrganizationId: unknown }),
  );
  await deadLettered(2);
  await rows(tenant.id, 1);
  const { id } = await running.installation.admin.tenants.create({ name: 'Later', organizationId, azureTenantId });
  await unbind();
  const ids = (await deadLetters()).map((one) => one.id);
  await cli('dead-letters', 'replay', ...ids);
  await rows(id, 1);
  await eventually('both replays are decided', noticedMs, async () => {
    const states = (await deadLetters()).map(({ state }) => state);
    return states.toSorted().join() === 'pending,settled';
  });
  expect((await running.inspector.deadLetters()).filter(({ reason }) => reason === 'MISSING_TENANT')).toHaveLength(2);
  await rows(tenant.id, 1);
});

test('an administrator replays dead letters of a bound topic, but not into a tenant of another organization', async () => {
  const request = async (action: string, ids: readonly string[]) => {
    const { rows: requests } = await running.inspector.client.query<{ id: string }>(
      `insert into control.dead_letter_request (organization_id, action, dead_letter_ids, requested_by) values ($1, $2, $3, $4) returning id`,
      [organizationId, action, ids, memberId],
    );
    const read = async () =>
      (
        await running.inspector.client.query<{ results: { result: string }[]; completed_at: Date | null }>(
          'select results, completed_at from control.dead_letter_request where id = $1',
          [requests[0]?.id],
        )
      ).rows[0];
    await eventually('the request is completed', noticedMs, async () => (await read())?.completed_at != null);
    return (await read())?.results.map(({ result }) => result);
  };
  await bind('okta.system-log', '--tenant', tenant.id);
  await append(activityRecord(0));
  await deadLettered(1);
  const ids = (await deadLetters()).map(({ id }) => id);
  await unbind();
  const foreign = await createTenant((await running.installation.admin.organizations.create({ name: 'Theirs' })).id);
  await bind(format, '--tenant', foreign.id);
  expect(await request('dryRun', ids)).toEqual(['missing']);
  expect(await request('replay', ids)).toEqual(['missing']);
  await unbind();
  await bind(format, '--tenant', tenant.id);
  expect(await request('dryRun', ids)).toEqual(['passes']);
  expect(await request('replay', ids)).toEqual(['projected']);
  await rows(tenant.id, 1);
  expect(await running.inspector.rowCount(foreign.id)).toBe(0);
});
