import type { AuditLogEvent, Detection } from '@tenantscope/contract';
import { type DemoTenant, demoHistory, demoRecords, demoTenants, publishDemo } from '@tenantscope/demo';
import { afterAll, beforeAll, beforeEach, expect, inject, test } from 'vitest';
import { type ApiClient, createApiClient } from '../installation/api-client.ts';
import { eventually } from '../installation/eventually.ts';
import { type Installation, startInstallation } from '../installation/installation.ts';
import { createMcpClient } from '../mcp/mcp-client.ts';
import { openTestPool } from '../services/pool.ts';
import { expectSummariesOfList, expectSumOfWindows } from './log-summaries.ts';

// From a person of the first demo company to all events of that person, as the descriptions of the tools advise.

let installation: Installation;
let baseUrl: string;
let tenantId: string;
let caller: ApiClient;
let rows: readonly AuditLogEvent[];
let users: readonly { readonly id: string; readonly userPrincipalName: string }[];
/** The sign-in name or object id of who acted, by the provider's id of the event, as the published records have it. */
let actors: ReadonlyMap<string, string>;

const [company] = demoTenants as [DemoTenant, ...DemoTenant[]];
const events = 1_500;

beforeAll(async () => {
  installation = await startInstallation();
  await installation.startIngest();
  ({ baseUrl } = await installation.startApi());
  const { name, azureTenantId } = company;
  ({ id: tenantId } = await installation.admin.tenants.create({ name, azureTenantId, organizationId: null }));
  await renewKey();
  const to = {
    kafka: { brokers: inject('services').kafka },
    topicPrefix: installation.environment.TENANTSCOPE_TOPIC_PREFIX ?? '',
    tenantId,
  };
  const endMs = Date.now();
  const history = [...demoHistory({ tenant: company, endMs, count: events })];
  actors = new Map(history.flatMap(({ record }) => listActors(record as Members)));
  let published = 0;
  for (const records of [demoRecords({ tenant: company, endMs }), history]) {
    published += await publishDemo({ ...to, records });
    // Entities first: rows have the users that exist when they are written.
    await eventually('all published records are ingested', 60_000, async () => {
      const lanes = await installation.admin.lanes.list();
      return lanes.reduce((sum, { nextOffset }) => sum + Number(nextOffset), 0) >= published;
    });
  }
  const ingestedMs = Date.now();
  await eventually('all rows are settled', 60_000, async () => {
    const { pagination } = (await caller.get('/logs', { limit: '1' })).body;
    return Date.parse(pagination.completeThrough) > ingestedMs;
  });
  rows = await readAll<AuditLogEvent>('/logs');
  users = await readAll('/users');
});
beforeEach(() => renewKey());
afterAll(() => installation?.[Symbol.asyncDispose]());

type Members = { readonly [name: string]: Members } & { readonly [name: string]: string };

/** The provider's ids of the events of a record by a person, with the person's sign-in name or object id. */
function listActors(record: Members): [string, string][] {
  const { actor, properties = record, uuid, Id, UserId, userPrincipalName } = { ...record } as Members;
  if (record.kind === 'admin#reports#activity') {
    const { time, uniqueQualifier } = record.id as Members;
    return Object.keys(record.events as Members).map((index) => [
      `${time}/${uniqueQualifier}/${index}`,
      String(actor?.email),
    ]);
  }
  if (uuid !== undefined) return [[String(uuid), String(actor?.alternateId)]];
  if (record.from !== undefined) return record.from.user ? [[String(record.id), String(record.from.user.id)]] : [];
  // An activity of Azure has no id of its own.
  const claims = record.identity?.claims;
  if (claims !== undefined)
    return [
      [String(record.correlationId), String(claims['http://schemas.xmlsoap.org/ws/2005/05/identity/claims/upn'])],
    ];
  const { ReportId, AccountUpn, AccountObjectId, AuditEventId, Actor } = properties;
  if (ReportId !== undefined) return [[String(ReportId), String(AccountUpn ?? AccountObjectId)]];
  if (AuditEventId !== undefined) return [[String(AuditEventId), String(Actor?.UPN)]];
  if (record.MessageTraceId !== undefined) return [[String(record.MessageTraceId), String(record.SenderAddress)]];
  if (Id !== undefined) {
    // The user of a match of data loss prevention is an agent; the match is about who shared or sent.
    const sender = record.SharePointMetaData?.From ?? record.ExchangeMetaData?.From ?? UserId;
    return String(sender).includes('@') ? [[String(Id), String(sender)]] : [];
  }
  const name = userPrincipalName ?? properties.userPrincipalName ?? properties.initiatedBy?.user?.userPrincipalName;
  return name === undefined ? [] : [[String(properties.id), String(name)]];
}

/** Each key has 600 requests a minute. */
const renewKey = async () =>
  (caller = createApiClient(baseUrl, await createKey(['logs:read', 'detections:read', 'users:read'])));

async function createKey(scopes: string[], of = tenantId): Promise<string> {
  const key = { name: 'analyst', scopes, owner: { tenantId: of }, expiresAt: null };
  return (await installation.admin.keys.create(key)).secret;
}

async function readAll<Row>(path: string, parameters: Record<string, string> = {}): Promise<Row[]> {
  const all: Row[] = [];
  let page = await caller.get(path, { limit: '1000', ...parameters });
  for (;;) {
    expect(page.status, page.text).toBe(200);
    all.push(...page.body.data);
    if (!page.body.pagination.hasMore) return all;
    page = await caller.get(path, { cursor: page.body.pagination.nextCursor });
  }
}

/** The rows that the published records show to be the person's. */
function rowsOf(userId: string): AuditLogEvent[] {
  const name = users.find(({ id }) => id === userId)?.userPrincipalName.toLowerCase();
  return rows.filter(({ externalEventId, correlationId }) => {
    const actor = actors.get(externalEventId ?? correlationId ?? '')?.toLowerCase();
    return actor !== undefined && (actor === name || actor === userId);
  });
}

const idsOf = (some: readonly AuditLogEvent[]) => some.map(({ id }) => id).toSorted();

test('every person is one actorUserId, whatever id the records have', () => {
  const active = users.filter(({ id }) => rowsOf(id).length > 0);
  expect(active.length).toBeGreaterThan(20);
  for (const { id, userPrincipalName } of active)
    expect([...new Set(rowsOf(id).map(({ actorUserId }) => actorUserId))], userPrincipalName).toEqual([id]);
  const actorIds = active.map(({ id }) => new Set(rowsOf(id).map(({ actorId }) => actorId)).size);
  expect(actorIds.filter((count) => count > 1).length).toBeGreaterThan(10);
});

test('the filter user finds all events of a person by every id that a record has', async () => {
  for (const { id, userPrincipalName } of users)
    expect(idsOf(await readAll('/logs', { user: id })), userPrincipalName).toEqual(idsOf(rowsOf(id)));
  const [person] = users.toSorted((one, other) => rowsOf(other.id).length - rowsOf(one.id).length);
  const own = rowsOf(person?.id ?? '');
  const names = new Set([person?.id, person?.userPrincipalName, ...own.map(({ actorId }) => actorId)]);
  // The object id, the PUID and the sign-in name.
  expect(names.size).toBeGreaterThan(2);
  for (const user of names)
    expect(idsOf(await readAll('/logs', { user: String(user) })), String(user)).toEqual(idsOf(own));
});

test('the advice of a detection about a person finds all events of the person', async () => {
  const detections = await readAll<Detection>('/detections', { entityType: 'user', includeInfoTier: 'true' });
  expect(detections.length).toBeGreaterThan(5);
  for (const { id, entity, openedAt, lastSeenAt } of detections) {
    const [from, to] = [openedAt, lastSeenAt ?? ''];
    const expected = rowsOf(entity?.id ?? '').filter(({ occurredAt }) => occurredAt >= from && occurredAt <= to);
    const found = await readAll<AuditLogEvent>('/logs', { user: entity?.id ?? '', occurredFrom: from, occurredTo: to });
    expect(idsOf(found), id).toEqual(idsOf(expected));
  }
});

test('the advice of a detection of a mass download finds as many downloads as were counted', async () => {
  const detections = await readAll<Detection>('/detections', { entityType: 'user', actionGroup: 'file.download' });
  const sizes = await Promise.all(
    detections.map(async ({ entity, openedAt, lastSeenAt, details }) => {
      const window = { occurredFrom: openedAt, occurredTo: lastSeenAt ?? '' };
      const found = await readAll('/logs', { user: entity?.id ?? '', action: 'FileDownloaded', ...window });
      return { counted: (details as { peakCurrent: number }).peakCurrent, found: found.length };
    }),
  );
  const [largest] = sizes.toSorted((one, other) => other.found - one.found);
  expect(largest?.counted).toBeGreaterThan(50);
  expect(largest?.found).toBeGreaterThanOrEqual(Number(largest?.counted));
});

/** Those with the most events first. */
async function listUserDetections(): Promise<Detection[]> {
  const about = (await listDetections()).filter(({ entity }) => entity?.type === 'user');
  const counts = new Map<string, number>();
  for (const { id } of about) counts.set(id, (await readAll(`/detections/${id}/logs`)).length);
  return about.toSorted((a, b) => (counts.get(b.id) ?? 0) - (counts.get(a.id) ?? 0));
}

const listDetections = () => readAll<Detection>('/detections', { includeInfoTier: 'true' });

test('the events behind a detection are those of its entity during the episode', async () => {
  const kinds = new Set<string | null | undefined>();
  for (const { id, entity, openedAt, lastSeenAt } of await listDetections()) {
    const [from, to] = [openedAt, lastSeenAt ?? ''];
    const inEpisode = ({ occurredAt }: AuditLogEvent) => occurredAt >= from && occurredAt <= to;
    const path = `/detections/${encodeURIComponent(id)}/logs`;
    const found = await readAll<AuditLogEvent>(path, { limit: '25', sort: 'discoveredAtAsc' });
    expect(idsOf(found), `${id} ${entity?.type}`).toEqual(idsOf((await eventsOf(entity)).filter(inEpisode)));
    expect(await readAll(path), id).toEqual(found.toReversed());
    const { pagination } = (await caller.get(path, { limit: '1' })).body;
    expect(pagination.episode).toEqual({ from, to });
    const narrowed = await readAll<AuditLogEvent>(path, { action: 'FILEDOWNLOADED', limit: '25' });
    expect(narrowed).toEqual(found.toReversed().filter(({ action }) => action === 'FileDownloaded'));
    if (found.length > 0) kinds.add(entity?.type);
  }
  // Which others have events depends on the time of day, for which the demonstration is generated.
  expect(kinds).toContain('user');
  expect(kinds.size).toBeGreaterThan(1);
});

/** By requests for the log, one for each way in which a row may name the entity. */
async function eventsOf(entity: Detection['entity']): Promise<AuditLogEvent[]> {
  const id = entity?.id ?? '';
  if (entity === null) return [...rows];
  if (entity.type === 'user') return rowsOf(id);
  const isActor = entity.type === 'agent' || entity.type === 'app';
  const filters = isActor ? ['user', 'applicationId', 'targetId'] : ['targetId'];
  if (entity.type === 'device') filters.push('deviceId');
  const found = await Promise.all(filters.map((filter) => readAll<AuditLogEvent>('/logs', { [filter]: id })));
  return [...new Map(found.flat().map((row) => [row.id, row])).values()];
}

test('the events behind a detection need both scopes, and no other tenant, cursor or transport reads them differently', async () => {
  const [one, other] = await listUserDetections();
  const path = `/detections/${one?.id}/logs`;
  const withKey = async (scopes: string[], of?: string) => createApiClient(baseUrl, await createKey(scopes, of));
  for (const [missing, scopes] of [
    ['detections:read', ['logs:read']],
    ['logs:read', ['detections:read']],
  ] as const) {
    const refused = await (await withKey([...scopes])).get(path);
    expect(refused).toMatchObject({ status: 403, code: 'INSUFFICIENT_SCOPE' });
    expect(refused.body.error.details).toEqual([expect.objectContaining({ allowed: [missing] })]);
  }
  const stranger = await withKey(['logs:read', 'detections:read'], (await installation.createTenant()).id);
  const same = { 'X-Request-Id': 'same' };
  const [foreign, unknown, odd] = [
    await stranger.get(path, {}, same),
    await stranger.get('/detections/nonsense/logs', {}, same),
    await stranger.get('/detections/%00/logs', {}, same),
  ];
  expect(foreign).toMatchObject({ status: 404, code: 'NOT_FOUND' });
  expect([unknown.text, odd.text]).toEqual([foreign.text, foreign.text]);

  const { nextCursor } = (await caller.get(path, { limit: '2' })).body.pagination;
  for (const elsewhere of [`/detections/${other?.id}/logs`, '/logs'])
    expect((await caller.get(elsewhere, { cursor: nextCursor })).code).toBe('INVALID_CURSOR');
  const agent = createMcpClient(baseUrl, await createKey(['logs:read', 'detections:read']));
  const called = await agent.call('list_detection_logs', { id: one?.id, cursor: nextCursor, limit: 3 });
  const rest = (await caller.get(path, { cursor: nextCursor, limit: '3' })).body;
  expect(called.structuredContent).toMatchObject({ data: rest.data });
  expect(rest.data).toHaveLength(3);
});

interface Viewed {
  readonly metadata?: { readonly uid: string; readonly version: string };
  readonly finding_info?: { readonly uid: string };
  readonly event?: { readonly id: string };
  readonly ecs?: { readonly version: string };
}

test.each([
  ['ocsf', ({ metadata, finding_info }: Viewed) => [finding_info?.uid ?? metadata?.uid, metadata?.version], '1.8.0'],
  ['ecs', ({ event, ecs }: Viewed) => [event?.id, ecs?.version], '9.4.0'],
] as const)(
  'the view %s returns the same rows, page by page, over REST and MCP alike',
  async (view, identify, version) => {
    const agent = createMcpClient(baseUrl, await createKey(['logs:read', 'detections:read']));
    const [detection] = await listUserDetections();
    for (const [path, tool, given] of [
      [
        '/logs',
        'list_logs',
        { user: users.find(({ id }) => rowsOf(id).length > 0)?.id ?? '', sort: 'discoveredAtAsc' },
      ],
      [
        '/logs',
        'list_logs',
        { severity: rows.find(({ severity }) => severity !== 'informational')?.severity ?? 'informational' },
      ],
      ['/detections', 'list_detections', { includeInfoTier: 'true' }],
      [`/detections/${detection?.id}/logs`, 'list_detection_logs', {}],
    ] as const) {
      const plain = await readAll<AuditLogEvent>(path, { ...given, limit: '1000' });
      // Pages after the first are requested with the cursor alone.
      const viewed = await readAll<Viewed>(path, { ...given, view, limit: '25' });
      expect(viewed.map(identify), path).toEqual(plain.map(({ id }) => [id, version]));
      const id = tool === 'list_detection_logs' ? { id: detection?.id } : {};
      const called = await agent.call(tool, { ...id, ...given, view, limit: 3 });
      expect(called.structuredContent.data).toEqual(viewed.slice(0, 3));
    }
  },
);

test('the view full is that of the reference', async () => {
  const [whole, full] = [
    await caller.get('/logs', { limit: '20' }),
    await caller.get('/logs', { limit: '20', view: 'full' }),
  ];
  expect(full.body.data).toEqual(whole.body.data);
});

test('a summary has the groups of the rows that the list returns, for any window and filters', async () => {
  await expectSummariesOfList(renewKey, rows, (given) => readAll('/logs', given));
});

test.each([false, true])('a summary of too many rows names a window that fits, with blocks: %s', async (hasBlocks) => {
  const { id } = await installation.createTenant();
  const client = createApiClient(baseUrl, await createKey(['logs:read'], id));
  await expectSumOfWindows(installation, { tenantId: id, client }, hasBlocks);
});

test('events behind a detection that are no longer stored are left out', async () => {
  const [largest] = await listUserDetections();
  const path = `/detections/${largest?.id}/logs`;
  const before = await readAll<AuditLogEvent>(path);
  expect(before.length).toBeGreaterThan(1);
  const pool = openTestPool(installation.database.superuser, { max: 1 });
  try {
    await pool.query('delete from models.audit_log where id = $1', [before[0]?.id]);
    expect(await readAll(path)).toEqual(before.slice(1));
    await pool.query('delete from models.detection where id = $1', [largest?.id]);
    expect((await caller.get(path)).code).toBe('NOT_FOUND');
  } finally {
    await pool.end();
  }
});
