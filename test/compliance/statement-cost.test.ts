import {
  readExceptedSubjects,
  readFindingPage,
  readMetrics,
  requirementsWithSubjects,
} from '@tenantscope/store/compliance';
import type { PoolClient } from '@tenantscope/store/connection';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import * as events from './events.ts';
import { type FactDatabase, newTenantId, openFactDatabase } from './fact-database.ts';
import * as input from './input-records.ts';

let facts: FactDatabase;
beforeAll(async () => {
  facts = await openFactDatabase();
});
afterAll(() => facts?.[Symbol.asyncDispose]());

const nowMs = Date.UTC(2026, 5, 15, 12);
const { dayMs } = input;
const query = (tenantId: string) => ({ tenantId, nowMs, connectedAtMs: nowMs - 200 * dayMs });

// From 2,000 of one kind on, the planner expects more rows of a common table expression than it hashes, and scans it for each row of another.
test('no statement of a compliance status or of a page of findings visits the square of the rows of a tenant', async () => {
  const small = await countVisits(await insertRows(500));
  const large = await countVisits(await insertRows(2_000));
  expect([...large.keys()]).toEqual([...small.keys()]);
  const growing = [...large].filter(([statement, visits]) => visits > 8 * Math.max(1_000, small.get(statement) ?? 0));
  expect(growing).toEqual([]);
});

test('the name of a subject is looked up once for any number of exceptions', async () => {
  const tenantId = await insertRows(100);
  const countLookups = async (exceptions: number) => {
    const coverings = Array.from({ length: exceptions }, (_, index) => ({
      subjectIds: null,
      query: { subjectName: `none ${index}*` },
    }));
    let lookups = 0;
    await explain(
      tenantId,
      (client) => readExceptedSubjects(client, query(tenantId), 'iam.accounts.inactive', coverings),
      (_, plan) => {
        lookups += sumLoops(plan, 'entity_user');
      },
    );
    return lookups;
  };
  expect(await countLookups(20)).toBe(await countLookups(1));
  expect(await countLookups(1)).toBe(100);
});

test('an app is used in whichever week of 92 days its use was discovered, also after the evaluation', async () => {
  const tenantId = newTenantId();
  const weeks = [0, 1, 2, 7, 12].flatMap((week) => [-1, 0, 1].map((ms) => nowMs - 92 * dayMs + week * 7 * dayMs + ms));
  const discoveredMs = [...weeks, nowMs - 1, nowMs, nowMs + 1, nowMs + 40 * dayMs].sort((one, other) => one - other);
  // Discovered after it occurred, by up to 40 days.
  const uses = discoveredMs.map((atMs, index) => ({ atMs, occurredMs: Math.min(atMs, nowMs), app: clientId(index) }));
  await facts.ingest(tenantId, nowMs - 100 * dayMs, [
    input.app('unused', { appId: clientId(99) }),
    ...uses.map(({ app }, index) => input.app(`app${index}`, { appId: app })),
  ]);
  for (const { atMs, occurredMs, app } of uses)
    await facts.ingest(tenantId, atMs, [events.appUse(app, 'anna', occurredMs)]);
  const metrics = await facts.read(tenantId, (client) => readMetrics(client, query(tenantId)));
  // Whole seconds: those are what the provider reports.
  const isUsed = ({ occurredMs }: { occurredMs: number }) =>
    Math.floor(occurredMs / 1_000) * 1_000 >= nowMs - 90 * dayMs;
  expect(metrics['iam.apps.unused_grants']).toMatchObject({
    apps: uses.length + 1,
    unused: 1 + uses.filter((use) => !isUsed(use)).length,
  });
});

const clientId = (index: number) => `00000000-0000-4000-8000-${String(index).padStart(12, '0')}`;

/** Entities of each kind: each file lies in a site, holds a type of information that is restricted, and was read; all have an owner. */
async function insertRows(count: number): Promise<string> {
  const tenantId = newTenantId();
  const client = new pg.Client({ connectionString: facts.database.superuser });
  await client.connect();
  try {
    for (const kind of ['user', 'file', 'agent', 'app', 'site', 'group', 'device', 'license'])
      await client.query(
        `insert into models.entity_fact (tenant_id, kind, id, is_deleted, updated_at, facts)
         select $1, $2, $2 || g, false, now(),
                jsonb_build_object('displayName', $2 || g, 'accountEnabled', true, 'hasCopilotLicense', true, 'mfaRegistered', true,
                  'siteId', 'site' || g, 'sensitiveInfoTypes', jsonb_build_array(jsonb_build_object('id', 'type' || g), jsonb_build_object('id', 'restricted' || g % 20)), 'aiAppReachCount', 1,
                  'lifecycleStatus', 'deployed', 'isBlocked', false, 'appType', 'thirdParty', 'delegatedPermissionCount', 3,
                  'ownerId', 'user' || g, 'groupId', 'group' || g, 'ownerIds', jsonb_build_array('user' || g),
                  'owners', jsonb_build_array(jsonb_build_object('id', 'user' || g)), 'deviceId', 'device' || g, 'isManaged', true)
           from generate_series(1, $3::integer) g`,
        [tenantId, kind, count],
      );
    await client.query(
      `insert into models.agent_evidence (tenant_id, id, version, digest, updated_at, happened_at, kind, record_id, is_deletion, document)
       select $1, 'restriction/r' || g, 1, '', now(), $2::timestamptz, 'restriction', 'r' || g, false,
              jsonb_build_object('payload', jsonb_build_object('dataType', jsonb_build_object('id', 'restricted' || g), 'level', 'noAccess', 'declaredAt', $2::text,
                'exemptIds', (select jsonb_agg('user' || u) from generate_series(1, $3::integer / 10) u)))::text
         from generate_series(0, 19) g`,
      [tenantId, new Date(nowMs - 60 * dayMs).toISOString(), count],
    );
    await client.query(
      `insert into models.log_read (tenant_id, discovered_at, log_id, occurred_at, name_digest, is_interaction, is_external, actor_id, actor_type)
       select $1, at, gen_random_uuid(), at, encode(substring(sha256(convert_to('file' || g, 'UTF8')) for 16), 'hex')::uuid, false, false, 'user' || g, 'user'
         from generate_series(1, $2::integer) g cross join (values ($3::timestamptz)) read (at)`,
      [tenantId, count, new Date(nowMs - dayMs).toISOString()],
    );
    await client.query(
      `insert into models.log_fact (tenant_id, discovered_at, log_id, occurred_at, kind, agent_id, actor_id, facts)
       select $1, $3, gen_random_uuid(), $3, 'aiInteraction', 'agent' || g, 'user' || g, jsonb_build_object('clientId', 'unknown' || g)
         from generate_series(1, 2 * $2::integer) g`,
      [tenantId, count, new Date(nowMs - dayMs).toISOString()],
    );
    await client.query('analyze models.entity_fact, models.log_read, models.log_fact');
  } finally {
    await client.end();
  }
  return tenantId;
}

interface Plan {
  readonly 'Relation Name'?: string;
  readonly 'Actual Rows': number;
  readonly 'Actual Loops': number;
  readonly 'Rows Removed by Filter'?: number;
  readonly 'Rows Removed by Join Filter'?: number;
  readonly Plans?: readonly Plan[];
}

const sumVisits = (plan: Plan): number =>
  (plan['Actual Rows'] + (plan['Rows Removed by Filter'] ?? 0) + (plan['Rows Removed by Join Filter'] ?? 0)) *
    plan['Actual Loops'] +
  (plan.Plans ?? []).reduce((sum, child) => sum + sumVisits(child), 0);

const sumLoops = (plan: Plan, relation: string): number =>
  (plan['Relation Name'] === relation ? plan['Actual Loops'] : 0) +
  (plan.Plans ?? []).reduce((sum, child) => sum + sumLoops(child, relation), 0);

/** The rows that each statement visits, in all nodes of its plan. */
async function countVisits(tenantId: string): Promise<Map<string, number>> {
  const visits = new Map<string, number>();
  const page = { ...query(tenantId), states: null, coverings: [], after: null, limit: 1_000 };
  await explain(
    tenantId,
    async (client) => {
      await readMetrics(client, query(tenantId));
      for (const requirementKey of requirementsWithSubjects) await readFindingPage(client, { ...page, requirementKey });
    },
    (text, plan) => visits.set(text, (visits.get(text) ?? 0) + sumVisits(plan)),
  );
  return visits;
}

/** Reads, and passes each statement with its plan. */
async function explain(
  tenantId: string,
  read: (client: PoolClient) => Promise<unknown>,
  take: (text: string, plan: Plan) => void,
): Promise<void> {
  await facts.read(tenantId, async (client) => {
    const run = async (text: string, values: unknown[] = []) => {
      if (/^\s*(with|select)\b/.test(text) && !text.includes('set_config')) {
        const { rows } = await client.query(`explain (analyze, timing off, format json) ${text}`, values);
        take(text, rows[0]['QUERY PLAN'][0].Plan);
      }
      return client.query(text, values);
    };
    await read(Object.create(client, { query: { value: run } }) as PoolClient);
  });
}
