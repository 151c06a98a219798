import { expect, test } from 'vitest';
import * as happened from '../compliance/happened.ts';
import * as said from '../compliance/said.ts';
import { strangeTenant } from '../compliance/told.ts';
import { readSection } from './read.ts';
import { withdrawn } from './say.ts';
import { ms, toldMonth, toMs } from './told-month.ts';

const { at, dayMs, hourMs } = said;
const { told, window, fromMs, sectionOf } = await toldMonth();
const iban = [{ id: 'iban', name: 'IBAN' }];

test('a restriction: who declared it, what it exposes, and who read what carries it since', async () => {
  const rows = await sectionOf('data_restrictions', [
    said.user('anna', { displayName: 'Anna' }),
    said.user('bert', { displayName: 'Bert' }),
    said.guest('gus', { displayName: 'Gus' }),
    said.agent('sales', { displayName: 'Sales helper' }),
    said.sensitiveInfoType('iban', {
      name: 'IBAN',
      fileCount: 90,
      exposedUserCount: 12,
      externalUserCount: 2,
      aiAppCount: 1,
      agentCount: 3,
      siteCount: 4,
      protectedFileCount: 30,
    }),
    said.file('payroll', { sensitiveInfoTypes: iban, isProtected: true }),
    said.file('invoices', { sensitiveInfoTypes: iban, webUrl: 'https://contoso.example/invoices.xlsx' }),
    said.file('ledger', { sensitiveInfoTypes: iban }),
    said.file('menu'),
    said.restriction('r1', 'iban', 'noAiAccess', ms, {
      dataType: { id: 'iban', name: 'Bank accounts' },
      declaredBy: { id: 'chief', name: 'The Chief' },
      reason: 'Law',
      exposure: { files: 1, computedAt: at(ms) },
    }),
    happened.fileEvent('FileAccessed', 'payroll', 'anna', ms - hourMs),
    happened.fileEvent('FileAccessed', 'payroll', 'anna', ms + hourMs),
    happened.fileEvent('FileDownloaded', 'ledger', 'anna', ms + 2 * hourMs),
    happened.fileEvent('FilePreviewed', 'x', 'bert', ms + hourMs, {
      ListItemUniqueId: undefined,
      ObjectId: 'https://contoso.example/INVOICES.xlsx',
    }),
    happened.fileEvent('FileAccessed', 'payroll', 'gus', ms + 3 * hourMs, { UserId: 'gus@contoso.example' }),
    happened.fileEvent('FileModified', 'payroll', 'bert', ms + hourMs),
    happened.fileEvent('FileAccessed', 'menu', 'bert', ms + hourMs),
    happened.fileEvent('FileAccessed', 'payroll', 'bert', toMs + 1000),
    happened.interaction('anna', ms + 4 * hourMs, {
      agentId: 'sales',
      resources: [{ Id: 'payroll' }, { Id: 'payroll' }, { Id: 'menu' }],
    }),
  ]);
  expect(rows).toEqual([
    {
      restrictionId: 'r1',
      dataType: { id: 'iban', name: 'Bank accounts' },
      level: 'noAiAccess',
      declaredBy: { id: 'chief', name: 'The Chief' },
      declaredAt: at(ms),
      reason: 'Law',
      exposure: { files: 90, users: 12, externalUsers: 2, apps: 1, agents: 3, sites: 4, computedAt: at(toMs) },
      labelCoveredPct: 33.3,
      readsSinceDeclaration: { total: 5, users: 2, externalUsers: 1, aiIdentities: 1, lastReadAt: at(ms + 4 * hourMs) },
      topReaders: [
        { id: 'anna', name: 'Anna', type: 'user', reads: 2, lastReadAt: at(ms + 2 * hourMs) },
        { id: 'bert', name: 'Bert', type: 'user', reads: 1, lastReadAt: at(ms + hourMs) },
        { id: 'gus', name: 'Gus', type: expect.any(String), reads: 1, lastReadAt: at(ms + 3 * hourMs) },
        { id: 'sales', name: 'Sales helper', type: 'agent', reads: 1, lastReadAt: at(ms + 4 * hourMs) },
      ],
    },
  ]);
});

test('a restriction of which little is known says so', async () => {
  const [row] = await sectionOf('data_restrictions', [said.restriction('r1', 'iban', 'monitored', ms)]);
  expect(row).toMatchObject({
    dataType: { id: 'iban', name: null },
    declaredBy: { id: null, name: null },
    reason: null,
    exposure: {
      files: null,
      users: null,
      externalUsers: null,
      apps: null,
      agents: null,
      sites: null,
      computedAt: null,
    },
    labelCoveredPct: null,
    readsSinceDeclaration: { total: null, users: null, externalUsers: null, aiIdentities: null, lastReadAt: null },
    topReaders: [],
  });
});

test('at most twenty readers are named, those who read most first', async () => {
  const readers = Array.from({ length: 22 }, (_, index) => `reader${String(index).padStart(2, '0')}`);
  const [row] = await sectionOf('data_restrictions', [
    said.file('payroll', { sensitiveInfoTypes: iban }),
    said.restriction('r1', 'iban', 'noAccess', ms),
    ...readers.map((who) => happened.fileEvent('FileAccessed', 'payroll', who, ms + hourMs)),
    happened.fileEvent('FileAccessed', 'payroll', 'reader21', ms + 2 * hourMs),
  ]);
  const top = row?.topReaders as readonly { id: string; reads: number }[];
  expect(top).toHaveLength(20);
  expect(top.slice(0, 2).map(({ id, reads }) => [id, reads])).toEqual([
    ['reader21@contoso.example', 2],
    ['reader00@contoso.example', 1],
  ]);
  expect(row?.readsSinceDeclaration).toMatchObject({ total: 23, users: 22 });
});

test('what was in force at some time in the window is there, what ended before it or began after it is not', async () => {
  const rows = await sectionOf('data_restrictions', [
    said.restriction('long-since', 't1', 'noAccess', fromMs - 90 * dayMs),
    said.restriction('lifted-before', 't2', 'noAccess', fromMs - 90 * dayMs),
    said.restrictionEvent('e1', 'lifted-before', { event: 'lift', occurredAt: at(fromMs - 1), fromLevel: 'noAccess' }),
    said.restriction('lifted-at-its-start', 't3', 'noAccess', fromMs - 90 * dayMs),
    said.restrictionEvent('e2', 'lifted-at-its-start', {
      event: 'lift',
      occurredAt: at(fromMs),
      fromLevel: 'noAccess',
    }),
    said.restriction('lifted-and-declared-again', 't4', 'noAccess', fromMs - 90 * dayMs),
    said.restrictionEvent('e3', 'lifted-and-declared-again', { event: 'lift', occurredAt: at(fromMs - 2 * dayMs) }),
    said.restrictionEvent('e4', 'lifted-and-declared-again', {
      event: 'declare',
      occurredAt: at(fromMs - dayMs),
      toLevel: 'monitored',
    }),
    said.restriction('at-its-end', 't5', 'noAccess', toMs),
    said.restriction('after-it', 't6', 'noAccess', toMs + 1),
    said.restriction('changed-since', 't7', 'noAccess', fromMs - dayMs),
    said.restrictionEvent('e5', 'changed-since', {
      event: 'modify',
      occurredAt: at(ms),
      fromLevel: 'monitored',
      toLevel: 'noAiAccess',
    }),
    said.restrictionEvent('e6', 'changed-since', {
      event: 'modify',
      occurredAt: at(toMs + 1),
      fromLevel: 'noAiAccess',
      toLevel: 'noAccess',
    }),
  ]);
  expect(rows.map(({ restrictionId, level }) => [restrictionId, level]).sort()).toEqual([
    ['at-its-end', 'noAccess'],
    ['changed-since', 'noAiAccess'],
    ['lifted-and-declared-again', 'monitored'],
    ['lifted-at-its-start', 'noAccess'],
    ['long-since', 'noAccess'],
  ]);
});

test('a restriction that was deleted in the window stood in it, and one deleted before did not', async () => {
  const tenantId = strangeTenant();
  await told.tell(tenantId, fromMs - 2 * dayMs, [
    said.restriction('before', 't1', 'noAccess', fromMs - 9 * dayMs),
    said.restriction('within', 't2', 'noAccess', fromMs - 9 * dayMs),
  ]);
  await told.tell(tenantId, fromMs - dayMs, [withdrawn('restriction', 'before')]);
  await told.tell(tenantId, fromMs + dayMs, [withdrawn('restriction', 'within')]);
  const { rows } = await readSection(told, tenantId, 'data_restrictions', window);
  expect(rows.map(({ restrictionId }) => restrictionId)).toEqual(['within']);
});

test('history: each event with the exposure stored with it, whatever is counted now', async () => {
  const rows = await sectionOf('restriction_history', [
    said.sensitiveInfoType('iban', { name: 'IBAN', fileCount: 900 }),
    said.restriction('r1', 'iban', 'noAccess', ms),
    said.restrictionEvent('e1', 'r1', {
      event: 'declare',
      occurredAt: at(ms),
      dataType: { id: 'iban', name: 'Bank accounts' },
      actor: { id: 'chief', name: 'The Chief' },
      toLevel: 'monitored',
      reason: 'Law',
      exposureAtEvent: { files: 5, users: 4, externalUsers: 3, apps: 2, agents: 1, labelCoveredPct: 12.5 },
    }),
    said.restrictionEvent('e2', 'r1', {
      event: 'lift',
      occurredAt: at(ms + dayMs),
      fromLevel: 'monitored',
      exposureAtEvent: null,
    }),
    said.restrictionEvent('e3', 'unknown', { event: 'modify', occurredAt: at(ms + 2 * dayMs) }),
    said.restrictionEvent('e4', 'r1', { event: 'modify', occurredAt: at(ms + 2 * dayMs) }),
    withdrawn('restrictionEvent', 'e4'),
    withdrawn('restriction', 'r1'),
  ]);
  const nothing = { files: null, users: null, externalUsers: null, apps: null, agents: null, labelCoveredPct: null };
  expect(rows).toEqual([
    {
      eventId: 'e1',
      restrictionId: 'r1',
      dataType: { id: 'iban', name: 'Bank accounts' },
      event: 'declare',
      occurredAt: at(ms),
      actor: { id: 'chief', name: 'The Chief' },
      fromLevel: null,
      toLevel: 'monitored',
      reason: 'Law',
      exposureAtEvent: { files: 5, users: 4, externalUsers: 3, apps: 2, agents: 1, labelCoveredPct: 12.5 },
    },
    {
      eventId: 'e2',
      restrictionId: 'r1',
      dataType: { id: 'iban', name: 'IBAN' },
      event: 'lift',
      occurredAt: at(ms + dayMs),
      actor: { id: null, name: null },
      fromLevel: 'monitored',
      toLevel: null,
      reason: null,
      exposureAtEvent: nothing,
    },
    {
      eventId: 'e3',
      restrictionId: 'unknown',
      dataType: { id: null, name: null },
      event: 'modify',
      occurredAt: at(ms + 2 * dayMs),
      actor: { id: null, name: null },
      fromLevel: null,
      toLevel: null,
      reason: null,
      exposureAtEvent: nothing,
    },
  ]);
});
