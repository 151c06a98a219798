import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { withConnection } from '@tenantscope/store/connection';
import { backfillLogTally, type EntityChange, mergeFileTallies, writeEntityChanges } from '@tenantscope/store/ingest';
import fc from 'fast-check';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { deletionMessage, entityMessage } from '../installation/entity-messages.ts';
import { eventually } from '../installation/eventually.ts';
import { mergeParts } from '../installation/log-merging.ts';
import { createTestDatabase, type TestDatabase } from '../services/database.ts';
import { openTestPool } from '../services/pool.ts';
import { isLong } from '../torture/random.ts';
import { readChange } from './read-change.ts';

let database: TestDatabase;
let pool: pg.Pool;
let superuser: pg.Client;

beforeAll(async () => {
  database = await createTestDatabase();
  pool = openTestPool(database.roles.ingest);
  superuser = new pg.Client(database.superuser);
  await superuser.connect();
});
afterAll(async () => {
  await pool?.end();
  await superuser?.end();
  await database?.[Symbol.asyncDispose]();
});

interface FileState {
  readonly number: number;
  readonly version: number;
  readonly isDeletion: boolean;
  readonly members: Readonly<Record<string, unknown>>;
}

/** Too long for an alias. */
const longUrl = `https://contoso.example/${'Żółw'.repeat(80)}.docx`;
const perhaps = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: undefined });
const count = perhaps(fc.integer({ min: 0, max: 2 }));
const fileState: fc.Arbitrary<FileState> = fc.record({
  number: fc.nat(4),
  version: fc.integer({ min: 1, max: 9 }),
  isDeletion: fc.nat(5).map((of) => of === 0),
  members: fc.record({
    webUrl: perhaps(fc.constantFrom('https://contoso.example/A.docx', 'https://contoso.example/Zażółć.docx', longUrl)),
    siteId: perhaps(fc.constantFrom('Finance', 'finance', 'legal')),
    sensitiveInfoTypes: perhaps(
      fc.array(fc.constantFrom({ id: 'T1' }, { id: 't1' }, { id: 't2', name: 'Two' }), { maxLength: 3 }),
    ),
    sensitiveInfoTypeCount: count,
    sensitivityLabelId: perhaps(fc.constantFrom('', 'confidential')),
    isProtected: perhaps(fc.boolean()),
    sharingScope: perhaps(fc.constantFrom('anyone', 'organization', 'specificPeople')),
    hasAnonymousLink: perhaps(fc.boolean()),
    hasOrganizationLink: perhaps(fc.boolean()),
    externalUserCount: count,
    externalUserIds: perhaps(fc.subarray(['Guest@fabrikam.example', 'other@fabrikam.example'])),
    aiAppReachCount: count,
    agentReachCount: count,
    aiReach: perhaps(fc.subarray([{ type: 'agent', id: 'a1' }])),
  }),
});

function toChange(tenantId: string, { number, version, isDeletion, members }: FileState): EntityChange {
  const id = `File-${number}`;
  return readChange(
    isDeletion
      ? deletionMessage('file', tenantId, id, version)
      : entityMessage('file', tenantId, id, version, { name: `${id}.docx`, ...members }),
  );
}

async function write(changes: readonly EntityChange[]): Promise<void> {
  await withConnection(pool, async (client) => {
    await client.query('begin');
    await writeEntityChanges(client, changes, () => new Date().toISOString(), mergeParts);
    await client.query('commit');
  });
}

/** Two lanes at the same time, and a process that merges what they counted. */
async function writeByTwoLanes(tenantId: string, states: readonly FileState[], size: number): Promise<void> {
  const batches = Array.from({ length: Math.ceil(states.length / size) }, (_, at) =>
    states.slice(at * size, (at + 1) * size),
  );
  let isWriting = true;
  const merging = (async () => {
    while (isWriting) await mergeFileTallies(pool);
  })();
  const lanes = [0, 1].map(async (which) => {
    for (const batch of batches.filter((_, index) => index % 2 === which))
      await write(batch.map((state) => toChange(tenantId, state)));
  });
  const ended = await Promise.allSettled(lanes);
  isWriting = false;
  await merging;
  for (const one of ended) if (one.status === 'rejected') throw one.reason;
}

interface StoredFile {
  readonly id: string;
  readonly is_deleted: boolean;
  readonly facts: Readonly<Record<string, unknown>>;
  readonly aliases: readonly string[];
  readonly address: string | null;
}

/** What `models.file_exposure` and `models.file_tally` should have, by another reading of the facts. */
async function recount(tenantId: string) {
  const { rows } = await superuser.query<StoredFile>(
    `select e.id, e.is_deleted, e.facts, array(select a.alias from models.entity_alias a
                                                where a.tenant_id = e.tenant_id and a.kind = 'file' and a.id = e.id) as aliases,
            f.document::json ->> 'webUrl' as address
       from models.entity_fact e join models.entity_file f using (tenant_id, id) where e.tenant_id = $1 and e.kind = 'file' order by e.id`,
    [tenantId],
  );
  const files = rows.map(describeFile).filter(({ isSensitive, isShared }) => isSensitive || isShared);
  const tallies = new Map<string, number>();
  const add = (...key: unknown[]) => tallies.set(JSON.stringify(key), (tallies.get(JSON.stringify(key)) ?? 0) + 1);
  for (const { isDeleted, isSensitive, siteId, types, state, guests } of files.filter((one) => !one.isDeleted)) {
    const {
      isLabeled,
      isProtected,
      isReached,
      isAnonymous,
      isExternal,
      isOpen,
      hasAnonymousLink,
      hasOrganizationLink,
    } = state;
    expect(isDeleted).toBe(false);
    if (isSensitive) add('content', '', types, isLabeled, isProtected, isReached, isAnonymous, isExternal);
    if (siteId !== null) add('site', siteId, isSensitive, isExternal, isOpen, hasAnonymousLink, hasOrganizationLink);
    for (const guest of guests) add('external_user', guest);
  }
  return {
    files: files.map(({ id, isDeleted, siteId, types, guests, digests }) => [
      id,
      isDeleted,
      siteId,
      types,
      guests,
      digests,
    ]),
    tallies: [...tallies].map(([key, files]) => `${key} ${files}`).sort(),
  };
}

function describeFile({ id, is_deleted: isDeleted, facts, aliases, address }: StoredFile) {
  const read = <Value>(name: string) => (facts[name] ?? null) as Value | null;
  const list = <Value>(name: string) => read<Value[]>(name);
  const types = [
    ...new Set((list<{ id: string }>('sensitiveInfoTypes') ?? []).map((one) => one.id.toLowerCase())),
  ].sort();
  const isSensitive =
    (list('sensitiveInfoTypes')?.length ?? 0) > 0 || (read<number>('sensitiveInfoTypeCount') ?? 0) > 0;
  const isLabeled = Boolean(facts.sensitivityLabelId) || Boolean(facts.sensitivityLabelName);
  const reach = [read<number>('aiAppReachCount'), read<number>('agentReachCount'), list('aiReach')?.length ?? null];
  const scope = read<string>('sharingScope');
  const links = [read<boolean>('hasAnonymousLink'), read<boolean>('hasOrganizationLink')];
  const guests = read<number>('externalUserCount');
  const isClosed = scope !== null || (links[0] === false && links[1] === false);
  const isOpen = links.includes(true) || scope === 'anyone' || scope === 'organization' || (isClosed ? false : null);
  const names = [...new Set([id.toLowerCase(), ...aliases, ...(address === longUrl ? [longUrl.toLowerCase()] : [])])];
  const digest = (name: string) => createHash('sha256').update(name).digest('hex').slice(0, 32);
  return {
    id,
    isDeleted,
    isSensitive,
    isShared: links.includes(true) || (guests ?? 0) > 0,
    siteId: read<string>('siteId')?.toLowerCase() ?? null,
    types,
    guests: isSensitive
      ? [...new Set((list<string>('externalUserIds') ?? []).map((one) => one.toLowerCase()))].sort()
      : [],
    digests: types.length === 0 ? [] : names.map(digest).sort(),
    state: {
      isLabeled,
      isProtected: read('isProtected') === null && isLabeled ? null : read('isProtected') === true,
      isReached: reach.every((one) => one === null) ? null : reach.some((one) => (one ?? 0) > 0),
      isAnonymous: links[0] ?? (scope === null ? null : scope === 'anyone'),
      isExternal: guests === null ? null : guests > 0,
      isOpen,
      hasAnonymousLink: links[0] === true,
      hasOrganizationLink: links[1] === true,
    },
  };
}

async function readStored(tenantId: string) {
  const files = await superuser.query({
    text: `select id, is_deleted, site_id, types, external_users, array(select replace(d::text, '-', '') from unnest(name_digests) d order by 1)
             from models.file_exposure where tenant_id = $1 order by id`,
    values: [tenantId],
    rowMode: 'array',
  });
  const tallies = await superuser.query<{ tally: string; key: unknown[]; files: string }>(
    `select tally, sum(files) as files,
            case tally when 'content' then jsonb_build_array(tally, subject, types, is_labeled, is_protected, is_reached, is_anonymous, is_external)
                       when 'site' then jsonb_build_array(tally, subject, is_sensitive, is_external, is_open, has_anonymous_link, has_organization_link)
                       else jsonb_build_array(tally, subject) end as key
       from models.file_tally where tenant_id = $1 group by tally, key having sum(files) <> 0`,
    [tenantId],
  );
  return { files: files.rows, tallies: tallies.rows.map(({ key, files }) => `${JSON.stringify(key)} ${files}`).sort() };
}

test('exposure and counts of files are those of their facts and names, for every order of changes of two lanes', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fileState, { minLength: 1, maxLength: 30 }),
      fc.integer({ min: 1, max: 6 }),
      async (states, size) => {
        const tenantId = randomUUID();
        await writeByTwoLanes(tenantId, states, size);
        const expected = await recount(tenantId);
        expect(await readStored(tenantId)).toEqual(expected);
        while ((await mergeFileTallies(pool)) > 0);
        expect(await readStored(tenantId)).toEqual(expected);
      },
    ),
    { numRuns: isLong ? 500 : 40 },
  );
});

test('rows of one key are merged into one, and those of deleted files disappear', async () => {
  const tenantId = randomUUID();
  const state = (number: number, version: number, isDeletion: boolean): FileState => ({
    ...{ number, version, isDeletion },
    members: { siteId: 'legal', sensitiveInfoTypes: [{ id: 't1' }] },
  });
  for (let number = 0; number < 4; number++) await write([toChange(tenantId, state(number, 1, false))]);
  const countRows = async () => {
    const { rows } = await superuser.query(
      'select tally, files from models.file_tally where tenant_id = $1 order by 1, 2',
      [tenantId],
    );
    return rows.map(({ tally, files }) => `${tally} ${files}`);
  };
  expect(await countRows()).toHaveLength(8);
  while ((await mergeFileTallies(pool)) > 0);
  expect(await countRows()).toEqual(['content 4', 'site 4']);
  for (let number = 0; number < 4; number++) await write([toChange(tenantId, state(number, 2, true))]);
  while ((await mergeFileTallies(pool)) > 0);
  expect(await countRows()).toEqual([]);
});

test('a file that is written without a change of what is counted adds no row', async () => {
  const tenantId = randomUUID();
  const members = { siteId: 'legal', sensitiveInfoTypes: [{ id: 't1' }] };
  const first = { number: 1, version: 1, isDeletion: false, members };
  await write([toChange(tenantId, first)]);
  const before = await readPlaces(tenantId);
  await write([toChange(tenantId, { ...first, version: 2, members: { ...members, mimeType: 'text/plain' } })]);
  expect(await readPlaces(tenantId)).toEqual(before);
});

test('facts of other types and of any length are written: a document may lack a figure, but no record may stop a lane', async () => {
  const tenantId = randomUUID();
  const long = randomBytes(6_000).toString('base64');
  const others = ['text', 5, 1.5, 1e300, true, null, [], [1], [null], {}, { id: 5 }, [{ id: { a: 1 } }], [long], long];
  const names = Object.keys(fc.sample(fileState, 1)[0]?.members ?? {});
  const facts = [
    ...names.flatMap((name) => others.map((other) => ({ hasAnonymousLink: true, [name]: other }))),
    { sensitiveInfoTypes: [{ id: long }, { id: 't1' }], siteId: long, externalUserIds: [long, long.toUpperCase()] },
  ];
  for (const [index, members] of facts.entries())
    await pool.query(
      `insert into models.entity_fact (tenant_id, kind, id, is_deleted, updated_at, facts) values ($1, 'file', $2, false, now(), $3)`,
      [tenantId, `f${index}`, JSON.stringify(members)],
    );
  while ((await mergeFileTallies(pool)) > 0);
  const { rows } = await superuser.query(
    `select count(*)::int as files, bool_and(octet_length(site_id) <= 512) as is_bound from models.file_exposure where tenant_id = $1`,
    [tenantId],
  );
  expect(rows).toEqual([{ files: expect.any(Number), is_bound: true }]);
  expect(rows[0].files).toBeGreaterThan(facts.length - others.length - 2);
  await superuser.query('delete from models.entity_fact where tenant_id = $1', [tenantId]);
  expect(await readStored(tenantId)).toEqual({ files: [], tallies: [] });
});

async function readPlaces(tenantId: string): Promise<unknown[]> {
  const { rows } = await superuser.query(
    `select 'exposure', ctid::text from models.file_exposure where tenant_id = $1
      union all select 'tally', ctid::text from models.file_tally where tenant_id = $1 order by 1, 2`,
    [tenantId],
  );
  return rows;
}

test('files that are older than the table are added in steps, next to lanes that change them and a process that is killed', async () => {
  const tenants = [randomUUID(), randomUUID()];
  const states = fc.sample(fileState, { numRuns: 60, seed: 7 });
  await superuser.query('delete from models.file_exposure; delete from models.file_tally');
  await setTriggers('disable');
  for (const tenantId of tenants) await writeByTwoLanes(tenantId, states, 7);
  for (const tenantId of tenants) expect(await readStored(tenantId)).toEqual({ files: [], tallies: [] });
  await setTriggers('enable');
  await superuser.query(
    `insert into models.log_tally_backfill (tally, until_at, next_at, next_key)
     values ('file', now(), now(), '00000000-0000-0000-0000-000000000000/')`,
  );
  // A step that is not committed has done nothing.
  const killed = await pool.connect();
  await killed.query('begin; select models.backfill_file_exposure(1)');
  killed.release(new Error('killed'));
  const changes = fc.sample(fileState, { numRuns: 60, seed: 8 }).map((one) => ({ ...one, version: one.version + 9 }));
  const writing = Promise.all(tenants.map((tenantId) => writeByTwoLanes(tenantId, changes, 3)));
  const step = 'select models.backfill_file_exposure(1) as has_step';
  for (let steps = 0; (await pool.query(step)).rows[0]?.has_step === true; steps++) expect(steps).toBeLessThan(200);
  await writing;
  while (await backfillLogTally(pool));
  for (const tenantId of tenants) expect(await readStored(tenantId)).toEqual(await recount(tenantId));
  const { rows } = await superuser.query(
    `delete from models.log_tally_backfill where tally = 'file' returning next_at, next_key`,
  );
  expect(rows).toEqual([{ next_at: null, next_key: null }]);
}, 120_000);

test('a step waits for a change of a file that is under way', async () => {
  const tenantId = randomUUID();
  const file = {
    number: 1,
    version: 1,
    isDeletion: false,
    members: { siteId: 'legal', sensitiveInfoTypes: [{ id: 't1' }] },
  };
  await setTriggers('disable');
  await write([toChange(tenantId, file)]);
  await setTriggers('enable');
  await superuser.query(
    `insert into models.log_tally_backfill (tally, until_at, next_at, next_key) values ('file', now(), now(), $1)`,
    [`${tenantId}/`],
  );
  const changing = await pool.connect();
  await changing.query('begin');
  await changing.query(
    `update models.entity_fact set facts = facts || '{"siteId": "finance", "sensitiveInfoTypes": [{"id": "t2"}]}' where tenant_id = $1`,
    [tenantId],
  );
  const step = pool.query('select models.backfill_file_exposure()');
  await eventually('the step waits', 10_000, async () => {
    const { rows } = await superuser.query(
      `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and query like '%backfill_file_exposure%'`,
    );
    return rows.length > 0;
  });
  await changing.query('commit');
  changing.release();
  await step;
  expect(await readStored(tenantId)).toEqual(await recount(tenantId));
  await superuser.query(`delete from models.log_tally_backfill where tally = 'file'`);
});

async function setTriggers(state: 'enable' | 'disable'): Promise<void> {
  for (const table of ['entity_fact', 'entity_alias'])
    await superuser.query(`alter table models.${table} ${state} trigger user`);
}
