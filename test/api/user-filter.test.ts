import type { AuditLogEvent } from '@tenantscope/contract';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ControlledInstallation, startControlledInstallation } from '../guards/controlled-installation.ts';
import { type ControlledLog, openControlledLog } from '../installation/controlled-log.ts';

let product: ControlledInstallation;
let log: ControlledLog;

beforeAll(async () => {
  product = await startControlledInstallation();
  log = await openControlledLog(product.database.superuser);
});
afterAll(async () => {
  await log?.[Symbol.asyncDispose]();
  await product?.[Symbol.asyncDispose]();
});

interface Person {
  readonly kind?: 'user' | 'agent' | 'app';
  readonly id: string;
  readonly aliases?: readonly string[];
  readonly isDeleted?: boolean;
}

async function addPerson(tenantId: string, { kind = 'user', id, aliases = [], isDeleted = false }: Person) {
  await product.superuser.query(
    `insert into models.entity_${kind} (tenant_id, id, version, digest, updated_at, first_seen_at, is_deleted, document, detail)
     values ($1, $2, 1, '\\x00', now(), now(), $3, '{}', '{}')`,
    [tenantId, id, isDeleted],
  );
  await addAliases(tenantId, id, aliases, kind);
}

const addAliases = (tenantId: string, id: string, aliases: readonly string[], kind = 'user') =>
  product.superuser.query(
    'insert into models.entity_alias (tenant_id, kind, alias, id) select $1, $2, alias, $3 from unnest($4::text[]) as alias',
    [tenantId, kind, id, aliases],
  );

/** A tenant with these events, oldest first, and its reader. Each event's externalEventId is its position. */
async function createLog(events: readonly Partial<AuditLogEvent>[]) {
  const tenantId = await product.createTenant();
  await writeEvents(tenantId, events);
  const reader = product.reader(tenantId, ['logs:read']);
  const find = async (parameters: Record<string, string>) => {
    const page = await reader.get('/logs', { sort: 'discoveredAtAsc', ...parameters });
    expect(page.status, page.text).toBe(200);
    return page.body.data.map(({ externalEventId }: AuditLogEvent) => Number(externalEventId)) as number[];
  };
  return { tenantId, reader, find };
}

const writeEvents = (tenantId: string, events: readonly Partial<AuditLogEvent>[]) =>
  log.write(
    tenantId,
    events.map((event, number) => ({
      ...event,
      externalEventId: String(number),
      discoveredAt: new Date(product.throughMs() - 100_000 + number).toISOString(),
    })),
  );

const puid = '10032001abcdef01';
const objectId = '7b4c2f0e-6d2a-4c55-9b0e-2f3a1c9d8e11';
const upn = 'ada@contoso.example';
const ada = { id: objectId, aliases: [upn, puid, '00uoktaada', 's-1-12-1-1-2-3-4', '117'] };

test('every id and alias of a user finds all events of the user, in any case', async () => {
  const { tenantId, find } = await createLog([
    { actorId: objectId },
    { actorId: puid },
    { actorId: upn },
    { actorId: '00uOktaAda' },
    { actorId: '117' },
    { actorId: 'a PUID of before', actorUserId: objectId },
    { actorId: 'bob@contoso.example', actorUserId: 'bob' },
    { actorId: null },
  ]);
  await addPerson(tenantId, ada);
  await addPerson(tenantId, { id: 'bob', aliases: ['bob@contoso.example'] });
  for (const name of [objectId, ...ada.aliases])
    for (const user of [name, name.toUpperCase()]) expect(await find({ user }), user).toEqual([0, 1, 2, 3, 4, 5]);
  expect(await find({ user: 'Bob' })).toEqual([6]);
  expect(await find({ user: `bob,${upn}` })).toEqual([0, 1, 2, 3, 4, 5, 6]);
  expect(await find({ user: upn, actorId: puid })).toEqual([1]);
});

test('a value of no user finds the events that name it', async () => {
  const { find } = await createLog([{ actorId: 'NT AUTHORITY\\SYSTEM' }, { actorId: 'JÉRÔME@contoso.example' }]);
  expect(await find({ user: 'nt authority\\system' })).toEqual([0]);
  expect(await find({ user: 'JÉRÔME@contoso.example' })).toEqual([1]);
  expect(await find({ user: 'another' })).toEqual([]);
});

test('an id that no directory reports finds all events of the user that rows with it were of', async () => {
  const oktaId = '00uOktaAda';
  const { tenantId, find } = await createLog([
    ...Array.from({ length: 30 }, () => ({ actorId: puid.toUpperCase() })),
    { actorId: puid, actorUserId: objectId },
    { actorId: upn },
    { actorId: oktaId, actorUserId: objectId },
    { actorId: 'bob' },
    { actorId: 'unknown', actorUserId: 'not in the directory' },
  ]);
  await addPerson(tenantId, { id: objectId, aliases: [upn] });
  await addPerson(tenantId, { id: 'bob' });
  expect(await find({ user: oktaId })).toEqual([30, 31, 32]);
  expect(await find({ user: `${puid},unknown,nobody` })).toEqual([
    ...Array.from({ length: 33 }, (_, number) => number),
    34,
  ]);
  expect(await find({ user: 'nobody' })).toEqual([]);
});

test('the accounts of one address at Microsoft and at Google are one user', async () => {
  const { tenantId, find } = await createLog([
    { actorId: objectId },
    { actorId: '117', actorUserId: 'google:117' },
    { actorId: 'eve' },
    { actorId: '118', actorUserId: 'google:118' },
  ]);
  await addPerson(tenantId, { id: objectId, aliases: [upn] });
  await addPerson(tenantId, { id: 'google:117', aliases: [upn, '117'] });
  await addPerson(tenantId, { id: 'eve', aliases: ['eve@contoso.example'] });
  await addPerson(tenantId, { id: 'google:118', aliases: ['eve@contoso.example'], isDeleted: true });
  for (const user of [objectId, '117', 'google:117', upn]) expect(await find({ user }), user).toEqual([0, 1]);
  expect(await find({ user: 'eve' })).toEqual([2]);
});

test('agents and apps are found like users', async () => {
  const { tenantId, find } = await createLog([{ actorId: 'client' }, { actorId: 'sp', actorUserId: 'sp' }]);
  await addPerson(tenantId, { kind: 'app', id: 'sp', aliases: ['client'] });
  expect(await find({ user: 'Client' })).toEqual([0, 1]);
});

test('a reassigned name belongs to the existing user, and a name of two existing users to both', async () => {
  const { tenantId, find } = await createLog([{ actorId: 'old' }, { actorId: 'new' }, { actorId: 'other' }]);
  await addPerson(tenantId, { id: 'old', aliases: ['desk@contoso.example'], isDeleted: true });
  await addPerson(tenantId, { id: 'new', aliases: ['desk@contoso.example'] });
  expect(await find({ user: 'desk@contoso.example' })).toEqual([1]);
  expect(await find({ user: 'old' })).toEqual([0]);
  await addPerson(tenantId, { id: 'other', aliases: ['desk@contoso.example'] });
  expect(await find({ user: 'desk@contoso.example' })).toEqual([1, 2]);
});

test('all pages have the names of the first page; a new request has those of its own time', async () => {
  const { tenantId, reader, find } = await createLog([
    { actorId: upn },
    { actorId: '00u1' },
    { actorId: upn },
    { actorId: '00u1' },
  ]);
  await addPerson(tenantId, { id: 'ada', aliases: [upn] });
  const first = await reader.get('/logs', { user: 'ada', limit: '1', sort: 'discoveredAtAsc' });
  await addAliases(tenantId, 'ada', ['00u1']);
  const second = await reader.get('/logs', { cursor: first.body.pagination.nextCursor });
  const found = [...first.body.data, ...second.body.data].map(({ externalEventId }) => externalEventId);
  expect(found).toEqual(['0', '2']);
  expect(second.body.pagination.hasMore).toBe(false);
  await writeEvents(tenantId, [...Array.from({ length: 4 }, () => ({})), { actorId: '00u1' }, { actorId: upn }]);
  const resumed = await reader.get('/logs', { cursor: second.body.pagination.resumeCursor });
  expect(resumed.body.data).toEqual([]);
  expect(await find({ user: 'ada' })).toEqual(expect.arrayContaining([0, 1, 2, 3, 4, 5]));
});

test('a cursor does not show the aliases to a key that cannot read users', async () => {
  const { tenantId, reader } = await createLog([{ actorId: objectId }, { actorId: objectId }]);
  await addPerson(tenantId, ada);
  const { body } = await reader.get('/logs', { user: objectId, limit: '1' });
  const bytes = Buffer.from(body.pagination.nextCursor, 'base64url').toString('latin1');
  expect(bytes).not.toContain(puid);
});

test('another tenant with the same names has no influence', async () => {
  const { find } = await createLog([{ actorId: upn }, { actorId: puid }]);
  await addPerson(await product.createTenant(), ada);
  expect(await find({ user: upn })).toEqual([0]);
});

test.each([
  "'",
  "' or 1=1 --",
  '\\',
  "\\'; drop table models.audit_log; --",
  '%',
  '_',
  '$1',
  '{}',
  '"',
  'ﬃ',
  '\u0130',
  '𝒜',
])('the value %s is compared as text', async (user) => {
  const { tenantId, find } = await createLog([{ actorId: user }, { actorId: 'x' }, { actorUserId: 'person' }]);
  expect(await find({ user })).toEqual([0]);
  await addPerson(tenantId, { id: 'person', aliases: [user.toLowerCase()] });
  expect(await find({ user })).toEqual([0, 2]);
});

test('fifty users with few aliases are found together, and too many aliases are refused', async () => {
  const ids = Array.from({ length: 50 }, (_, number) => `person-${number}`);
  const { tenantId, reader, find } = await createLog(ids.map((actorUserId) => ({ actorUserId })));
  for (const id of ids)
    await addPerson(tenantId, { id, aliases: Array.from({ length: 10 }, (_, n) => `${id}-${n}@contoso.example`) });
  const user = ids.map((id) => `${id}-3@contoso.example`).join();
  expect(await find({ user })).toHaveLength(50);
  const first = await reader.get('/logs', { user, limit: '10' });
  expect((await reader.get('/logs', { cursor: first.body.pagination.nextCursor })).body.data).toHaveLength(10);
  await addAliases(
    tenantId,
    'person-0',
    Array.from({ length: 500 }, (_, n) => `alias-${n}@contoso.example`),
  );
  const refused = await reader.get('/logs', { user });
  expect(refused).toMatchObject({ status: 400, code: 'INVALID_PARAMETER' });
  expect(refused.body.error.details).toEqual([expect.objectContaining({ parameter: 'user' })]);
  expect(await find({ user: 'person-0' })).toEqual([0]);
});
