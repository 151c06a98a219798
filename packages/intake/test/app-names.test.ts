import { formatLogRow } from '@tenantscope/intake';
import { expect, test } from 'vitest';
import { management, read } from './message.ts';

const clientId = 'c3f5d7a9-1b2e-4f60-9c84-7d6e5a4b3c21';
const findApp = (_: string, requestedIds: string) =>
  requestedIds === clientId ? { id: 'app-1', name: 'Payroll\u202e' } : undefined;

function rowOf(payload: Record<string, unknown>, knows: boolean) {
  const [outcome] = read('o365.management-activity', payload, knows ? { findApp } : {});
  if (outcome?.kind !== 'log') throw new Error(JSON.stringify(outcome));
  return { row: outcome.row, document: JSON.parse(formatLogRow(outcome.row)) as Record<string, unknown> };
}

test("a row has the id and the name of its application where the tenant's apps contain them", () => {
  const record = management({ ApplicationId: clientId.toUpperCase() });
  const named = rowOf(record, true);
  expect(named.document).toMatchObject({
    applicationId: 'app-1',
    applicationClientId: clientId,
    applicationDisplayName: 'Payroll\\u{202E}',
  });
  expect(named.row.columns.applicationId).toBe('app-1');
  const alone = rowOf(record, false);
  expect(alone.document).toMatchObject({ applicationId: null, applicationDisplayName: null });
  expect(alone.row.id).toBe(named.row.id);
});

test('a name in the record takes precedence', () => {
  const record = management({ ApplicationId: clientId, ApplicationDisplayName: 'As sent' });
  expect(rowOf(record, true).document).toMatchObject({ applicationId: 'app-1', applicationDisplayName: 'As sent' });
});

test('the target of a sign-in gets its name by its client id', () => {
  const signIn = management({
    RecordType: 15,
    Operation: 'UserLoggedIn',
    Workload: 'AzureActiveDirectory',
    ObjectId: clientId,
  });
  expect(rowOf(signIn, false).document).toMatchObject({ resourceId: clientId, resourceName: null });
  expect(rowOf(signIn, true).document).toMatchObject({ resourceId: clientId, resourceName: 'Payroll\\u{202E}' });
});

const graph = '00000003-0000-0000-c000-000000000000';
const portal = 'c44b4083-3bb0-49c1-b47d-974e53cbdf3c';

test.each([
  ['absent', {}],
  ['empty', { appDisplayName: '', resourceDisplayName: null }],
  ['a repetition of the id', { appDisplayName: portal.toUpperCase(), resourceDisplayName: graph }],
])('an application of Microsoft whose name is %s has its published name', (_what, names) => {
  const signIn = { id: '1', createdDateTime: '2026-11-20T08:00:00Z', userId: 'u', appId: portal, resourceId: graph };
  const [outcome] = read('entra.signin.graph', { ...signIn, ...names });
  if (outcome?.kind !== 'log') throw new Error(JSON.stringify(outcome));
  expect(JSON.parse(formatLogRow(outcome.row))).toMatchObject({
    applicationClientId: portal,
    applicationDisplayName: 'Azure Portal',
    resourceId: graph,
    resourceName: 'Microsoft Graph',
  });
});

test("a name in the record or of the tenant's own app is taken before a published one", () => {
  const record = management({ ApplicationId: portal, ApplicationDisplayName: 'Portal' });
  expect(rowOf(record, false).document).toMatchObject({ applicationDisplayName: 'Portal' });
  const findOwn = () => ({ id: 'app-2', name: 'Our portal' });
  const [outcome] = read('o365.management-activity', management({ ApplicationId: portal }), { findApp: findOwn });
  expect(outcome?.kind === 'log' && JSON.parse(formatLogRow(outcome.row))).toMatchObject({
    applicationDisplayName: 'Our portal',
  });
});

test('an unlisted application has no name', () => {
  const record = management({ ApplicationId: 'a0000000-0000-4000-8000-000000000001' });
  expect(rowOf(record, false).document).toMatchObject({ applicationDisplayName: null });
});
