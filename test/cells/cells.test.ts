import { topics } from '@tenantscope/contract';
import { connectPublisher, type Publisher } from '@tenantscope/publish';
import { connectConsole } from '@tenantscope/store/console';
import pg from 'pg';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { activityMessage, activityRecord } from '../installation/activity-records.ts';
import { eventually } from '../installation/eventually.ts';
import { startProcess } from '../installation/processes.ts';
import { type CellInstallation, createCellInstallation } from './cell-installation.ts';
import { runFailingCommand } from './failing-command.ts';

// An organization whose tenants are in three cells, each with a database, an ingest and jobs of its own.

const cellNames = ['default', 'eu1', 'eu2'] as const;
const tenantsPerCell = 10;
const recordsPerTenant = 3;

const stack = new AsyncDisposableStack();
let installation: CellInstallation;
let publisher: Publisher;
let organizationId: string;
let secret: string;
let tenants: { id: string; cell: string; recordIds: string[] }[];

beforeAll(async () => {
  const { kafka, redis, postgres } = inject('services');
  installation = stack.use(
    await createCellInstallation({ kafka, redis, postgres: { default: postgres, eu1: postgres, eu2: postgres } }),
  );
  publisher = stack.use(await connectPublisher({ brokers: kafka, clientId: 'test' }));
  const { cli } = installation;
  organizationId = (await cli<{ id: string }>('org create --name Larkspur')).id;
  tenants = [];
  for (const cell of cellNames)
    for (let number = 0; number < tenantsPerCell; number++) {
      const { id } = await cli<{ id: string }>(
        `tenant create --name ${cell}-${number} --org ${organizationId} --cell ${cell}`,
      );
      tenants.push({ id, cell, recordIds: [] });
    }
  secret = (
    await cli<{ secret: string }>(`key create --name mssp --scopes logs:read,evidence:read --org ${organizationId}`)
  ).secret;
  for (const cell of cellNames) {
    stack.use(await installation.start('ingest', cell));
    stack.use(await installation.start('jobs', cell));
  }
  stack.use(await installation.start('api'));
}, 180_000);
afterAll(() => stack.disposeAsync());

const topicOf = (cell: string, topic: string = topics.activity.suffix) =>
  `${installation.cells.get(cell)?.topicPrefix}.${topic}`;

const readLogs = (tenantId: string, parameters: Record<string, string> = {}) =>
  installation.client(secret).get('/logs', parameters, { 'X-Tenant-Id': tenantId });

/** Without row-level security. */
async function queryDatabase<Row extends pg.QueryResultRow>(
  { superuser }: { superuser: string },
  text: string,
  values: readonly unknown[],
): Promise<Row[]> {
  const client = new pg.Client(superuser);
  await client.connect();
  try {
    return (await client.query<Row>(text, [...values])).rows;
  } finally {
    await client.end();
  }
}

const queryCell = <Row extends pg.QueryResultRow>(cell: string, text: string, values: readonly unknown[] = []) =>
  queryDatabase<Row>(installation.cells.get(cell)?.database as { superuser: string }, text, values);

const queryControl = <Row extends pg.QueryResultRow>(text: string, values: readonly unknown[]) =>
  queryDatabase<Row>(installation.control, text, values);

const countRows = async (cell: string, tenantId: string): Promise<number> =>
  (await queryCell(cell, 'select from models.audit_log where tenant_id = $1', [tenantId])).length;

test('one key lists and sweeps the tenants of three cells as if they were in one', async () => {
  const { body } = await installation.client(secret).get('/tenants');
  expect(body.data.map(({ id }: { id: string }) => id).toSorted()).toEqual(tenants.map(({ id }) => id).toSorted());

  for (const tenant of tenants) {
    const records = Array.from({ length: recordsPerTenant }, (_, number) => activityRecord(number));
    tenant.recordIds = records.map(({ Id }) => String(Id));
    await publisher.publish(
      topicOf(tenant.cell),
      records.map((record) => activityMessage(tenant.id, record)),
    );
  }
  for (const { id, recordIds } of tenants) {
    await eventually(`the records of ${id} are served`, 30_000, async () => {
      const { body: page } = await readLogs(id);
      return page.data?.length === recordsPerTenant;
    });
    const { body: page, headers } = await readLogs(id);
    expect(headers.get('x-tenant-id')).toBe(id);
    expect(page.data.map(({ externalEventId }: { externalEventId: string }) => externalEventId).toSorted()).toEqual(
      recordIds.toSorted(),
    );
    const last = page.data[0];
    const record = await installation.client(secret).get(`/logs/${last.id}`, {}, { 'X-Tenant-Id': id });
    expect(record.body.data.id).toBe(last.id);
    const page1 = await readLogs(id, { limit: '2' });
    const page2 = await readLogs(id, { limit: '2', cursor: page1.body.pagination.nextCursor });
    expect([...page1.body.data, ...page2.body.data].map(({ id: logId }: { id: string }) => logId)).toEqual(
      page.data.map(({ id: logId }: { id: string }) => logId),
    );
  }
});

test('rows of a tenant are in the database of its cell alone', async () => {
  for (const { id, cell } of tenants.filter((_, index) => index % tenantsPerCell === 0))
    for (const other of cellNames)
      expect([other, await countRows(other, id)]).toEqual([other, other === cell ? recordsPerTenant : 0]);
});

test('a record in the topics of another cell is a dead letter that names the cell, and a replay sends it there', async () => {
  const [inDefault, inFirst] = ['default', 'eu1'].map((cell) => tenants.find((tenant) => tenant.cell === cell));
  for (const [tenant, wrong] of [
    [inFirst, 'default'],
    [inDefault, 'eu1'],
    [inFirst, 'eu2'],
  ] as const) {
    const { id, cell } = tenant as { id: string; cell: string };
    const record = activityRecord(50);
    await publisher.publish(topicOf(wrong), [activityMessage(id, record)]);
    const find = async () => {
      const { data } = await installation.cli<{
        data: { id: string; tenantId: string; reason: string; detail: string }[];
      }>('dead-letters list --reason OTHER_CELL --state pending');
      return data.find(({ tenantId }) => tenantId === id);
    };
    await eventually('the record is a dead letter', 20_000, async () => (await find()) !== undefined);
    const found = await find();
    expect(found?.detail).toContain(`the cell ${cell}`);
    expect(await countRows(wrong, id)).toBe(0);
    const { data } = await installation.cli<{ data: { topic: string; state: string }[] }>(
      `dead-letters replay ${found?.id}`,
    );
    expect(data).toMatchObject([{ topic: topicOf(cell), state: 'settled' }]);
    await eventually('the record is served', 20_000, async () => {
      const { body } = await readLogs(id, { limit: '1000' });
      return body.data.some(({ externalEventId }: { externalEventId: string }) => externalEventId === record.Id);
    });
    expect(await countRows(wrong, id)).toBe(0);
  }
});

test('dead letters of a filter are replayed in the cells of their tenants', async () => {
  const { id } = tenants.find(({ cell }) => cell === 'eu2') as { id: string };
  const records = [activityRecord(60), activityRecord(61)];
  await publisher.publish(
    topicOf('default'),
    records.map((record) => activityMessage(id, record)),
  );
  await eventually('the records are dead letters', 20_000, async () => {
    const { data } = await installation.cli<{ data: unknown[] }>(
      `dead-letters list --reason OTHER_CELL --state pending --tenant ${id}`,
    );
    return data.length === records.length;
  });
  expect(await installation.cli(`dead-letters replay --reason OTHER_CELL --tenant ${id}`)).toMatchObject({
    accepted: records.length,
    settled: records.length,
  });
  await eventually('the records are served', 20_000, async () => {
    const { body } = await readLogs(id, { limit: '1000' });
    const served = new Set(body.data.map(({ externalEventId }: { externalEventId: string }) => externalEventId));
    return records.every(({ Id }) => served.has(Id));
  });
});

test('a request of an administrator about dead letters of several cells is executed by the ingest of each', async () => {
  const { roles } = installation.control;
  const [first, second] = ['eu1', 'eu2'].map((cell) => tenants.find((tenant) => tenant.cell === cell)?.id as string);
  for (const [wrong, tenantId] of [
    ['default', first],
    ['eu1', second],
    ['eu2', first],
  ] as const)
    await publisher.publish(topicOf(wrong), [activityMessage(tenantId as string, activityRecord(70))]);
  await using store = await connectConsole({
    control: roles.console,
    models: installation.environment.TENANTSCOPE_CONSOLE_DATABASE_URL as string,
    cells: ['eu1', 'eu2'].map((name) => ({
      name,
      database: installation.cells.get(name)?.database.roles.console as string,
    })),
  });
  const scope = { tenantIds: tenants.map(({ id }) => id), hasEveryTenant: true };
  const list = () => store.deadLetters.list({ ...scope, state: 'pending' }, null, 100);
  await eventually('the records are dead letters', 20_000, async () => (await list()).length === 3);
  const visible = await store.deadLetters.filterVisible(
    scope,
    (await list()).map(({ id }) => id),
  );
  expect(visible.cells).toEqual(['default', 'eu1', 'eu2']);
  const [request] = await queryControl<{ id: string }>(
    `with member as (insert into control.member (id, organization_id, name, source, subject, role)
                     values (gen_random_uuid(), $1, 'Ada', 'local', 'ada', 'admin') returning id)
     insert into control.dead_letter_request (organization_id, action, dead_letter_ids, cells, requested_by)
     select $1, 'replay', $2::uuid[], $3::text[], id from member returning id`,
    [organizationId, visible.ids, visible.cells],
  );
  const read = async () =>
    (
      await queryControl<{ done: boolean; results: { deadLetterId: string; result: string }[] }>(
        'select completed_at is not null as done, results from control.dead_letter_request where id = $1',
        [request?.id],
      )
    )[0];
  await eventually('the request is executed', 30_000, async () => (await read())?.done === true);
  const results = (await read())?.results ?? [];
  expect(results.map(({ deadLetterId }) => deadLetterId).toSorted()).toEqual(visible.ids.toSorted());
  expect(new Set(results.map(({ result }) => result))).toEqual(new Set(['settled']));
  expect(await list()).toEqual([]);
});

test('feeds of an organization have the lanes of the cells of its tenants', async () => {
  const { roles } = installation.control;
  await using store = await connectConsole({
    control: roles.console,
    models: installation.environment.TENANTSCOPE_CONSOLE_DATABASE_URL as string,
    cells: ['eu1', 'eu2'].map((name) => ({
      name,
      database: installation.cells.get(name)?.database.roles.console as string,
    })),
  });
  const readTopics = async (cells: readonly string[]) => {
    const tenantIds = tenants.filter(({ cell }) => cells.includes(cell)).map(({ id }) => id);
    const { feeds } = await store.feeds({ tenantIds, hasEveryTenant: false });
    const logs = feeds.find(({ feed }) => feed === 'logs');
    expect(logs?.unopened).toEqual([]);
    return new Set(logs?.lanes.map(({ topic }) => topic));
  };
  expect(await readTopics(['eu1'])).toEqual(new Set([topicOf('eu1')]));
  expect(await readTopics(cellNames)).toEqual(new Set(cellNames.map((cell) => topicOf(cell))));
});

test('a record of the tenant topic changes a tenant of any cell, and it stays in its cell', async () => {
  const { id } = tenants.find(({ cell }) => cell === 'eu1') as { id: string };
  await publisher.publish(topicOf('default', topics.tenant.suffix), [
    {
      key: id,
      value: Buffer.from(
        JSON.stringify({
          id,
          name: 'Renamed',
          organizationId,
          plan: 'api',
          changedAt: new Date().toISOString(),
          version: 7,
        }),
      ),
      headers: { ce_specversion: '1.0', ce_type: 'tenantscope.tenant.upserted.v1' },
    },
  ]);
  type Listed = { data: { id: string; name: string; cell: string }[] };
  await eventually('the tenant has its name', 20_000, async () => {
    const { data } = await installation.cli<Listed>('tenant list');
    return data.some((one) => one.id === id && one.name === 'Renamed');
  });
  const { data } = await installation.cli<Listed>('tenant list');
  expect(data.find((one) => one.id === id)?.cell).toBe('eu1');
});

test('jobs of each cell take the snapshots of its tenants', async () => {
  for (const cell of cellNames) {
    const { id } = tenants.find((tenant) => tenant.cell === cell) as { id: string };
    await installation.cli(`snapshot take --tenant ${id}`);
    const { body } = await installation.client(secret).get('/compliance/snapshots', {}, { 'X-Tenant-Id': id });
    expect(body.data.some(({ trigger }: { trigger: string }) => trigger === 'manual')).toBe(true);
  }
  const rows = await queryCell<{ id: string }>(
    'eu1',
    'select distinct tenant_id as id from models.compliance_snapshot',
  );
  const own = new Set(tenants.filter(({ cell }) => cell === 'eu1').map(({ id }) => id));
  expect(rows.filter(({ id }) => !own.has(id))).toEqual([]);
});

test('the command line shows every cell with its tenants and state', async () => {
  const { data } = await installation.cli<{ data: object[] }>('cell list');
  expect(data).toMatchObject(
    cellNames.map((name) => ({ name, tenants: tenantsPerCell, problem: null, hasOpenEpoch: true, haltedLanes: 0 })),
  );
  const { lanes } = await installation.cli<{ lanes: { topic: string }[] }>('status');
  expect(lanes.length).toBeGreaterThan(0);
  const list = await installation.cli<{ data: { topic: string }[] }>('lanes list');
  for (const cell of cellNames) expect(list.data.some(({ topic }) => topic === topicOf(cell))).toBe(true);
});

test('a tenant of a cell that the process does not know gets 503, and the log names the variable', async () => {
  const { environment, baseUrl } = installation;
  const declared = { ...environment, TENANTSCOPE_CELLS: 'eu1', TENANTSCOPE_CELL_EU2_DATABASE: '' };
  const port = String(Number(environment.TENANTSCOPE_PORT) + 1);
  await using api = await startProcess('api', { ...declared, TENANTSCOPE_PORT: port });
  const read = async (cell: string) => {
    const { id } = tenants.find((tenant) => tenant.cell === cell) as { id: string };
    const url = new URL(`${baseUrl}/logs`);
    url.port = port;
    return fetch(url, { headers: { Authorization: `Bearer ${secret}`, 'X-Tenant-Id': id } });
  };
  const refused = await read('eu2');
  expect(refused.status).toBe(503);
  expect(refused.headers.get('retry-after')).toBe('1');
  expect((await read('eu1')).status).toBe(200);
  expect((await read('default')).status).toBe(200);
  expect(api.output()).toContain('the tenant is in the cell eu2, which TENANTSCOPE_CELLS does not name');
});

test('a database of another cell is not read, and neither ingest nor migrate accepts it', async () => {
  const { environment, baseUrl } = installation;
  const swapped = {
    ...environment,
    TENANTSCOPE_CELL_EU1_DATABASE: environment.TENANTSCOPE_CELL_EU2_DATABASE as string,
    TENANTSCOPE_CELL_EU2_DATABASE: environment.TENANTSCOPE_CELL_EU1_DATABASE as string,
  };
  const port = String(Number(environment.TENANTSCOPE_PORT) + 2);
  await using api = await startProcess('api', { ...swapped, TENANTSCOPE_PORT: port });
  const { id } = tenants.find(({ cell }) => cell === 'eu1') as { id: string };
  const url = new URL(`${baseUrl}/logs`);
  url.port = port;
  const refused = await fetch(url, { headers: { Authorization: `Bearer ${secret}`, 'X-Tenant-Id': id } });
  expect(refused.status).toBe(503);
  await eventually('the log says why', 5_000, async () =>
    api.output().includes('the database is that of the cell eu2, not of the cell eu1'),
  );

  await using ingest = await startProcess(
    'ingest',
    { ...installation.environmentOf('eu1'), TENANTSCOPE_CELL: 'eu2' },
    { waitUntilReady: false },
  );
  expect(await ingest.gone).toBe(1);
  expect(ingest.output()).toContain('that of the cell eu1, and this process belongs to the cell eu2');

  expect(await runFailingCommand(swapped, 'migrate')).toContain(
    'The database of the cell eu1 is that of the cell eu2. Nothing was changed.',
  );
  const { host, pathname } = new URL(installation.cells.get('default')?.database.owner as string);
  expect(
    await runFailingCommand({ ...environment, TENANTSCOPE_CELL_EU1_DATABASE: host + pathname }, 'migrate'),
  ).toContain('The cells default and eu1 have one database. Nothing was changed.');
});
