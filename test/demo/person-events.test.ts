import type { AuditLogEvent, Detection } from '@tenantscope/contract';
import { type DemoTenant, demoHistory, demoRecords, demoTenants, publishDemo } from '@tenantscope/demo';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { type ApiClient, createApiClient } from '../installation/api-client.ts';
import { eventually } from '../installation/eventually.ts';
import { type Installation, startInstallation } from '../installation/installation.ts';

// From a person of the first demo company to all events of that person, as the descriptions of the tools advise.

let installation: Installation;
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
  const { baseUrl } = await installation.startApi();
  const { name, azureTenantId } = company;
  const { id: tenantId } = await installation.admin.tenants.create({ name, azureTenantId, organizationId: null });
  const scopes = ['logs:read', 'detections:read', 'users:read'] as const;
  const key = { name: 'analyst', scopes: [...scopes], owner: { tenantId }, expiresAt: null };
  caller = createApiClient(baseUrl, (await installation.admin.keys.create(key)).secret);
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
