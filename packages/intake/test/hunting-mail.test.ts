import { describe, expect, test } from 'vitest';
import { showHuntingRow } from './hunting-record.ts';

describe('the tables of mails', () => {
  const mail = {
    NetworkMessageId: 'n-1',
    InternetMessageId: '<m1@evil.example>',
    Subject: 'Invoice',
    SenderFromAddress: 'boss@evil.example',
    SenderMailFromAddress: 'bounce@evil.example',
    SenderIPv4: '192.0.2.9',
    RecipientEmailAddress: 'ada@contoso.example',
    RecipientObjectId: 'u-1',
    DeliveryAction: 'Delivered',
    DeliveryLocation: 'Inbox/folder',
  };

  test('name the sender, the mail, the recipient and the verdict', () => {
    const threats = { ThreatTypes: 'Phish, Spam', ThreatNames: 'Bank', DetectionMethods: '{"Phish":["URL"]}' };
    expect(showHuntingRow('EmailEvents', { ...mail, ...threats, ConfidenceLevel: 'High' })).toMatchObject({
      action: 'EmailDelivered',
      outcome: 'success',
      severity: 'high',
      actorId: 'boss@evil.example',
      actorType: 'unknown',
      actorIp: '192.0.2.9',
      resourceId: 'n-1',
      resourceName: 'Invoice',
      resourceType: 'email',
      workload: 'MicrosoftDefenderForOffice365',
      targets: [{ id: 'u-1', name: 'ada@contoso.example', type: 'recipient' }],
      threat: { verdict: 'Phish, Spam', level: 'High', name: 'Bank', source: '{"Phish":["URL"]}' },
      details: {
        DeliveryLocation: 'Inbox/folder',
        InternetMessageId: '<m1@evil.example>',
        SenderMailFromAddress: 'bounce@evil.example',
      },
    });
  });

  test.each([
    ['Delivered', 'Malware', 'success', 'high'],
    ['Blocked', 'Malware', 'failure', 'medium'],
    ['Replaced', 'Malware', 'partial', 'high'],
    ['Junked', 'Spam', 'success', 'low'],
    ['Delivered', 'Other', 'success', 'medium'],
    ['Delivered', '', 'success', 'informational'],
    ['Delivered', 'NoThreatsFound', 'success', 'informational'],
  ])('a mail %s with the threat %j has the outcome %s and the severity %s', (delivery, types, outcome, severity) => {
    expect(showHuntingRow('EmailEvents', { ...mail, DeliveryAction: delivery, ThreatTypes: types })).toMatchObject({
      action: `Email${delivery}`,
      outcome,
      severity,
    });
  });

  test('name a sender of the tenant by its id', () => {
    expect(showHuntingRow('EmailEvents', { ...mail, SenderObjectId: 'u-2' })).toMatchObject({
      actorId: 'u-2',
      actorType: 'user',
    });
  });

  test('give the part of a mail as the first target', () => {
    expect(
      showHuntingRow('EmailAttachmentInfo', { ...mail, SHA256: 'aa', FileName: 'a.exe', ThreatTypes: 'Malware' }),
    ).toMatchObject({
      action: 'EmailAttachmentInfo',
      severity: 'high',
      resourceId: 'n-1',
      targets: [{ id: 'aa', name: 'a.exe', type: 'attachment' }, { id: 'u-1' }],
    });
    expect(
      showHuntingRow('EmailUrlInfo', { NetworkMessageId: 'n-1', Url: 'https://x.example/a', UrlDomain: 'x.example' }),
    ).toMatchObject({ targets: [{ id: 'https://x.example/a', name: 'x.example', type: 'url' }] });
  });

  test('give what was done after delivery with its result', () => {
    const columns = { ...mail, ActionType: 'Malware ZAP', ActionResult: 'Error', ThreatTypes: 'Malware' };
    expect(showHuntingRow('EmailPostDeliveryEvents', columns)).toMatchObject({
      action: 'Malware ZAP',
      actorType: 'system',
      outcome: 'failure',
      outcomeReason: 'Error',
      severity: 'high',
    });
  });

  test('give clicks with the user, the link and the mail', () => {
    const click = {
      ActionType: 'ClickBlocked',
      AccountUpn: 'ada@contoso.example',
      IPAddress: '198.51.100.7',
      Url: 'https://evil.example',
      NetworkMessageId: 'n-1',
      Workload: 'Email',
      IsClickedThrough: false,
      ThreatTypes: 'Phish',
    };
    expect(showHuntingRow('UrlClickEvents', click)).toMatchObject({
      actorName: 'ada@contoso.example',
      actorIp: '198.51.100.7',
      outcome: 'failure',
      severity: 'medium',
      clientApp: 'Email',
      resourceId: 'https://evil.example',
      resourceType: 'url',
      targets: [{ id: 'n-1', type: 'email' }],
      details: { IsClickedThrough: 'false' },
    });
    for (const IsClickedThrough of [true, 1, 'true']) {
      expect(showHuntingRow('UrlClickEvents', { ...click, IsClickedThrough })).toMatchObject({
        outcome: 'success',
        severity: 'high',
        description: 'ada@contoso.example opened the link https://evil.example in MicrosoftDefenderForOffice365.',
      });
    }
  });
});

describe('the tables of messages of Teams', () => {
  const message = {
    TeamsMessageId: 'm-1',
    SenderObjectId: 'u-9',
    SenderEmailAddress: 'help@evil.example',
    SenderType: 'User',
    RecipientDetails: JSON.stringify([
      { RecipientSmtpAddress: 'ada@contoso.example', RecipientObjectId: 'u-1', RecipientType: 'User' },
      { RecipientDisplayName: 'Sales', RecipientType: 'Group' },
    ]),
  };
  const recipients = [
    { id: 'u-1', name: 'ada@contoso.example', type: 'recipient' },
    { id: 'Sales', name: 'Sales', type: 'recipient' },
  ];

  test('name the sender, the message, the recipients, the team and the verdict', () => {
    const columns = { DeliveryAction: 'Delivered', ThreatTypes: 'Phish', GroupId: 'g-1', GroupName: 'Sales' };
    expect(showHuntingRow('MessageEvents', { ...message, ...columns })).toMatchObject({
      action: 'MessageDelivered',
      outcome: 'success',
      severity: 'high',
      actorId: 'u-9',
      actorName: 'help@evil.example',
      actorType: 'user',
      resourceId: 'm-1',
      resourceType: 'message',
      targets: [...recipients, { id: 'g-1', name: 'Sales', type: 'team' }],
      threat: { verdict: 'Phish' },
    });
    expect(showHuntingRow('MessageEvents', { ...message, SenderType: 'Anonymous' })).toMatchObject({
      actorType: 'anonymous',
    });
  });

  test('name what was done after delivery, and links', () => {
    const columns = { ActionType: 'Teams ZAP', ActionResult: 'Success', ThreatTypes: 'Malware' };
    expect(showHuntingRow('MessagePostDeliveryEvents', { ...message, ...columns })).toMatchObject({
      action: 'Teams ZAP',
      outcome: 'success',
      severity: 'high',
      actorType: 'system',
      resourceId: 'm-1',
      targets: recipients,
    });
    expect(showHuntingRow('MessageUrlInfo', { TeamsMessageId: 'm-1', Url: 'https://evil.example/a' })).toMatchObject({
      resourceId: 'm-1',
      targets: [{ id: 'https://evil.example/a', type: 'url' }],
    });
  });
});
