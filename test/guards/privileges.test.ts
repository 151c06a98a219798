import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { storeReceipts } from '../installation/stored-receipt.ts';
import { createTestDatabase, type TestDatabase } from '../services/database.ts';

let database: TestDatabase;
let superuser: pg.Client;

beforeAll(async () => {
  database = await createTestDatabase();
  superuser = new pg.Client(database.superuser);
  await superuser.connect();
});
afterAll(async () => {
  await superuser.end();
  await database[Symbol.asyncDispose]();
});

async function texts(statement: string): Promise<string[]> {
  const { rows } = await superuser.query<{ text: string }>(statement);
  return rows.map(({ text }) => text);
}

/** Partitions have names with week and month; one line represents all of a kind. */
const withoutDates = (lines: readonly string[]) => [
  ...new Set(lines.map((line) => line.replaceAll(/_20\d{4,6}\b/g, '_…'))),
];

const ours = `nspname in ('models', 'control')`;

test.each(['ingest', 'api'] as const)(
  'no statement of %s, whose disabled plans cost too much, is compiled',
  async (role) => {
    const client = new pg.Client(database.roles[role]);
    await client.connect();
    const { rows } = await client.query('show jit').finally(() => client.end());
    expect(rows).toEqual([{ jit: 'off' }]);
  },
);

test('every tenant table except partitions has forced row-level security', async () => {
  const unwalled = await texts(
    `select c.oid::regclass::text as text from pg_class c join pg_namespace n on n.oid = c.relnamespace
       join pg_attribute a on a.attrelid = c.oid and a.attname = 'tenant_id' and not a.attisdropped
      where ${ours} and c.relkind in ('r', 'p') and not c.relispartition and not (c.relrowsecurity and c.relforcerowsecurity) order by 1`,
  );
  // Keys are found by their digest through a function; only the operator's login may read this table and the console's runs.
  expect(unwalled).toEqual(['control.api_key', 'control.playground_run']);
});

test('row-level security policies use only the named tenant and exempt ingest, and the owner for erasures', async () => {
  const policies = await texts(
    `select format('%I.%I %s: %s to %s using %s check %s', schemaname, tablename, policyname, cmd, array_to_string(array(select unnest(roles) order by 1), ', '), qual, coalesce(with_check, '-')) as text
       from pg_policies order by 1`,
  );
  const tenantPolicy =
    "tenant_isolation: SELECT to tenantscope_api, tenantscope_jobs using (tenant_id = (current_setting('tenantscope.tenant'::text))::uuid) check -";
  const ownProcess = "(app = replace(substr((CURRENT_USER)::text, 13), 'keys'::text, 'api'::text))";
  const apiPolicy = tenantPolicy.replace(', tenantscope_jobs', '');
  for (const policy of policies) {
    const rule = policy.slice(policy.indexOf(' ') + 1);
    expect(
      [
        tenantPolicy,
        apiPolicy,
        'ingest: ALL to tenantscope_ingest using true check true',
        'operators: ALL to tenantscope_admin, tenantscope_ingest using true check true',
        // CLI attestations, and source progress for `status`.
        'admin: ALL to tenantscope_admin using true check true',
        'admin: SELECT to tenantscope_admin using true check -',
        // Collectors of all tenants: operators change them, collecting processes read them.
        'collectors: ALL to tenantscope_admin, tenantscope_collect using true check true',
        // Dead letters and feed health of the console.
        'console: SELECT to tenantscope_console using true check -',
        // Processes report themselves: each login those of its own kind.
        `own_processes: ALL to tenantscope_collect, tenantscope_console, tenantscope_ingest, tenantscope_jobs, tenantscope_keys using ${ownProcess} check ${ownProcess}`,
        // The console shows what each api knows of a failover.
        "failovers: SELECT to tenantscope_console using (app = 'api'::text) check -",
        // The owner drops expired data.
        'owner: ALL to tenantscope_owner using true check -',
        // Migrations wait for older processes.
        'owner: SELECT to tenantscope_owner using true check -',
        // A snapshot is written under row-level security too; requests are searched across tenants.
        "tenant_insert: INSERT to tenantscope_jobs using  check (tenant_id = (current_setting('tenantscope.tenant'::text))::uuid)",
        'requests: ALL to tenantscope_admin, tenantscope_jobs using true check true',
      ],
      policy,
    ).toContain(rule);
  }
  // Otherwise an erasure would leave rows and report none.
  const hidden = await texts(
    `select c.oid::regclass::text as text from pg_class c join pg_namespace n on n.oid = c.relnamespace
       join pg_attribute a on a.attrelid = c.oid and a.attname = 'tenant_id' and not a.attisdropped
      where ${ours} and c.relkind = 'r' and c.relrowsecurity
        and not exists (select from pg_policy p where p.polrelid = c.oid and p.polcmd = '*' and c.relowner = any (p.polroles)) order by 1`,
  );
  expect(hidden).toEqual([]);
  const readable = await texts(
    `select distinct format('%I.%I', table_schema, table_name) as text from information_schema.role_table_grants g
      where grantee in ('tenantscope_api', 'tenantscope_jobs') and table_schema in ('models', 'control') order by 1`,
  );
  const isolated = new Set(
    policies
      .filter((policy) => policy.endsWith(tenantPolicy) || policy.endsWith(apiPolicy))
      .map((policy) => policy.split(' ')[0]),
  );
  expect(readable.filter((table) => !isolated.has(table))).toEqual([
    'control.cell', // names of cells
    'control.ingest_lane', // lanes contain nothing of a tenant
    'control.lane_clock',
    'control.lane_log',
    'control.lane_reader',
    'control.lane_status',
    'control.lane_watermark', // a view
    'control.process', // of its own kind
    'models.audit_log_partition',
    'models.derived_interaction', // a view
    'models.ingest_lane',
    'models.lane_clock',
    'models.lane_log',
    'models.lane_reader',
    'models.lane_status',
    'models.lane_watermark', // a view
    'models.log_tally_backfill',
    'models.retention',
    'models.snapshot_request',
    'models.source_status', // a view
    'models.tenant_move_version', // a number
  ]);
});

/** All privileges: one line for each object and login. */
const rightsOf = `
  with acl as (
    select 'schema ' || nspname as thing, nspowner as owner, coalesce(nspacl, acldefault('n', nspowner)) as rights
      from pg_namespace where ${ours} or nspname = 'public'
    union all
    select case relkind when 'S' then 'sequence ' when 'v' then 'view ' when 'm' then 'view ' else 'table ' end || nspname || '.' || relname, relowner,
           coalesce(relacl, acldefault(case relkind when 'S' then 's' else 'r' end::"char", relowner))
      from pg_class c join pg_namespace n on n.oid = relnamespace where ${ours} and relkind in ('r', 'p', 'v', 'm', 'S')
    union all
    select format('column %s.%s.%s', nspname, relname, attname), relowner, attacl
      from pg_attribute a join pg_class c on c.oid = attrelid join pg_namespace n on n.oid = relnamespace where ${ours} and attacl is not null
    union all
    select format('function %s.%s', nspname, proname), proowner, coalesce(proacl, acldefault('f', proowner))
      from pg_proc join pg_namespace n on n.oid = pronamespace where ${ours}
  )
  select thing || ': ' || grantee || ' ' || string_agg(privilege, ', ' order by privilege) as text
    from (select thing, case a.grantee when 0 then 'PUBLIC' else a.grantee::regrole::text end as grantee, a.privilege_type as privilege
            from acl, aclexplode(rights) a where a.grantee <> owner) granted
   group by thing, grantee order by 1`;

test('the database privileges equal the reviewed snapshot', async () => {
  await expect(`${withoutDates(await texts(rightsOf)).join('\n')}\n`).toMatchFileSnapshot('./privileges.snap');
});

test('only ingest has privileges on partitions', async () => {
  const partitions = await texts(
    `select distinct a.grantee::regrole || ' ' || a.privilege_type as text from pg_class c join pg_namespace n on n.oid = relnamespace, aclexplode(relacl) a
      where ${ours} and relispartition and relkind = 'r' and a.grantee <> relowner order by 1`,
  );
  expect(partitions).toEqual(['tenantscope_ingest INSERT', 'tenantscope_ingest SELECT']);
});

test('the logins have no attributes and no memberships', async () => {
  const special = await texts(
    `select rolname as text from pg_roles where rolname like 'tenantscope\\_%' and rolname <> 'tenantscope_owner'
        and (rolsuper or rolbypassrls or rolcreatedb or rolcreaterole or rolreplication or not rolcanlogin)`,
  );
  expect(special).toEqual([]);
  const memberships = await texts(
    `select member::regrole || ' of ' || roleid::regrole as text from pg_auth_members
      where member in (select oid from pg_roles where rolname like 'tenantscope\\_%' and rolname <> 'tenantscope_owner')`,
  );
  expect(memberships).toEqual([]);
  const owned = await texts(
    `select distinct relowner::regrole::text as text from pg_class c join pg_namespace n on n.oid = relnamespace where ${ours}`,
  );
  expect(owned).toEqual(['tenantscope_owner']);
});

test('views run with the privileges of their reader', async () => {
  const views = await texts(
    `select c.oid::regclass::text as text from pg_class c join pg_namespace n on n.oid = relnamespace
      where ${ours} and (relkind = 'm' or relkind = 'v' and not coalesce(reloptions::text[] @> '{security_invoker=true}', false))`,
  );
  expect(views).toEqual([]);
});

test('security definer functions are listed and have a fixed search path', async () => {
  const functions = await texts(
    `select format('%s.%s', nspname, proname) as text from pg_proc join pg_namespace n on n.oid = pronamespace where prosecdef and ${ours} order by 1`,
  );
  expect(functions).toEqual([
    'control.accept_set_up_token',
    'control.add_key_usage',
    'control.append_admin_event',
    'control.audit_bulk_decision',
    'control.audit_request',
    'control.audit_row_change',
    'control.authorize_admin_event',
    'control.authorize_session_change',
    'control.begin_epoch',
    'control.begin_session',
    'control.check_set_up_token',
    'control.close_epoch',
    'control.close_tenant',
    'control.confirm_session',
    'control.count_dead_letters',
    'control.current_actor',
    'control.delete_expired_dead_letters',
    'control.enforce_key_expiry',
    'control.enforce_key_owner',
    'control.erase_dead_letters',
    'control.erase_tenant',
    'control.find_cell',
    'control.find_event_chain',
    'control.find_time_zone',
    'control.has_open_epoch',
    'control.is_ledger_entry',
    'control.look_up_key',
    'control.move_tenant',
    'control.open_epoch',
    'control.prevent_reopening',
    'control.record_admin_action',
    'control.record_ledger_entry',
    'control.reopen_tenant',
    'control.require_open_epoch',
    'control.require_remaining_admin',
    'control.reset_version',
    'control.sum_dead_letter_counts',
    'models.add_log_partition',
    'models.audit_bulk_decision',
    'models.audit_statement',
    'models.backfill_file_exposure',
    'models.backfill_incident_facts',
    'models.backfill_interaction_facts',
    'models.backfill_user_facts',
    'models.begin_epoch',
    'models.begin_log_seal',
    'models.close_epoch',
    'models.complete_log_seal',
    'models.count_dead_letters',
    'models.count_sealing_rows',
    'models.count_tenant_moves',
    'models.delete_expired_dead_letters',
    'models.delete_expired_log_facts',
    'models.delete_expired_log_tallies',
    'models.delete_expired_tenant_rows',
    'models.delete_interaction_facts',
    'models.erase_dead_letters',
    'models.erase_moved_tenant',
    'models.erase_tenant',
    'models.has_open_epoch',
    'models.incident_exists',
    'models.is_ledger_entry',
    'models.is_moving',
    'models.list_erased_tenants',
    'models.list_tenant_move_ages',
    'models.list_tenant_moves',
    'models.list_tenant_retention',
    'models.maintain_log_partitions',
    'models.merge_file_tallies',
    'models.newest_stamps',
    'models.next_log_seal',
    'models.open_epoch',
    'models.own_cell',
    'models.record_ledger_entry',
    'models.record_statement_state',
    'models.reject_erased_tenant',
    'models.reject_moving_tenant',
    'models.require_open_epoch',
    'models.reset_version',
    'models.sum_dead_letter_counts',
    'models.unattributed_skips',
    'models.write_changed_file_exposure',
    'models.write_changed_incident_facts',
    'models.write_changed_user_facts',
    'models.write_inserted_interaction_facts',
  ]);
  const elsewhere = await texts(
    `select format('%s.%s', nspname, proname) as text from pg_proc join pg_namespace n on n.oid = pronamespace
      where prosecdef and not coalesce(proconfig @> array['search_path=pg_catalog, pg_temp'], false) order by 1`,
  );
  expect(elsewhere).toEqual([]);
});

test('jobs store receipts, of which the database checks digest and order, and which are immutable', async () => {
  const tenantId = randomUUID();
  await storeReceipts(database.roles.jobs, [tenantId]);
  await expect(storeReceipts(database.roles.jobs, [tenantId])).rejects.toThrow('must follow the last one');
  const forged = storeReceipts(database.roles.jobs, [randomUUID()], 'a'.repeat(64));
  await expect(forged).rejects.toThrow('must be that of its document');
  await expect(superuser.query('delete from models.log_receipt')).rejects.toThrow('receipts are immutable');
});
