import { describe, expect, test } from 'vitest';
import { ends, read, readDocument, readRow } from './message.ts';

const format = 'exchange.message-trace';

function trace(changes: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    Organization: 'Contoso.example',
    MessageId: '<m1@contoso.example>',
    Received: '2026-11-20T08:15:30.1234567',
    SenderAddress: 'Ada@contoso.example',
    RecipientAddress: 'bob@fabrikam.example',
    Subject: 'Offer',
    Status: 'Delivered',
    ToIP: '192.0.2.9',
    FromIP: '198.51.100.7',
    Size: 87891,
    MessageTraceId: 'n-1',
    StartDate: '2026-11-18T00:00:00Z',
    EndDate: '2026-11-21T00:00:00Z',
    Index: 0,
    ...changes,
  };
}

describe('a message trace', () => {
  test('names the sender, the message, the recipient and what became of it', () => {
    expect(readDocument(format, trace())).toMatchObject({
      occurredAt: '2026-11-20T08:15:30.123Z',
      action: 'MessageTraceDelivered',
      actorId: 'Ada@contoso.example',
      actorType: 'user',
      actorIp: '198.51.100.7',
      resourceId: '<m1@contoso.example>',
      resourceName: 'Offer',
      resourceType: 'email',
      workload: 'Exchange',
      sourceType: 'microsoft365',
      sourceName: 'MessageTrace',
      externalEventId: 'n-1',
      correlationId: 'n-1',
      outcome: 'success',
      outcomeReason: 'Delivered',
      severity: 'informational',
      targets: [{ id: 'bob@fabrikam.example', name: 'bob@fabrikam.example', type: 'recipient' }],
      details: { Size: '87891', ToIP: '192.0.2.9' },
      threat: null,
    });
  });

  test.each([
    ['Failed', 'MessageTraceFailed', 'failure', 'informational', null],
    ['Quarantined', 'MessageTraceQuarantined', 'failure', 'low', 'quarantined'],
    ['FilteredAsSpam', 'MessageTraceFilteredAsSpam', 'failure', 'low', 'spam'],
    ['Expanded', 'MessageTraceExpanded', 'success', 'informational', null],
    ['Pending', 'MessageTracePending', null, 'informational', null],
    ['Getting Status', 'MessageTraceGettingStatus', null, 'informational', null],
    [null, 'MessageTrace', null, 'informational', null],
  ])('of the status %s is %s with the outcome %s', (Status, action, outcome, severity, verdict) => {
    expect(readDocument(format, trace({ Status }))).toMatchObject({
      action,
      outcome,
      severity,
      threat: verdict === null ? null : { verdict },
    });
  });

  test('is one record in the results of overlapping queries, and in the spelling of Graph a record too', () => {
    const again = trace({ StartDate: '2026-11-19T00:00:00Z', EndDate: '2026-11-22T00:00:00Z', Index: 7 });
    expect(readRow(format, again).id).toBe(readRow(format, trace()).id);
    expect(readRow(format, trace({ RecipientAddress: 'eve@fabrikam.example' })).id).not.toBe(readRow(format, again).id);
    const graph = {
      id: 'n-2',
      messageId: '<m2@contoso.example>',
      receivedDateTime: '2026-11-20T08:15:30Z',
      senderAddress: 'eve@evil.example',
      recipientAddress: 'ada@contoso.example',
      subject: 'Hello',
      status: 'quarantined',
      fromIP: '198.51.100.7',
    };
    expect(readDocument(format, { value: [graph] })).toMatchObject({
      action: 'MessageTraceQuarantined',
      actorId: 'eve@evil.example',
      actorType: 'unknown',
      resourceId: '<m2@contoso.example>',
      resourceName: 'Hello',
      externalEventId: 'n-2',
      outcome: 'failure',
    });
  });

  test('is a row whatever its members are, and a dead letter only without its time', () => {
    for (const name of Object.keys(trace()).filter((each) => each !== 'Received')) {
      for (const wrong of [undefined, null, true, 7, '', [], [7], {}, { a: 1 }, '\u202e']) {
        expect(ends(read(format, trace({ [name]: wrong }))), `${name} ${JSON.stringify(wrong)}`).toEqual(['log']);
      }
    }
    expect(ends(read(format, trace({ Received: null })))).toEqual(['MISSING_TIMESTAMP']);
    expect(ends(read(format, { value: [] }))).toEqual(['EMPTY_PAYLOAD']);
  });
});
