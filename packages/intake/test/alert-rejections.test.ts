import { type AlertFormatName, wholeMessage } from '@tenantscope/intake';
import { describe, expect, test } from 'vitest';
import { alertEvent, googleAlert, graphAlert, listResults, readAlert } from './alert-message.ts';
import { tenantId } from './message.ts';

/** Those that are no alert as far as their members show: a later version may find alerts in them. */
const whole: ReadonlySet<string> = new Set(['no id', 'an empty page', 'a number']);

describe('an invalid alert message', () => {
  test.each<[string, AlertFormatName, unknown, string]>([
    ['no id', 'graph.security.alert', graphAlert({ id: undefined }), 'SCHEMA_VIOLATION'],
    ['an id with a slash', 'graph.security.alert', graphAlert({ id: 'a/b' }), 'SCHEMA_VIOLATION'],
    [
      'another tenant',
      'graph.security.alert',
      graphAlert({ tenantId: '99999999-0000-4000-8000-000000000000' }),
      'TENANT_MISMATCH',
    ],
    [
      'another organization',
      'o365.management-activity',
      alertEvent({ OrganizationId: '99999999-0000-4000-8000-000000000000' }),
      'TENANT_MISMATCH',
    ],
    [
      'no time',
      'graph.security.alert',
      graphAlert({ lastUpdateDateTime: null, createdDateTime: null }),
      'MISSING_TIMESTAMP',
    ],
    ['an unreadable update', 'graph.security.alert', graphAlert({ lastUpdateDateTime: 'later' }), 'INVALID_TIMESTAMP'],
    [
      'an update in the future',
      'google.alertcenter.alert',
      googleAlert({ updateTime: '2027-11-20T09:00:00Z' }),
      'FUTURE_TIMESTAMP',
    ],
    ['an empty page', 'graph.security.alert', { value: [] }, 'EMPTY_PAYLOAD'],
    ['a number', 'google.alertcenter.alert', 7, 'SCHEMA_VIOLATION'],
  ])('is rejected: %s', (what, format, payload, reason) => {
    expect(readAlert(format, payload)).toMatchObject([
      { kind: 'rejected', element: whole.has(what) ? wholeMessage : 0, reason, tenantId, format },
    ]);
  });

  test('a format of another topic is rejected', () => {
    const headers = { ce_type: 'tenantscope.raw.okta-system-log.v1', ce_tenantid: tenantId };
    expect(listResults(readAlert('graph.security.alert', graphAlert(), { headers }))).toEqual(['UNKNOWN_TYPE']);
  });

  test('a key of another record is rejected', () => {
    const alert = graphAlert();
    const endsWith = (key: string, format: AlertFormatName = 'graph.security.alert', payload: unknown = alert) =>
      listResults(readAlert(format, payload, { key: Buffer.from(key) }));
    expect(endsWith(`${tenantId}/alert/da637551_1`)).toEqual(['state']);
    expect(endsWith(`${tenantId.toUpperCase()}/alert/da637551%5F1`)).toEqual(['state']);
    expect(endsWith(`${tenantId}/alert/other`)).toEqual(['KEY_MISMATCH']);
    expect(endsWith(`${tenantId}/user/da637551_1`)).toEqual(['KEY_MISMATCH']);
    expect(endsWith(tenantId)).toEqual(['KEY_MISMATCH']);
    expect(endsWith('99999999-0000-4000-8000-000000000000/alert/da637551_1')).toEqual(['KEY_MISMATCH']);
    expect(endsWith(`${tenantId}/alert/7`, 'graph.security.incident', { id: '7', alerts: [alert] })).toEqual(['state']);
    expect(endsWith(`${tenantId}/alert/first`, 'graph.security.alert', [alert, graphAlert({ id: 'b' })])).toEqual([
      'state',
      'state',
    ]);
  });

  test('only the requested element of a replayed dead letter is read', () => {
    const payload = [graphAlert(), graphAlert({ id: null }), graphAlert({ id: 'c' })];
    const outcomes = readAlert('graph.security.alert', payload, {}, { onlyElement: 2 });
    expect(outcomes).toMatchObject([{ kind: 'state', element: 2, state: { id: 'c' } }]);
  });
});
