import { expect, test } from 'vitest';
import * as events from '../compliance/events.ts';
import { newTenantId } from '../compliance/fact-database.ts';
import * as input from '../compliance/input-records.ts';
import { deletedEvidence } from './evidence-records.ts';
import { readSection } from './read-section.ts';
import { ms, openSectionFixture, toMs } from './section-fixture.ts';

const { at, dayMs, hourMs } = input;
const { facts, window, fromMs, readRows: sectionOf } = await openSectionFixture();
const iban = [{ id: 'iban', name: 'IBAN' }];

test('the restrictions section shows declarer, exposure and later readers of the data', async () => {
  const rows = await sectionOf('data_restrictions', [
    input.user('anna', { displayName: 'Anna' }),
    input.user('bert', { displayName: 'Bert' }),
    input.guest('gus', { displayName: 'Gus' }),
    input.agent('sales', { displayName: 'Sales helper' }),
    input.sensitiveInfoType('iban', {
      name: 'IBAN',
      fileCount: 90,
      exposedUserCount: 12,
      externalUserCount: 2,
      aiAppCount: 1,
      agentCount: 3,
      siteCount: 4,
      protectedFileCount: 30,
    }),
    input.file('payroll', { sensitiveInfoTypes: iban, isProtected: true }),
    input.file('invoices', { sensitiveInfoTypes: iban, webUrl: 'https://contoso.example/invoices.xlsx' }),
    input.file('ledger', { sensitiveInfoTypes: iban }),
    input.file('menu'),
    input.restriction('r1', 'iban', 'noAiAccess', ms, {
      dataType: { id: 'iban', name: 'Bank accounts' },
      declaredBy: { id: 'chief', name: 'The Chief' },
      reason: 'Law',
      exemptIds: ['auditor@contoso.example'],
      exposure: { files: 1, computedAt: at(ms) },
    }),
    events.fileEvent('FileAccessed', 'payroll', 'anna', ms - hourMs),
    events.fileEvent('FileAccessed', 'payroll', 'anna', ms + hourMs),
    events.fileEvent('FileDownloaded', 'ledger', 'anna', ms + 2 * hourMs),
    events.fileEvent('FilePreviewed', 'x', 'bert', ms + hourMs, {
      ListItemUniqueId: undefined,
      ObjectId: 'https://contoso.example/INVOICES.xlsx',
    }),
    events.fileEvent('FileAccessed', 'payroll', 'gus', ms + 3 * hourMs, { UserId: 'gus@contoso.example' }),
    events.fileEvent('FileModified', 'payroll', 'bert', ms + hourMs),
    events.fileEvent('FileAccessed', 'menu', 'bert', ms + hourMs),
    events.fileEvent('FileAccessed', 'payroll', 'bert', toMs + 1000),
    events.interaction('anna', ms + 4 * hourMs, {
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
      exemptIds: ['auditor@contoso.example'],
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

test('a restriction with little data has null fields', async () => {
  const [row] = await sectionOf('data_restrictions', [input.restriction('r1', 'iban', 'monitored', ms)]);
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

test('files and restrictions spell the id of a type in any case', async () => {
  const records = [
    input.file('payroll', { sensitiveInfoTypes: [{ id: 'IBAN', name: 'IBAN' }], isProtected: true }),
    input.file('ledger', { sensitiveInfoTypes: iban, isProtected: false }),
    input.agent('sales', { sensitiveInfoTypes: [{ id: 'Iban', name: 'IBAN' }], fileReachCount: 2 }),
    input.restriction('r1', 'iban', 'noAiAccess', ms),
    input.restriction('r2', 'IBAN', 'noAccess', ms + 1),
    events.fileEvent('FileAccessed', 'payroll', 'anna', ms + hourMs),
  ];
  expect(await sectionOf('data_restrictions', records)).toMatchObject(
    ['iban', 'IBAN'].map((id) => ({
      dataType: { id },
      exposure: { files: 2 },
      labelCoveredPct: 50,
      readsSinceDeclaration: { total: 1 },
    })),
  );
  const restricted = [
    { id: 'IBAN', level: 'noAccess' },
    { id: 'iban', level: 'noAiAccess' },
  ];
  const [system] = await sectionOf('fria_systems', records);
  expect(system?.reach).toMatchObject({ restrictedTypes: restricted });
  const [reach] = await sectionOf('ai_app_reach', records);
  expect(reach?.restrictedTypes).toEqual(restricted);
  const summary = await sectionOf('fria_summary', records);
  expect(summary.find(({ key }) => key === 'restrictions_by_level')?.answer).toEqual({
    monitored: 0,
    noAiAccess: 0,
    noAccess: 1,
  });
});

test('a restriction that was deleted after the period was in force in it, in every section', async () => {
  const tenantId = newTenantId();
  await facts.ingest(tenantId, ms, [
    input.agent('sales', { sensitiveInfoTypes: iban, fileReachCount: 2 }),
    input.restriction('r1', 'iban', 'noAccess', ms),
  ]);
  await facts.ingest(tenantId, toMs + dayMs, [input.deletedRestriction('r1')]);
  const readRow = async (key: string) => (await readSection(facts, tenantId, key, window)).rows[0];
  const restricted = [{ id: 'iban', level: 'noAccess' }];
  expect(await readRow('data_restrictions')).toMatchObject({ restrictionId: 'r1', level: 'noAccess' });
  expect((await readRow('fria_systems'))?.reach).toMatchObject({ restrictedTypes: restricted });
  expect(await readRow('ai_app_reach')).toMatchObject({ restrictedTypes: restricted });
});

test('reach counts files, sites and interactions of an app by any of its names', async () => {
  const ownId = '3f8a1c52-7e4b-4d19-9c06-1b2a3c4d5e6f';
  const files = ['5d9a6c9e', '5D9A6C9E', 'contoso.example,5d9a6c9e,web', 'other'].map((siteId, index) =>
    input.file(`file${index}`, {
      siteId,
      sensitiveInfoTypes: iban,
      aiReach: [{ type: 'app', id: ['crm', 'CRM', 'Client-1', 'client-1'][index] }],
    }),
  );
  const rows = await sectionOf('ai_app_reach', [
    input.app('crm', { appId: 'client-1', isAiApp: true }),
    input.app(ownId, { isAiApp: true }),
    input.site('contoso.example,5d9a6c9e,web', { aliases: { siteCollectionId: '5d9a6c9e' } }),
    ...files,
    events.interaction('anna', ms, { clientId: ownId.toUpperCase(), resources: [{ Id: 'file0' }] }),
  ]);
  expect(rows).toMatchObject([
    { subjectId: 'crm', files: 4, sites: 2 },
    { subjectId: ownId, observedFiles: 1 },
  ]);
});

test('reach counts files as sensitive and labeled that the rules count so', async () => {
  const aiReach = [{ type: 'app', id: 'crm' }];
  const [row] = await sectionOf('ai_app_reach', [
    input.app('crm', { isAiApp: true }),
    input.file('counted', { aiReach, sensitiveInfoTypeCount: 2, sensitivityLabelName: 'Secret' }),
    input.file('listed', { aiReach, sensitiveInfoTypes: iban }),
    input.file('neither', { aiReach, sensitiveInfoTypes: [], sensitivityLabelId: 'l1' }),
  ]);
  expect(row).toMatchObject({ files: 3, sensitiveFiles: 2, labeledFiles: 2 });
});

test('the AI identities among readers are agents, AI apps and unclassified programs, each once', async () => {
  const id = (last: number) => `3f8a1c52-7e4b-4d19-9c06-00000000000${last}`;
  const readBy = (program: string, hours: number) =>
    events.fileEvent('FileAccessed', 'payroll', 'any', ms + hours * hourMs, { UserType: 5, UserId: program });
  const [row] = await sectionOf('data_restrictions', [
    input.file('payroll', { sensitiveInfoTypes: iban }),
    input.sensitiveInfoType('IBAN', { fileCount: 7 }),
    input.restriction('r1', 'iban', 'noAccess', ms),
    input.app(id(1), { appId: id(2), isAiApp: false, displayName: 'Backup' }),
    input.app(id(3), { appId: id(4), isAiApp: true, displayName: 'Assistant' }),
    input.agent('sales', { appId: id(5) }),
    ...[1, 2, 3, 4, 5, 6].map((last) => readBy(id(last), last)),
  ]);
  expect(row?.readsSinceDeclaration).toMatchObject({ total: 6, users: 0, aiIdentities: 3 });
  const readers = row?.topReaders as readonly { id: string; name: string | null; reads: number }[];
  expect(readers.map(({ id: of, name, reads }) => [of, name, reads])).toEqual([
    [id(1), 'Backup', 2],
    [id(3), 'Assistant', 2],
    [id(6), null, 1],
    ['sales', 'Agent sales', 1],
  ]);
  expect(row).toMatchObject({ exposure: { files: 7 } });
});

test('at most twenty readers are listed, the most active first', async () => {
  const readers = Array.from({ length: 22 }, (_, index) => `reader${String(index).padStart(2, '0')}`);
  const [row] = await sectionOf('data_restrictions', [
    input.file('payroll', { sensitiveInfoTypes: iban }),
    input.restriction('r1', 'iban', 'noAccess', ms),
    ...readers.map((who) => events.fileEvent('FileAccessed', 'payroll', who, ms + hourMs)),
    events.fileEvent('FileAccessed', 'payroll', 'reader21', ms + 2 * hourMs),
  ]);
  const top = row?.topReaders as readonly { id: string; reads: number }[];
  expect(top).toHaveLength(20);
  expect(top.slice(0, 2).map(({ id, reads }) => [id, reads])).toEqual([
    ['reader21@contoso.example', 2],
    ['reader00@contoso.example', 1],
  ]);
  expect(row?.readsSinceDeclaration).toMatchObject({ total: 23, users: 22 });
});

test('a restriction in force at any time in the window is listed, and others are not', async () => {
  const rows = await sectionOf('data_restrictions', [
    input.restriction('long-since', 't1', 'noAccess', fromMs - 90 * dayMs),
    input.restriction('lifted-before', 't2', 'noAccess', fromMs - 90 * dayMs),
    input.restrictionEvent('e1', 'lifted-before', { event: 'lift', occurredAt: at(fromMs - 1), fromLevel: 'noAccess' }),
    input.restriction('lifted-at-its-start', 't3', 'noAccess', fromMs - 90 * dayMs),
    input.restrictionEvent('e2', 'lifted-at-its-start', {
      event: 'lift',
      occurredAt: at(fromMs),
      fromLevel: 'noAccess',
    }),
    input.restriction('lifted-and-declared-again', 't4', 'noAccess', fromMs - 90 * dayMs),
    input.restrictionEvent('e3', 'lifted-and-declared-again', { event: 'lift', occurredAt: at(fromMs - 2 * dayMs) }),
    input.restrictionEvent('e4', 'lifted-and-declared-again', {
      event: 'declare',
      occurredAt: at(fromMs - dayMs),
      toLevel: 'monitored',
    }),
    input.restriction('at-its-end', 't5', 'noAccess', toMs),
    input.restriction('after-it', 't6', 'noAccess', toMs + 1),
    input.restriction('changed-since', 't7', 'noAccess', fromMs - dayMs),
    input.restrictionEvent('e5', 'changed-since', {
      event: 'modify',
      occurredAt: at(ms),
      fromLevel: 'monitored',
      toLevel: 'noAiAccess',
    }),
    input.restrictionEvent('e6', 'changed-since', {
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

test('a restriction deleted in the window is listed, and one deleted before is not', async () => {
  const tenantId = newTenantId();
  await facts.ingest(tenantId, fromMs - 2 * dayMs, [
    input.restriction('before', 't1', 'noAccess', fromMs - 9 * dayMs),
    input.restriction('within', 't2', 'noAccess', fromMs - 9 * dayMs),
  ]);
  await facts.ingest(tenantId, fromMs - dayMs, [deletedEvidence('restriction', 'before')]);
  await facts.ingest(tenantId, fromMs + dayMs, [deletedEvidence('restriction', 'within')]);
  const { rows } = await readSection(facts, tenantId, 'data_restrictions', window);
  expect(rows.map(({ restrictionId }) => restrictionId)).toEqual(['within']);
});

test('the restriction history shows each event with the exposure stored at that time', async () => {
  const rows = await sectionOf('restriction_history', [
    input.sensitiveInfoType('iban', { name: 'IBAN', fileCount: 900 }),
    input.restriction('r1', 'iban', 'noAccess', ms),
    input.restrictionEvent('e1', 'r1', {
      event: 'declare',
      occurredAt: at(ms),
      dataType: { id: 'iban', name: 'Bank accounts' },
      actor: { id: 'chief', name: 'The Chief' },
      toLevel: 'monitored',
      reason: 'Law',
      exposureAtEvent: { files: 5, users: 4, externalUsers: 3, apps: 2, agents: 1, labelCoveredPct: 12.5 },
    }),
    input.restrictionEvent('e2', 'r1', {
      event: 'lift',
      occurredAt: at(ms + dayMs),
      fromLevel: 'monitored',
      exposureAtEvent: null,
    }),
    input.restrictionEvent('e3', 'unknown', { event: 'modify', occurredAt: at(ms + 2 * dayMs) }),
    input.restrictionEvent('e4', 'r1', { event: 'modify', occurredAt: at(ms + 2 * dayMs) }),
    deletedEvidence('restrictionEvent', 'e4'),
    deletedEvidence('restriction', 'r1'),
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
