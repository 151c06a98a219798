import { createHash, randomUUID } from 'node:crypto';
import { en } from '@tenantscope/console/labels/en';
import { pl } from '@tenantscope/console/labels/pl';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../services/database.ts';

let database: TestDatabase;
let superuser: pg.Client;

const organization = randomUUID();
const tenant = randomUUID();
const member = randomUUID();

beforeAll(async () => {
  database = await createTestDatabase();
  superuser = new pg.Client(database.superuser);
  await superuser.connect();
  await superuser.query(`
    insert into control.organization (id, name, digest) values ('${organization}', 'Ours', '\\x00');
    insert into control.tenant (id, name, organization_id, plan, digest) values ('${tenant}', 'One', '${organization}', 'api', '\\x00');
    insert into control.member (id, organization_id, name, source, subject, role) values ('${member}', '${organization}', 'Ada', 'local', 'ada', 'admin')`);
});
afterAll(async () => {
  await superuser?.end();
  await database?.[Symbol.asyncDispose]();
});

interface Statement {
  readonly sql: string;
  /** Events that it writes; 1 unless given. */
  readonly events?: number;
}

interface AuditedTable {
  readonly insert: Statement;
  readonly update: Statement;
  readonly delete: Statement;
}

const one = (sql: string, events = 1): Statement => ({ sql, events });
const id = randomUUID();

const lane = (schema: string): AuditedTable => ({
  // Lanes are registered, moved and stopped by ingestion; what an operator does with one is an event.
  insert: one(
    `insert into ${schema}.ingest_lane (cluster_id, topic_id, partition, topic, source, settled_at, state) values ('c', '${id}', 0, 't', 's', now(), 'stopped')`,
    0,
  ),
  update: one(`update ${schema}.ingest_lane set state = 'running', reason = 'accepted' where topic_id = '${id}'`),
  delete: one(`delete from ${schema}.ingest_lane where topic_id = '${id}'`),
});
const deadLetter = (schema: string): AuditedTable => ({
  // Ingestion writes dead letters; what is decided about one is an event.
  insert: one(
    `with message as (insert into ${schema}.dead_letter_message (id, topic, partition, "offset", headers) values ('${id}', 't', 0, 0, '[]') returning id)
     insert into ${schema}.dead_letter (id, message_id, element, topic, tenant_id, reason, stage, detail, worker_version)
     select id, id, 0, 't', '${tenant}', 'INVALID_JSON', 'decode', 'd', '1' from message`,
    0,
  ),
  update: one(`update ${schema}.dead_letter set state = 'discarded' where id = '${id}'`),
  delete: one(`delete from ${schema}.dead_letter where id = '${id}'`),
});

/** Every audited table with a change of each kind, executed in this order. */
const auditedTables: Readonly<Record<string, AuditedTable>> = {
  'control.organization': {
    insert: one(`insert into control.organization (id, name, digest) values ('${id}', 'Another', '\\x00')`),
    update: one(`update control.organization set name = 'Renamed' where id = '${id}'`),
    delete: one(`delete from control.organization where id = '${id}'`),
  },
  'control.cell': {
    insert: one(`insert into control.cell (id, topic_prefix) values ('eu1', 'tenantscope.eu1')`),
    update: one(`update control.cell set topic_prefix = 'tenantscope.eu-1' where id = 'eu1'`),
    delete: one(`delete from control.cell where id = 'eu1'`),
  },
  'control.tenant': {
    insert: one(
      `insert into control.tenant (id, name, organization_id, plan, digest) values ('${id}', 'Two', '${organization}', 'api', '\\x00')`,
    ),
    update: one(`update control.tenant set plan = 'none' where id = '${id}'`),
    delete: one(`delete from control.tenant where id = '${id}'`),
  },
  'control.api_key': {
    insert: one(
      `insert into control.api_key (id, secret_sha256, display, name, scopes, tenant_id) values ('${id}', sha256('k'), 'abcdefgh', 'Key', '{}', '${tenant}')`,
    ),
    update: one(`update control.api_key set name = 'Renamed' where id = '${id}'`),
    delete: one(`delete from control.api_key where id = '${id}'`),
  },
  'control.collector': {
    insert: one(
      `insert into control.collector (id, tenant_id, provider, url, secret_file, streams, interval_seconds, start_at)
       values ('${id}', '${tenant}', 'okta', 'https://example.okta.com', '/run/secrets/okta', '{system-log}', 60, now())`,
    ),
    update: one(`update control.collector set state = 'paused' where id = '${id}'`),
    // No login can delete one.
    delete: one(`delete from control.collector where id = '${id}'`),
  },
  'control.member': {
    insert: one(
      `insert into control.member (id, organization_id, name, source, subject, role) values ('${id}', '${organization}', 'Bea', 'local', 'bea', 'viewer')`,
    ),
    update: one(`update control.member set role = 'officer' where id = '${id}'`),
    delete: one(`delete from control.member where id = '${id}'`),
  },
  'control.member_credential': {
    insert: one(
      `insert into control.member_credential (id, member_id, kind, secret) values ('${id}', '${member}', 'recovery', 'x')`,
    ),
    update: one(`update control.member_credential set consumed_at = now() where id = '${id}'`),
    delete: one(`delete from control.member_credential where id = '${id}'`),
  },
  'control.set_up_token': {
    insert: one(
      `insert into control.set_up_token (sha256, organization_id, expires_at, role) values (sha256('t'), '${organization}', now(), 'admin')`,
    ),
    update: one(`update control.set_up_token set revoked_at = now() where sha256 = sha256('t')`),
    // No login can delete one.
    delete: one(`delete from control.set_up_token where sha256 = sha256('t')`, 0),
  },
  'control.dead_letter_request': {
    insert: one(
      `insert into control.dead_letter_request (id, organization_id, action, dead_letter_ids, requested_by) values ('${id}', '${organization}', 'replay', array[gen_random_uuid()], '${member}')`,
    ),
    // Progress of ingestion.
    update: one(`update control.dead_letter_request set completed_at = now() where id = '${id}'`, 0),
    delete: one(`delete from control.dead_letter_request where id = '${id}'`, 0),
  },
  'control.lane_skip': {
    insert: one(
      `insert into control.lane_skip (id, cluster_id, topic_id, partition, topic, from_offset, to_offset, reason) values ('${id}', 'c', '${id}', 0, 't', 0, 1, 'r')`,
    ),
    update: one(`update control.lane_skip set completed_at = now() where id = '${id}'`),
    // No login can delete one.
    delete: one(`delete from control.lane_skip where id = '${id}'`, 0),
  },
  'control.source_binding': {
    insert: one(
      `insert into control.source_binding (id, cluster, topic, format, tenant_id) values ('${id}', 'main', 't', 'okta.system-log', '${tenant}')`,
    ),
    update: one(`update control.source_binding set removed_at = now() where id = '${id}'`),
    // No login can delete one.
    delete: one(`delete from control.source_binding where id = '${id}'`, 0),
  },
  'control.ingest_lane': lane('control'),
  'models.ingest_lane': lane('models'),
  'control.dead_letter': deadLetter('control'),
  'models.dead_letter': deadLetter('models'),
  'models.import': {
    insert: one(
      `insert into models.import (id, tenant_id, topic, format, input, files, started_by) values ('${id}', '${tenant}', 't', 'f', 'auto', '[]', 'cli:maria')`,
    ),
    // Its position.
    update: one(`update models.import set published = 10 where id = '${id}'`, 0),
    // No login can delete one.
    delete: one(`delete from models.import where id = '${id}'`, 0),
  },
  'models.retention': {
    insert: one(`insert into models.retention (feed, retention_days, partition_width) values ('x', 400, '7 days')`),
    update: one(`update models.retention set retention_days = 500 where feed = 'x'`),
    delete: one(`delete from models.retention where feed = 'x'`),
  },
  'models.tenant_retention': {
    insert: one(`insert into models.tenant_retention (tenant_id, retention_days) values ('${tenant}', 200)`),
    update: one(`update models.tenant_retention set retention_days = 300 where tenant_id = '${tenant}'`),
    delete: one(`delete from models.tenant_retention where tenant_id = '${tenant}'`),
  },
  'models.tenant_move': {
    insert: one(`insert into models.tenant_move (tenant_id, cell, is_arriving) values ('${tenant}', 'eu1', true)`),
    update: one(`update models.tenant_move set is_arriving = false where tenant_id = '${tenant}'`),
    delete: one(`delete from models.tenant_move where tenant_id = '${tenant}'`),
  },
  'control.tenant_move': {
    insert: one(
      `with cell as (insert into control.cell (id, topic_prefix) values ('eu9', 'tenantscope.eu9') returning id)
       insert into control.tenant_move (tenant_id, from_cell, to_cell, begun_by) select '${tenant}', 'default', id, 'cli:test' from cell`,
      2,
    ),
    update: one(`update control.tenant_move set state = 'cancelled' where tenant_id = '${tenant}'`),
    delete: one(`delete from control.tenant_move where tenant_id = '${tenant}'`),
  },
  'models.tenant_erasure': {
    insert: one(`insert into models.tenant_erasure (tenant_id) values ('${tenant}')`),
    update: one(`update models.tenant_erasure set finished_at = now() where tenant_id = '${tenant}'`),
    // No login can delete one.
    delete: one(`delete from models.tenant_erasure where tenant_id = '${tenant}'`, 0),
  },
  'models.compliance_record': {
    insert: one(
      `insert into models.compliance_record (tenant_id, id, version, digest, updated_at, changed_at, kind, record_id, document)
       values ('${tenant}', 'attestation/a', 1, '\\x00', now(), now(), 'attestation', 'a', '{"payload":{"verdict":"partial","attestedBy":"Maria","score":1.50}}')`,
    ),
    update: one(`update models.compliance_record set version = 2, digest = '\\x01' where id = 'attestation/a'`),
    delete: one(`delete from models.compliance_record where id = 'attestation/a'`),
  },
  'models.snapshot_request': {
    insert: one(
      `insert into models.snapshot_request (id, tenant_id, requested_by) values ('${id}', '${tenant}', 'cli:maria')`,
    ),
    // Progress of the jobs.
    update: one(`update models.snapshot_request set state = 'failed', failure = 'f' where id = '${id}'`, 0),
    delete: one(`delete from models.snapshot_request where id = '${id}'`, 0),
  },
};

/** Tables that the admin login can write and that have no trigger of the audit log. */
const exempt: Readonly<Record<string, string>> = {
  'control.console_session':
    'begins and is confirmed by functions that write the event; ends with the action "ended" or "signed out"',
  'control.playground_run': 'written together with the action "ran"',
  'control.process': 'processes report that they run, which is no decision of a person',
  'control.sign_in_failure': 'counts attempts; each failure is the action "sign-in failed"',
  'control.used_challenge': 'tells used challenges apart; the sign-in is the event',
};

interface Event {
  chain: string;
  number: string;
  actor: string;
  action: string;
  subject_type: string;
  subject_id: string;
  before: Record<string, unknown> | null;
  after: Record<string, unknown> | null;
}

/** Runs statements in one transaction that is rolled back; returns the events of the last one, which runs with the given login. */
async function collectEvents(statements: readonly string[], login = 'postgres', actor = ''): Promise<Event[]> {
  const change = statements.at(-1) ?? '';
  await superuser.query('begin');
  try {
    for (const statement of statements.slice(0, -1)) await superuser.query(statement);
    const { rows: heads } = await superuser.query<{ chain: string; number: string }>(
      'select chain, number from control.admin_event_head',
    );
    const before = new Map(heads.map(({ chain, number }) => [chain, Number(number)]));
    await superuser.query(`select set_config('tenantscope.actor', $1, true)`, [actor]);
    if (login !== 'postgres') await superuser.query(`set local session authorization ${login}`);
    expect((await superuser.query(change)).rowCount, change).toBe(1);
    await superuser.query('reset session authorization');
    const { rows } = await superuser.query<Event>('select * from control.admin_event order by chain, number');
    return rows.filter(({ chain, number }) => Number(number) > (before.get(chain) ?? 0));
  } finally {
    await superuser.query('rollback');
  }
}

test('every table that the command line or the console can write is audited or exempt with a reason', async () => {
  const { rows: triggered } = await superuser.query<{ name: string }>(
    `select distinct t.tgrelid::regclass::text as name from pg_trigger t join pg_proc p on p.oid = t.tgfoid
      where not t.tgisinternal and p.proname in ('audit_row_change', 'audit_request', 'audit_statement') order by 1`,
  );
  expect(triggered.map(({ name }) => name)).toEqual(Object.keys(auditedTables).toSorted());
  const { rows: writable } = await superuser.query<{ name: string }>(
    `select c.oid::regclass::text as name from pg_class c
      where c.relnamespace in ('control'::regnamespace, 'models'::regnamespace) and c.relkind in ('r', 'p')
        and exists (select from unnest(array['tenantscope_admin', 'tenantscope_console']) login
             where has_any_column_privilege(login, c.oid, 'insert, update') or has_table_privilege(login, c.oid, 'delete, truncate'))
        and not exists (select from pg_trigger t join pg_proc p on p.oid = t.tgfoid where t.tgrelid = c.oid and p.proname like 'audit\\_%') order by 1`,
  );
  expect(writable.map(({ name }) => name)).toEqual(Object.keys(exempt).toSorted());
});

test.each(Object.entries(auditedTables))(
  'a change of %s writes exactly the events that are declared',
  async (_, table) => {
    const { insert, update, delete: remove } = table;
    const write = (...statements: readonly Statement[]) => collectEvents(statements.map(({ sql }) => sql));
    expect((await write(insert)).length, 'insert').toBe(insert.events);
    expect((await write(insert, update)).length, 'update').toBe(update.events);
    expect((await write(insert, remove)).length, 'delete').toBe(remove.events);
  },
);

test('the console names every audited table of an organization in each language', () => {
  // Tables of the installation, which are in no chain of an organization; requests have texts of their own.
  const others = ['cell', 'ingest_lane', 'lane_skip', 'retention'];
  const names = Object.keys(auditedTables)
    .map((name) => name.split('.')[1] ?? '')
    .filter((name) => !others.includes(name));
  for (const { audit } of [en, pl]) {
    const objects = { ...audit.objects, member_credential: '', dead_letter_request: '' };
    expect(names.filter((name) => !(name in audit.targets))).toEqual([]);
    expect(names.filter((name) => !(name in objects))).toEqual([]);
  }
});

test('an update that changes nothing writes no event', async () => {
  const noChange = `update control.organization set name = name where id = '${organization}'`;
  expect(await collectEvents([noChange])).toEqual([]);
});

test('a tenant that moves is an event of both organizations', async () => {
  const other = randomUUID();
  const events = await collectEvents([
    `insert into control.organization (id, name, digest) values ('${other}', 'Theirs', '\\x00')`,
    `update control.tenant set organization_id = '${other}' where id = '${tenant}'`,
  ]);
  expect(events.map(({ chain }) => chain).toSorted()).toEqual([organization, other].toSorted());
  for (const { action, subject_type, after } of events)
    expect([action, subject_type, after?.organization_id]).toEqual(['changed', 'tenant', other]);
});

const insertDeadLetter = auditedTables['models.dead_letter']?.insert.sql ?? '';
const insertLane = auditedTables['models.ingest_lane']?.insert.sql ?? '';
const insertAttestation = auditedTables['models.compliance_record']?.insert.sql ?? '';

test.each([
  ['ingest', 'a replay', insertDeadLetter, `update models.dead_letter set state = 'replayed', replays = 1`, 1],
  ['ingest', 'a discard', insertDeadLetter, `update models.dead_letter set state = 'discarded'`, 1],
  ['ingest', 'the settlement of a replay', insertDeadLetter, `update models.dead_letter set state = 'settled'`, 0],
  ['admin', 'the settlement of a dead letter', insertDeadLetter, `update models.dead_letter set state = 'settled'`, 1],
  ['ingest', 'the stop of a lane', insertLane, `update models.ingest_lane set state = 'tripped'`, 0],
  ['admin', 'the resumption of a lane', insertLane, `update models.ingest_lane set state = 'running'`, 1],
  ['ingest', 'a changed attestation', insertAttestation, `update models.compliance_record set digest = '\\x02'`, 1],
  [
    'admin',
    'a retention of a tenant',
    'select',
    `insert into models.tenant_retention (tenant_id, retention_days) values ('${tenant}', 200)`,
    1,
  ],
  ['admin', 'a longer retention', 'select', `update models.retention set retention_days = 500`, 1],
])('with the login %s, %s is in the audit log as often as declared', async (login, _, setUp, change, events) => {
  const actor = login === 'admin' ? 'cli:maria' : 'ingest:host/1';
  const written = await collectEvents([setUp, change], `tenantscope_${login}`, actor);
  expect(written.map((event) => event.actor)).toEqual(Array(events).fill(actor));
});

test('an attestation is described by its texts and its digest, without numbers', async () => {
  const [event] = await collectEvents([insertAttestation]);
  expect(event).toMatchObject({ chain: organization, action: 'created', subject_type: 'compliance_record' });
  expect(event?.after).toMatchObject({
    id: 'attestation/a',
    digest: '\\x00',
    statement: { verdict: 'partial', attestedBy: 'Maria' },
  });
  expect(event?.after?.statement).not.toHaveProperty('score');
});

test.each(['sourceStatus', 'policy', 'detector', 'securityScore'])(
  'a record of kind %s writes no event by ingestion, and one by an operator',
  async (kind) => {
    const insert = insertAttestation.replace(`'attestation', 'a'`, `'${kind}', 'a'`);
    expect(await collectEvents([insert], 'tenantscope_ingest', 'ingest:host/1')).toEqual([]);
    const reset = `select from models.reset_version('compliance_record', '${tenant}', 'attestation/a', null)`;
    const [event] = await collectEvents(
      [insert, `update models.compliance_record set version = 9007199254740991`, reset],
      'tenantscope_admin',
      'cli:maria',
    );
    expect(event).toMatchObject({ chain: organization, actor: 'cli:maria', action: 'changed', before: { kind } });
  },
);

test('no login can shorten retention below 183 days', async () => {
  const shorten = 'update models.retention set retention_days = 182';
  await expect(collectEvents([shorten], 'tenantscope_admin', 'cli:maria')).rejects.toThrow(/retention_floor/);
  await expect(collectEvents([shorten])).rejects.toThrow(/retention_floor/);
  expect(await collectEvents([shorten.replace('182', '183')], 'tenantscope_admin', 'cli:maria')).toHaveLength(1);
  const own = `insert into models.tenant_retention (tenant_id, retention_days) values ('${tenant}', 182)`;
  await expect(collectEvents([own], 'tenantscope_admin', 'cli:maria')).rejects.toThrow(/tenant_retention_floor/);
  await expect(collectEvents([own])).rejects.toThrow(/tenant_retention_floor/);
});

const bulkDeadLetters = (schema: string) => `
  with message as (insert into ${schema}.dead_letter_message (id, topic, partition, "offset", headers) values ('${id}', 't', 0, 0, '[]') returning id)
  insert into ${schema}.dead_letter (id, message_id, element, topic, tenant_id, reason, stage, detail, worker_version)
  select ('00000000-0000-4000-8000-00000000000' || n)::uuid, id, n, 't', case when n < 4 then '${tenant}'::uuid end, case n when 1 then 'TOO_LARGE' else 'INVALID_JSON' end, 'decode', 'd', '1'
    from message, generate_series(1, 5) n`;
const nameBulkAction = `select set_config('tenantscope.bulk_action', '{"id": "${id}", "filter": {"reason": "INVALID_JSON"}}', true)`;

test.each(['control', 'models'])(
  'a bulk decision about dead letters of %s is one event per tenant, which counts and digests them',
  async (schema) => {
    const discard = `with changed as (update ${schema}.dead_letter set state = 'discarded' where element <> 2 returning id) select count(*) from changed`;
    const events = await collectEvents(
      [bulkDeadLetters(schema), nameBulkAction, discard],
      'tenantscope_admin',
      'cli:maria',
    );
    const digest = (...numbers: number[]) =>
      createHash('sha256')
        .update(numbers.map((number) => `00000000-0000-4000-8000-00000000000${number}\n`).join(''))
        .digest('hex');
    const common = { actor: 'cli:maria', action: 'changed', subject_type: 'dead_letters', subject_id: id };
    const filter = { reason: 'INVALID_JSON' };
    expect(events).toHaveLength(2);
    expect(events).toContainEqual(
      expect.objectContaining({
        ...common,
        chain: organization,
        before: { state: { pending: 2 } },
        after: {
          tenant_id: tenant,
          state: 'discarded',
          count: 2,
          reasons: { INVALID_JSON: 1, TOO_LARGE: 1 },
          ids_sha256: digest(1, 3),
          filter,
        },
      }),
    );
    expect(events).toContainEqual(
      expect.objectContaining({
        ...common,
        chain: '00000000-0000-0000-0000-000000000000',
        after: expect.objectContaining({ tenant_id: null, count: 2, ids_sha256: digest(4, 5) }),
      }),
    );
  },
);

test('what changes nothing in a bulk action is in no event, and ingestion settles without one', async () => {
  const settle = `update models.dead_letter set state = 'settled' where element = 1`;
  const repeat = `update models.dead_letter set state = 'pending' where element = 1`;
  expect(
    await collectEvents([bulkDeadLetters('models'), nameBulkAction, repeat], 'tenantscope_admin', 'cli:maria'),
  ).toEqual([]);
  expect(await collectEvents([bulkDeadLetters('models'), nameBulkAction, settle], 'tenantscope_ingest')).toEqual([]);
  expect(
    await collectEvents([bulkDeadLetters('models'), nameBulkAction, settle], 'tenantscope_admin', 'cli:maria'),
  ).toHaveLength(1);
});

test('a bulk action without an actor, or that is no JSON, changes nothing', async () => {
  const discard = `update models.dead_letter set state = 'discarded' where element = 1`;
  await expect(
    collectEvents([bulkDeadLetters('models'), nameBulkAction, discard], 'tenantscope_admin'),
  ).rejects.toThrow(/requires an actor/);
  const noJson = `select set_config('tenantscope.bulk_action', 'everything', true)`;
  await expect(
    collectEvents([bulkDeadLetters('models'), noJson, discard], 'tenantscope_admin', 'cli:maria'),
  ).rejects.toThrow(/invalid input syntax for type json/);
});
