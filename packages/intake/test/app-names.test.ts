import { expect, test } from 'vitest';
import { management, read } from './message.ts';

const clientId = 'c3f5d7a9-1b2e-4f60-9c84-7d6e5a4b3c21';
const findApp = (_: string, requestedIds: string) =>
  requestedIds === clientId ? { id: 'app-1', name: 'Payroll\u202e' } : undefined;

function rowOf(payload: Record<string, unknown>, knows: boolean) {
  const [outcome] = read('o365.management-activity', payload, knows ? { findApp } : {});
  if (outcome?.kind !== 'log') throw new Error(JSON.stringify(outcome));
  return { row: outcome.row, document: JSON.parse(outcome.row.document) as Record<string, unknown> };
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
