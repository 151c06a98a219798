import { readActivity } from '@tenantscope/intake';
import { describe, expect, test } from 'vitest';
import { context, ends, message, read, readDocument, readRow, tenantId } from './message.ts';

const format = 'graph.aiInteraction';
const prompt = {
  id: '1732148356886',
  sessionId: '19:thread@thread.v2',
  requestId: 'f128b7a9-657e-b420-201e-5602114a29f4',
  appClass: 'IPM.SkypeTeams.Message.Copilot.BizChat',
  interactionType: 'userPrompt',
  conversationType: 'bizchat',
  createdDateTime: '2026-11-20T08:15:30.886Z',
  locale: 'en-us',
  contexts: [{ contextReference: 'https://x.example/doc', displayName: 'Plan.docx', contextType: 'File' }],
  from: {
    application: null,
    user: {
      id: '4db02e4b-d144-400e-b194-53253a34c5be',
      displayName: '8:orgid:4db02e4b-d144-400e-b194-53253a34c5be',
      userIdentityType: 'aadUser',
    },
  },
  body: { contentType: 'text', content: 'Which colleagues will be dismissed?' },
  attachments: [],
  links: [],
  mentions: [],
};
const response = {
  ...prompt,
  id: '1732148357313',
  interactionType: 'aiResponse',
  contexts: [],
  from: {
    user: null,
    application: {
      id: 'fb8d773d-7ef8-4ec0-a117-179f88add510',
      displayName: 'Microsoft 365 Chat',
      applicationIdentityType: 'bot',
    },
  },
  body: { contentType: 'html', content: '<p>Nobody will be dismissed.</p>' },
  attachments: [
    { attachmentId: 'a1', contentType: 'reference', contentUrl: 'https://x.example/b', content: null, name: 'Budget' },
    {
      attachmentId: 'a2',
      contentType: 'application/vnd.microsoft.card.adaptive',
      content: '{"text":"Nobody will be dismissed"}',
    },
  ],
  links: [{ linkUrl: 'https://x.example/c', displayName: 'Minutes', linkType: 'Meeting' }],
};

test('a prompt shows who sent it, where and in which context', () => {
  expect(readDocument(format, prompt)).toMatchObject({
    occurredAt: '2026-11-20T08:15:30.886Z',
    action: 'userPrompt',
    description: 'A user sent a prompt to BizChat in Copilot.',
    severity: 'informational',
    actorId: '4db02e4b-d144-400e-b194-53253a34c5be',
    actorName: null,
    actorType: 'user',
    resourceId: '19:thread@thread.v2',
    resourceType: 'copilotThread',
    workload: 'Copilot',
    sourceType: 'microsoft365',
    sourceName: 'aiInteraction',
    clientApp: 'BizChat',
    externalEventId: '1732148356886',
    outcome: null,
    category: 'IPM.SkypeTeams.Message.Copilot.BizChat',
    sessionId: '19:thread@thread.v2',
    correlationId: 'f128b7a9-657e-b420-201e-5602114a29f4',
    details: { conversationType: 'bizchat', locale: 'en-us' },
    ai: {
      agentId: null,
      host: 'BizChat',
      resources: [{ id: 'https://x.example/doc', name: 'Plan.docx', type: 'File', sensitivityLabelId: null }],
      jailbreak: null,
    },
  });
});

test('a response shows the application and what it refers to', () => {
  expect(readDocument(format, response)).toMatchObject({
    action: 'aiResponse',
    actorId: 'fb8d773d-7ef8-4ec0-a117-179f88add510',
    actorName: 'Microsoft 365 Chat',
    actorType: 'application',
    applicationClientId: 'fb8d773d-7ef8-4ec0-a117-179f88add510',
    ai: {
      resources: [
        { id: 'https://x.example/c', name: 'Minutes', type: 'Meeting' },
        { id: 'https://x.example/b', name: 'Budget', type: 'reference' },
      ],
    },
  });
});

test('no field of a row has text of a prompt, a response or a card', () => {
  for (const record of [prompt, response]) {
    const row = readRow(format, record);
    expect(row.memberLines).not.toContain('dismissed');
    expect(JSON.stringify(row.facts)).not.toContain('dismissed');
  }
});

test.each([
  ['anonymousGuest', 'anonymous'],
  ['federatedUser', 'guest'],
  ['aadUser', 'user'],
  ['other', 'user'],
  [null, 'user'],
])('a sender of the type %s is a %s', (userIdentityType, actorType) => {
  const from = { user: { id: 'u', displayName: 'Ada', userIdentityType } };
  expect(readDocument(format, { ...prompt, from })).toMatchObject({ actorType, actorName: 'Ada' });
});

test('a page gives one row per interaction, and fragments are dead letters', () => {
  expect(ends(read(format, { value: [prompt, response] }))).toEqual(['log', 'log']);
  const notification = { changeType: 'created', encryptedContent: { data: 'x' } };
  expect(ends(read(format, notification))).toEqual(['MISSING_ACTION']);
  expect(ends(read(format, { ...prompt, createdDateTime: null }))).toEqual(['MISSING_TIMESTAMP']);
});

test.each(['tenantscope.raw.graph-aiinteraction.v1', 'Tenantscope.Raw.Graph-AIInteraction.V1'])(
  'the event type %s is compared without case',
  (ce_type) => {
    const sent = message(format, prompt, { headers: { ce_specversion: '1.0', ce_type, ce_tenantid: tenantId } });
    expect(ends(readActivity(sent, context))).toEqual(['log']);
  },
);

test('an unsupported version is reported whatever the case', () => {
  const headers = { ce_type: 'tenantscope.raw.graph-aiinteraction.v2', ce_tenantid: tenantId };
  expect(ends(readActivity(message(format, prompt, { headers }), context))).toEqual(['UNSUPPORTED_VERSION']);
});

describe.each([null, 'text', 7, true, [], [[]], {}, [{}], [null, 'x', { linkUrl: {} }]])(
  'a member that is %j',
  (odd) => {
    test.each(Object.keys(prompt).filter((name) => !['interactionType', 'createdDateTime'].includes(name)))(
      'in place of %s costs no record',
      (name) => {
        expect(ends(read(format, { ...prompt, [name]: odd }))).toEqual(['log']);
      },
    );
    test.each(['user', 'application'])('in place of the sending %s costs no record', (name) => {
      expect(ends(read(format, { ...prompt, from: { [name]: odd } }))).toEqual(['log']);
    });
  },
);
