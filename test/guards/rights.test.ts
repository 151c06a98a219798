import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type TestDatabase, testDatabase } from '../services/database.ts';

let database: TestDatabase;
let superuser: pg.Client;

beforeAll(async () => {
  database = await testDatabase();
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

/** Leaves are named by week and month; all of a kind stand for one. */
const withoutDates = (lines: readonly string[]) => [
  ...new Set(lines.map((line) => line.replaceAll(/_20\d{4,6}\b/g, '_…'))),
];

const ours = `nspname in ('models', 'control')`;

test('every table with a tenant is behind row-level security, forced, but for leaves', async () => {
  const unwalled = await texts(
    `select c.oid::regclass::text as text from pg_class c join pg_namespace n on n.oid = c.relnamespace
       join pg_attribute a on a.attrelid = c.oid and a.attname = 'tenant_id' and not a.attisdropped
      where ${ours} and c.relkind in ('r', 'p') and not c.relispartition and not (c.relrowsecurity and c.relforcerowsecurity) order by 1`,
  );
  // Keys are found by their digest, by a function; no login but the operator's may read the table, and what people ran in the console.
  expect(unwalled).toEqual(['control.api_key', 'control.playground_run']);
});

test('no table walls a tenant by anything but the tenant that was named, and ingest by nothing', async () => {
  const policies = await texts(
    `select format('%I.%I %s: %s to %s using %s check %s', schemaname, tablename, policyname, cmd, array_to_string(array(select unnest(roles) order by 1), ', '), qual, coalesce(with_check, '-')) as text
       from pg_policies order by 1`,
  );
  const wall =
    "tenant_wall: SELECT to tenantscope_api, tenantscope_jobs using (tenant_id = (current_setting('tenantscope.tenant'::text))::uuid) check -";
  for (const policy of policies) {
    const rule = policy.slice(policy.indexOf(' ') + 1);
    expect(
      [
        wall,
        'ingest: ALL to tenantscope_ingest using true check true',
        'operators: ALL to tenantscope_admin, tenantscope_ingest using true check true',
        // What people attest by the command line, and how far sources are for `status`.
        'admin: ALL to tenantscope_admin using true check true',
        'admin: SELECT to tenantscope_admin using true check -',
        // What is dropped by age is dropped by its owner.
        'owner: ALL to tenantscope_owner using true check -',
        // A snapshot is written behind the wall too; what was asked for is looked for across tenants.
        "taking: INSERT to tenantscope_jobs using  check (tenant_id = (current_setting('tenantscope.tenant'::text))::uuid)",
        'requests: ALL to tenantscope_admin, tenantscope_jobs using true check true',
      ],
      policy,
    ).toContain(rule);
  }
  const readable = await texts(
    `select distinct format('%I.%I', table_schema, table_name) as text from information_schema.role_table_grants g
      where grantee in ('tenantscope_api', 'tenantscope_jobs') and table_schema in ('models', 'control') order by 1`,
  );
  const walled = new Set(policies.filter((policy) => policy.endsWith(wall)).map((policy) => policy.split(' ')[0]));
  expect(readable.filter((table) => !walled.has(table))).toEqual([
    'models.audit_log_partition',
    'models.retention',
    'models.snapshot_request',
    'models.source_status', // a view
  ]);
});

/** Who may do what: a line for each thing and login. */
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

test('who may do what, all of it', async () => {
  await expect(`${withoutDates(await texts(rightsOf)).join('\n')}\n`).toMatchFileSnapshot('./rights.snap');
});

test('a leaf is for ingest alone', async () => {
  const leaves = await texts(
    `select distinct a.grantee::regrole || ' ' || a.privilege_type as text from pg_class c join pg_namespace n on n.oid = relnamespace, aclexplode(relacl) a
      where ${ours} and relispartition and relkind = 'r' and a.grantee <> relowner order by 1`,
  );
  expect(leaves).toEqual(['tenantscope_ingest INSERT', 'tenantscope_ingest SELECT']);
});

test('the logins are nothing special and belong to nobody', async () => {
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

test('a view sees what its reader sees', async () => {
  const views = await texts(
    `select c.oid::regclass::text as text from pg_class c join pg_namespace n on n.oid = relnamespace
      where ${ours} and (relkind = 'm' or relkind = 'v' and not coalesce(reloptions::text[] @> '{security_invoker=true}', false))`,
  );
  expect(views).toEqual([]);
});

test('functions that act as their owner are few, and look nowhere else for what they name', async () => {
  const functions = await texts(
    `select format('%s.%s', nspname, proname) as text from pg_proc join pg_namespace n on n.oid = pronamespace where prosecdef and ${ours} order by 1`,
  );
  expect(functions).toEqual([
    'control.add_key_usage',
    'control.append_admin_event',
    'control.guard_admin_event',
    'control.guard_api_key',
    'control.guard_key_kin',
    'control.guard_session',
    'control.keep_an_admin',
    'control.look_up_key',
    'control.note_admin_event',
    'control.open_epoch',
    'control.record_admin_event',
    'control.record_request',
    'control.stay_ended',
    'models.drop_log_facts',
    'models.keep_log_partitions',
    'models.open_epoch',
  ]);
  const elsewhere = await texts(
    `select format('%s.%s', nspname, proname) as text from pg_proc join pg_namespace n on n.oid = pronamespace
      where prosecdef and not coalesce(proconfig @> array['search_path=pg_catalog, pg_temp'], false) order by 1`,
  );
  expect(elsewhere).toEqual([]);
});
