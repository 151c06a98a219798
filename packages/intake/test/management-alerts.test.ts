import { describe, expect, test } from 'vitest';
import { alertEvent, listResults, parseDocument, readAlert, readState, toMicroseconds } from './alert-message.ts';
import { ends, management, read } from './message.ts';

describe('an event of an alert of the Management Activity API', () => {
  test('becomes a document in the terms of the contract', () => {
    const state = readState('o365.management-activity', alertEvent());
    expect(state).toMatchObject({
      id: '6ee36a84-0cb9-0e51-8000-08df46dc4688',
      version: toMicroseconds('2026-11-20T08:03:00.000000'),
      times: { created_at: Date.parse('2026-11-20T08:03:00Z') },
    });
    expect(parseDocument(state)).toEqual({
      title: 'Creation of forwarding rule',
      description: 'Someone set up a forwarding rule.',
      severity: 'medium',
      status: 'new',
      classification: null,
      category: 'ThreatManagement',
      threatDisplayName: 'MailRedirect',
      firstActivityDateTime: '2026-11-20T07:58:00.000Z',
      isResolved: false,
      users: [
        {
          id: 'ada@contoso.example',
          name: null,
          userPrincipalName: 'ada@contoso.example',
          roles: [],
          verdict: null,
        },
      ],
      groups: [],
      emails: [],
      apps: [],
      devices: [],
      files: [],
      ips: [],
      mitreTechniques: [],
      incidentId: null,
      createdDateTime: '2026-11-20T08:03:00.000Z',
      lastUpdateDateTime: '2026-11-20T08:03:00.000Z',
      determination: null,
      assignedTo: null,
      alertWebUrl: 'https://security.example/viewalerts?id=1',
      incidentWebUrl: null,
      serviceSource: 'office365SecurityCompliance',
      detectionSource: null,
      resolvedDateTime: null,
      lastActivityDateTime: '2026-11-20T08:00:00.000Z',
      recommendedActions: null,
      actorDisplayName: null,
      threatFamilyName: null,
      rawData: alertEvent(),
    });
  });

  test.each([
    ['Active', 'new', null],
    ['Investigating', 'inProgress', null],
    ['Resolved', 'resolved', '2026-11-20T10:00:00.000Z'],
    ['Dismissed', 'resolved', '2026-11-20T10:00:00.000Z'],
    ['Pondered', 'unknown', null],
  ])(
    'with the status %s gives %s, resolved at %s, and the creation time in its id',
    (Status, status, resolvedDateTime) => {
      const updated = { Operation: 'AlertUpdated', CreationTime: '2026-11-20T10:00:00', Status };
      expect(parseDocument(readState('o365.management-activity', alertEvent(updated)))).toMatchObject({
        status,
        resolvedDateTime,
        createdDateTime: '2026-11-20T08:00:00.000Z',
        lastUpdateDateTime: '2026-11-20T10:00:00.000Z',
      });
    },
  );

  test('has no creation time where the id has no time', () => {
    for (const AlertId of ['5f0c1d2e-1111-4222-8333-944455556666', 'free-text', '0000-8000-08ff46dc4688']) {
      const updated = alertEvent({ Operation: 'AlertUpdated', AlertId });
      expect(parseDocument(readState('o365.management-activity', updated))).toMatchObject({ createdDateTime: null });
    }
  });

  test('about one entity never replaces an event about the alert', () => {
    const triggered = readState('o365.management-activity', alertEvent());
    const entity = readState(
      'o365.management-activity',
      alertEvent(
        {
          Operation: 'AlertEntityGenerated',
          CreationTime: '2026-11-20T08:04:00',
          EntityType: 'User',
          AlertEntityId: 'grace@contoso.example',
        },
        { ad: undefined, f3u: undefined },
      ),
    );
    expect(entity.version).toBeLessThan(triggered.version);
    expect(parseDocument(entity)).toMatchObject({
      description: null,
      users: [{ id: 'grace@contoso.example' }],
      lastUpdateDateTime: '2026-11-20T08:04:00.000Z',
    });
  });

  test('is read from every wrapping and from every form of Data', () => {
    const plain = readState('o365.management-activity', alertEvent());
    const row = { RecordType: 'SecurityComplianceAlerts', AuditData: JSON.stringify(alertEvent()) };
    expect(readState('o365.management-activity', [row])).toEqual(plain);
    for (const Data of [undefined, null, '', '{', '[]', 7, 'text']) {
      const { description } = parseDocument(readState('o365.management-activity', alertEvent({ Data })));
      expect(description).toBeNull();
    }
    expect(
      parseDocument(readState('o365.management-activity', alertEvent({ Data: { ad: 'As an object.' } }))),
    ).toMatchObject({ description: 'As an object.' });
  });

  test('with another record type is rejected on this topic', () => {
    expect(listResults(readAlert('o365.management-activity', [management(), alertEvent()]))).toEqual([
      'SCHEMA_VIOLATION',
      'state',
    ]);
  });
});

describe('the alert of an activity record', () => {
  const elsewhere = (payload: unknown) => read('o365.management-activity', payload);

  test('is the state that a record of type 40 gives on the alert topic', () => {
    const outcomes = elsewhere([management(), alertEvent(), management({ Id: 'another' })]);
    expect(ends(outcomes)).toEqual(['log', 'log', 'state', 'log']);
    expect(outcomes[2]).toEqual({
      kind: 'state',
      element: 1,
      table: 'security_alert',
      state: readState('o365.management-activity', alertEvent()),
    });
  });

  test("is missing where the alert's id or time is missing, and the row is unchanged", () => {
    expect(ends(elsewhere(alertEvent({ AlertId: null })))).toEqual(['log']);
    expect(ends(elsewhere(alertEvent({ CreationTime: null })))).toEqual(['MISSING_TIMESTAMP']);
    expect(ends(elsewhere(alertEvent({ RecordType: 64 })))).toEqual(['log']);
  });
});
