import { backfillActorTallies, countActorDays, countAgain, logTallies } from '@tenantscope/store/ingest';
import type pg from 'pg';

/** The row counts of the large tenant; other tenants add a third as much log. */
export interface LargeTenant {
  readonly tenantId: string;
  readonly logs: number;
  readonly files: number;
  readonly users: number;
}

/**
 * Fills a database inside the server as ingestion would have: three months of logs in weekly partitions, batch after
 * batch, each sorted by tenant, plus everything that rules count. The client is not subject to row-level security.
 */
export async function insertLargeTenant(client: pg.Client, tenant: LargeTenant): Promise<void> {
  await createPastPartitions(client);
  await insertLogs(client, tenant);
  await insertLogFacts(client, tenant);
  await insertTallies(client);
  await insertActorTallies(client);
  await insertFileReads(client);
  await insertEntities(client, tenant);
  await insertAgentEvidence(client, tenant);
  await insertDetections(client, tenant);
  await client.query('analyze');
}

async function createPastPartitions(client: pg.Client): Promise<void> {
  await client.query(`
    do $$
    declare upper_at timestamptz := (select min(from_at) from models.audit_log_partition);
            lower_at timestamptz;
    begin
      while upper_at > now() - interval '93 days' loop
        lower_at := upper_at - interval '7 days';
        execute format('create table models.%I partition of models.audit_log for values from (%L) to (%L)',
                       'audit_log_' || to_char(lower_at at time zone 'UTC', 'YYYYMMDD'), lower_at, upper_at);
        insert into models.audit_log_partition values ('audit_log_' || to_char(lower_at at time zone 'UTC', 'YYYYMMDD'), lower_at, upper_at);
        upper_at := lower_at;
      end loop;
    end $$`);
}

async function insertLogs(client: pg.Client, { tenantId, logs, files, users }: LargeTenant): Promise<void> {
  // 750 of each batch of 1,000 rows belong to the tenant.
  const rows = Math.ceil((logs * 4) / 3);
  await client.query(
    `insert into models.audit_log (tenant_id, discovered_at, id, occurred_at, severity, action, actor_id, actor_type, resource_id, resource_type,
                                   workload, source_type, device_id, is_managed_device, application_id, outcome, normaliser_version, member_lines)
     select case when g % 1000 < 750 then $1::uuid else md5((g % 17)::text)::uuid end, at, gen_random_uuid(), at - interval '20 minutes', 'informational',
            (array['fileaccessed', 'filedownloaded', 'userloggedin', 'mailitemsaccessed', 'filemodified', 'send', 'copilotinteraction'])[1 + g % 7],
            case when g % 3 = 0 then 'user' || g % $4::bigint else 'user' || g % $4::bigint || '@contoso.example' end, 'user',
            'file' || g % $3::bigint, 'file', (array['SharePoint', 'Exchange', 'AzureActiveDirectory', 'Copilot'])[1 + g % 4], 'microsoft365',
            case when g % 5 = 0 then 'device' || g % 5000 end, case g % 4 when 0 then true when 1 then false end,
            case when g % 2 = 0 then 'app' || g % 2000 end, 'success', 1, '"' || rpad('event ' || g, 1000, 'x') || '"' 
       from (select g, now() - interval '91 days' + interval '91 days' * (g::float8 / $2) as at from generate_series(1::bigint, $2::bigint) g) generated`,
    [tenantId, rows, files, users],
  );
}

async function insertLogFacts(client: pg.Client, { tenantId, logs, files }: LargeTenant): Promise<void> {
  await client.query(
    `insert into models.log_fact (tenant_id, log_id, kind, occurred_at, discovered_at, agent_id, actor_id, facts)
     select case when g % 4 < 3 then $1::uuid else md5((g % 17)::text)::uuid end, gen_random_uuid(), 'aiInteraction', at, at, 'agent' || g % 500,
            'user' || g % 10000 || '@contoso.example',
            jsonb_build_object('agentId', 'agent' || g % 500, 'clientId', 'client' || g % 100, 'appHost', 'Word', 'threadId', md5(g::text), 'actorType', 'user',
              'resources', jsonb_build_array(jsonb_build_object('id', 'item' || g % $3::bigint, 'type', 'docx', 'siteUrl', 'https://contoso.example/' || g)),
              'threats', case when g % 500 = 0 then '[{"threatType": "jailbreak", "outcome": "detected"}]'::jsonb else '[]' end)
       from (select g, now() - interval '91 days' * (g::float8 / $2) as at from generate_series(1::bigint, $2::bigint) g) generated`,
    [tenantId, Math.ceil(logs / 15), files],
  );
}

/** As ingestion counts the rows that it writes. Those of rows that it has written already are counted again with the others. */
async function insertTallies(client: pg.Client): Promise<void> {
  await client.query('delete from models.log_tally; delete from models.actor_tally');
  for (const tally of logTallies) {
    const from = tally.sql.from === 'log' ? 'models.audit_log l' : 'models.log_fact f';
    await client.query(
      `insert into models.log_tally (tenant_id, tally, at, subject, object, flags, shard, events, first_at, last_at)
       select tenant_id, tally, at, subject, object, flags, 0, events, first_at, last_at from (${countAgain(tally, { from, where: 'true' })}) counted`,
    );
  }
}

async function insertActorTallies(client: pg.Client): Promise<void> {
  const days = countActorDays({ from: 'models.audit_log l', where: 'l.discovered_at >= $1 and l.discovered_at < $2' });
  await client.query('begin');
  await backfillActorTallies(client, 0, days, ['-infinity', 'infinity']);
  await client.query('commit');
}

/** Of names in lower case, which those of these rows are. */
async function insertFileReads(client: pg.Client): Promise<void> {
  const digest = (name: string) => `encode(substring(sha256(convert_to(${name}, 'UTF8')) for 16), 'hex')::uuid`;
  await client.query(
    `insert into models.log_read (tenant_id, discovered_at, log_id, occurred_at, name_digest, is_interaction, is_external, actor_id, actor_type, application_id, agent_id)
     select tenant_id, discovered_at, id, occurred_at, ${digest('resource_id')}, false, false, actor_id, actor_type, application_id, null
       from models.audit_log where action in ('fileaccessed', 'filedownloaded')
      union all
     select tenant_id, discovered_at, log_id, occurred_at, ${digest('opened')}, true, false, actor_id, facts ->> 'actorType', facts ->> 'clientId', agent_id
       from models.log_fact
      cross join lateral jsonb_array_elements(facts -> 'resources') r
      cross join lateral unnest(array[r ->> 'id', r ->> 'siteUrl']) opened
      where kind = 'aiInteraction' and opened is not null`,
  );
}

export async function insertEntities(client: pg.Client, { tenantId, files, users }: LargeTenant): Promise<void> {
  const insert = async (kind: string, count: number, facts: string, aliases: readonly string[] = []) => {
    await client.query(
      `insert into models.entity_fact (tenant_id, kind, id, is_deleted, updated_at, facts)
       select case when g <= $2 then $1::uuid else md5((g % 17)::text)::uuid end, $3, $4 || g, g % 50 = 0, now(), ${facts}
         from generate_series(1::bigint, $2::bigint * 4 / 3) g`,
      [tenantId, count, kind, kind.toLowerCase()],
    );
    for (const alias of aliases)
      await client.query(
        `insert into models.entity_alias (tenant_id, kind, alias, id)
         select case when g <= $2 then $1::uuid else md5((g % 17)::text)::uuid end, $3, ${alias}, $4 || g from generate_series(1::bigint, $2::bigint * 4 / 3) g
         on conflict do nothing`,
        [tenantId, count, kind, kind.toLowerCase()],
      );
  };
  await insert(
    'user',
    users,
    `jsonb_build_object('displayName', 'User ' || g, 'userType', case when g % 10 = 0 then 'guest' else 'member' end, 'accountEnabled', g % 9 > 0,
       'mfaRegistered', g % 5 > 0, 'hasCopilotLicense', g % 3 = 0, 'createdAt', now() - interval '1 year', 'lastSignInAt', now() - interval '1 day' * (g % 200),
       'licenseSkus', jsonb_build_array('SPE_E5'), 'roles', case when g % 200 = 0 then '["User Administrator"]'::jsonb else '[]' end)`,
    [`'user' || g || '@contoso.example'`, `'sid-' || g`],
  );
  await insert(
    'file',
    files,
    `jsonb_build_object('name', 'Report ' || g || '.docx', 'siteId', 'site' || 1 + g % 2000, 'ownerId', 'user' || g % 10000, 'sharingScope', 'specificPeople',
       'hasAnonymousLink', g % 40 = 0, 'hasOrganizationLink', g % 30 = 0, 'externalUserCount', g % 3, 'externalUserIds', jsonb_build_array('ext' || g % 300),
       'aiAppReachCount', g % 4, 'agentReachCount', g % 5, 'isProtected', g % 3 = 0, 'modifiedAt', now(),
       'sensitiveInfoTypes', case when g % 3 = 0 then jsonb_build_array(jsonb_build_object('id', 'type' || g % 100, 'name', 'Type')) else '[]' end)`,
    [`'item' || g`, `'https://contoso.example/' || g`],
  );
  await insert(
    'agent',
    500,
    `jsonb_build_object('displayName', 'Agent ' || g, 'lifecycleStatus', 'deployed', 'isBlocked', false, 'publisherType', 'custom', 'availableTo', 'some',
       'createdAt', now() - interval '1 year', 'owners', jsonb_build_array(jsonb_build_object('id', 'user' || g)), 'ownerId', 'user' || g)`,
    [`'agent-alias-' || g`],
  );
  await insert(
    'app',
    2_000,
    `jsonb_build_object('displayName', 'App ' || g, 'appType', 'thirdParty', 'isAiApp', g % 10 = 0, 'delegatedPermissionCount', 3, 'publisher', 'Fabrikam',
       'hasTenantWideReach', g % 7 = 0, 'owners', jsonb_build_array(jsonb_build_object('id', 'user' || g)), 'grantedAt', now() - interval '1 year')`,
    [`'client' || g`],
  );
  await insert(
    'site',
    2_000,
    `jsonb_build_object('displayName', 'Site ' || g, 'ownerId', 'user' || g, 'everyoneAccess', g % 50 = 0)`,
  );
  await insert(
    'group',
    2_000,
    `jsonb_build_object('groupType', 'microsoft365', 'ownerIds', jsonb_build_array('user' || g))`,
  );
  await insert(
    'device',
    5_000,
    `jsonb_build_object('deviceId', 'device' || g, 'isManaged', g % 2 = 0, 'isCompliant', true, 'lastSyncAt', now())`,
  );
}

export async function insertAgentEvidence(
  client: pg.Client,
  { tenantId }: Pick<LargeTenant, 'tenantId'>,
): Promise<void> {
  await client.query(
    `insert into models.agent_evidence (tenant_id, id, version, digest, updated_at, happened_at, kind, record_id, agent_id, is_deletion, document)
     select $1::uuid, 'permissionGrant/g' || g, 1, ''::bytea, now(), now(), 'permissionGrant', 'g' || g, 'agent' || 1 + g % 500, false,
            jsonb_build_object('payload', jsonb_build_object('agentId', 'agent' || 1 + g % 500, 'value', 'Files.Read.All', 'tenantWide', g % 3 = 0, 'writeAccess', false))::text
       from generate_series(1, 5000) g
      union all
     select $1::uuid, 'restriction/r' || g, 1, ''::bytea, now(), now(), 'restriction', 'r' || g, null, false,
            jsonb_build_object('payload', jsonb_build_object('dataType', jsonb_build_object('id', 'type' || g),
              'level', (array['monitored', 'noAiAccess', 'noAccess'])[1 + g % 3], 'declaredAt', now() - interval '60 days'))::text
       from generate_series(1, 30) g`,
    [tenantId],
  );
}

export async function insertDetections(
  client: pg.Client,
  { tenantId, detections = 20_000 }: Pick<LargeTenant, 'tenantId'> & { detections?: number },
): Promise<void> {
  await client.query(
    `insert into models.detection (tenant_id, id, version, digest, updated_at, opened_at, status, severity, kind, level, detector_id, entity_type, entity_id, action_group, document)
     select $1::uuid, 'd' || g, 1, '', now(), opened_at, status, 'high', 'anomaly', 'alerted', 'v', 'agent', 'agent' || g % 500, 'file.download',
            format('{"id":"d%s","updatedAt":"%2$s","version":1,"changeId":"d%1$s:1","tenantId":"%3$s","kind":"anomaly","severity":"high","status":"%4$s","stateful":true,"openedAt":"%5$s","lastSeenAt":"%2$s","resolvedAt":%6$s,"summary":"Downloads of files are far above the baseline of the last 28 days.","detector":{"id":"v","name":"Volume of file downloads"},"entity":{"type":"agent","id":"agent%7$s","name":"Agent %7$s"},"details":{"level":"alerted","current":412,"peakCurrent":980,"baseline":31.5,"score":91,"peakScore":97,"diffPercent":1207.9,"actionGroup":"file.download","activityLabel":"File downloads","activityDescription":"Files that were downloaded or synchronized, by one agent in one hour.","episodeCount":3}}',
                   g, ${isoTime('now()')}, $1::uuid, status, ${isoTime('opened_at')}, case when status = 'open' then 'null' else '"' || ${isoTime('now()')} || '"' end, g % 500)
       from generate_series(1, $2::integer) g
      cross join lateral (select now() - interval '90 days' * (g::float8 / $2) as opened_at, case when g % 3 = 0 then 'open' else 'resolved' end as status) episode`,
    [tenantId, detections],
  );
}

const isoTime = (time: string): string => `to_char(${time} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
