import { expect, test } from 'vitest';
import { huntingRecord } from './hunting-record.ts';
import { azureTenantId, management, readDocument } from './message.ts';

const zeros = '00000000-0000-0000-0000-000000000000';
const createdDateTime = '2026-11-20T08:15:30Z';
const frame = { time: createdDateTime, operationName: 'Sign-in activity', tenantId: azureTenantId };
const signIn = { id: 's-1', createdDateTime, userId: zeros, ipAddress: '203.0.113.7', status: { errorCode: 50034 } };

test('accounts that Entra does not find are distinguished by their names, since each has the id of zeros', () => {
  const guess = { ...signIn, userPrincipalName: 'admin@contoso.example', deviceDetail: { deviceId: zeros } };
  const expected = {
    outcome: 'failure',
    actorId: null,
    actorName: 'admin@contoso.example',
    actorType: 'user',
    deviceId: null,
  };
  expect(readDocument('entra.signin.graph', guess)).toMatchObject(expected);
  expect(
    readDocument('entra.signin.azuremonitor', { ...frame, category: 'SignInLogs', properties: guess }),
  ).toMatchObject(expected);
});

test('a service principal whose sign-in has a user id of zeros is the actor', () => {
  const properties = { ...signIn, userPrincipalName: '', servicePrincipalId: 'sp-1', servicePrincipalName: 'Robot' };
  expect(
    readDocument('entra.signin.azuremonitor', { ...frame, category: 'ServicePrincipalSignInLogs', properties }),
  ).toMatchObject({ actorId: 'sp-1', actorName: 'Robot', actorType: 'servicePrincipal' });
  expect(
    readDocument('graph.activity.azuremonitor', {
      ...frame,
      category: 'MicrosoftGraphActivityLogs',
      properties: { userId: zeros, servicePrincipalId: 'sp-1', requestUri: 'https://graph.microsoft.com/v1.0/users' },
    }),
  ).toMatchObject({ actorId: 'sp-1', actorType: 'servicePrincipal' });
});

test('an audit by an application whose user has an id of zeros is by the application', () => {
  const initiatedBy = { user: { id: zeros }, app: { appId: zeros, servicePrincipalId: 'sp-1', displayName: 'Robot' } };
  expect(
    readDocument('entra.audit.graph', {
      id: 'a-1',
      activityDateTime: createdDateTime,
      activityDisplayName: 'Update user',
      initiatedBy,
    }),
  ).toMatchObject({ actorId: 'sp-1', actorName: 'Robot', actorType: 'servicePrincipal' });
});

test('a risk without a user id is of the user whom it names', () => {
  const risk = { id: 'r-1', detectedDateTime: createdDateTime, riskLevel: 'high', servicePrincipalId: null };
  expect(
    readDocument('entra.risk.graph', { ...risk, userId: zeros, userPrincipalName: 'ada@contoso.example' }),
  ).toMatchObject({ actorId: null, actorName: 'ada@contoso.example', sourceName: 'UserRiskEvents' });
});

test('an account and a device of a Defender table with ids of zeros have their other ids', () => {
  const account = { AccountObjectId: zeros, AccountSid: 'S-1-5-21-1-500', AccountName: 'administrator' };
  expect(
    readDocument(
      'm365d.advanced-hunting',
      huntingRecord('DeviceLogonEvents', { ...account, ActionType: 'LogonFailed' }),
    ),
  ).toMatchObject({ actorId: 'S-1-5-21-1-500', actorName: 'administrator' });
  const columns = { AccountObjectId: zeros, AccountUpn: 'ada@contoso.example', AadDeviceId: zeros, ErrorCode: 50034 };
  expect(readDocument('m365d.advanced-hunting', huntingRecord('AADSignInEventsBeta', columns))).toMatchObject({
    actorId: 'ada@contoso.example',
    deviceId: null,
  });
});

test('an id of zeros of a device of the unified audit log is not its id', () => {
  const DeviceProperties = [{ Name: 'Id', Value: zeros }];
  expect(readDocument('o365.management-activity', management({ DeviceProperties, DeviceId: 'd-1' }))).toMatchObject({
    deviceId: 'd-1',
  });
});
