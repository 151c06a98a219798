import type { Outcome } from '@tenantscope/contract';
import { expect, test } from 'vitest';
import type { Activity } from '../src/activity/activity.ts';
import { describeActivity } from '../src/activity/description.ts';
import { noAi, noContext } from '../src/activity/event-context.ts';
import { findPhrase } from '../src/activity/phrases.ts';

const plain: Activity = {
  time: '2026-11-20T08:15:30Z',
  timeMember: 'CreationTime',
  action: null,
  verdict: null,
  outcome: 'success',
  actor: { id: 'a1', name: 'Ada', type: 'user' },
  actorIp: null,
  resource: { id: 'r1', name: 'Plan.docx', type: 'file' },
  workload: 'SharePoint',
  sourceType: 'microsoft365',
  sourceName: null,
  clientApp: null,
  device: { id: null, name: null, isManaged: null },
  application: { clientId: null, displayName: null },
  externalEventId: null,
  recordType: null,
  context: noContext,
};
const describeOutcome = (action: string, outcome: Outcome | null, changes: Partial<Activity> = {}) =>
  describeActivity({ ...plain, outcome, ...changes }, action);

test.each([
  ['FileDownloaded', 'success', 'Ada downloaded the file Plan.docx in SharePoint.'],
  ['FileDownloaded', null, 'Ada downloaded the file Plan.docx in SharePoint.'],
  ['FileDownloaded', 'failure', 'Ada failed to download the file Plan.docx in SharePoint.'],
  ['ListItemCreated', 'partial', 'Ada tried to create the list item Plan.docx in SharePoint, which succeeded in part.'],
  ['Set-Mailbox', 'success', 'Ada performed Set-Mailbox on Plan.docx in SharePoint.'],
  ['Add user.', 'failure', 'Ada failed to perform Add user on Plan.docx in SharePoint.'],
  ['Add user.', 'partial', 'Ada tried to perform Add user on Plan.docx in SharePoint, which succeeded in part.'],
  ['UserLoggedIn', 'success', 'Ada signed in to Plan.docx in SharePoint.'],
  ['UserLoggedIn', null, 'Ada attempted to sign in to Plan.docx in SharePoint.'],
  ['UserLoginFailed', 'failure', 'Ada failed to sign in to Plan.docx in SharePoint.'],
  ['UserLoginFailed', null, 'Ada attempted to sign in to Plan.docx in SharePoint.'],
  ['Sign-in activity', 'success', 'Ada signed in to Plan.docx in SharePoint.'],
  ['Sign-in activity', null, 'Ada attempted to sign in to Plan.docx in SharePoint.'],
  ['login_failure', null, 'Ada failed to sign in to Plan.docx in SharePoint.'],
  ['user.session.start', 'failure', 'Ada failed to sign in to Plan.docx in SharePoint.'],
  ['Risky user', null, 'Ada had a risk event in SharePoint.'],
  ['FileMalwareDetected', null, 'Ada has malware in the file Plan.docx in SharePoint.'],
  ['Send', 'failure', 'Ada failed to send the message Plan.docx in SharePoint.'],
] as const)('the description of %s with outcome %s is a sentence about that outcome', (action, outcome, sentence) => {
  expect(describeOutcome(action, outcome)).toBe(sentence);
});

test('a blocked action does not read as done, whatever its outcome', () => {
  for (const outcome of ['success', 'failure', 'partial', null] as const) {
    expect(
      describeOutcome('CopilotInteraction', outcome, { context: { ...noContext, ai: { ...noAi, blocked: true } } }),
    ).toBe('Ada tried to interact with Copilot in Plan.docx in SharePoint, which was blocked.');
    expect(describeOutcome('DlpRuleMatch', outcome, { isBlocked: true })).toBe(
      'Ada was blocked by a data loss prevention rule with Plan.docx in SharePoint.',
    );
  }
  expect(
    describeOutcome('CopilotInteraction', null, { context: { ...noContext, ai: { ...noAi, blocked: false } } }),
  ).toBe('Ada interacted with Copilot in Plan.docx in SharePoint.');
});

test('an operation named like a verb that is not listed is performed', () => {
  expect(findPhrase('FileVersionsAllDeleted').done).toBe('performed FileVersionsAllDeleted');
  expect(findPhrase('FileToString').done).toBe('performed FileToString');
  expect(findPhrase('').done).toBe('performed ');
});
