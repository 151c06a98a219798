import type { Activity, ActivityContext } from '../activity.ts';
import { deriveGuid } from '../random.ts';
import { firstParty } from './first-party.ts';

const exported = {
  by: 'anyone',
  feed: 'microsoft365',
  format: 'graph.aiInteraction',
  schedule: 'office hours',
  delay: 'hour',
} as const;

/** Few tenants export interactions: they are in the unified audit log as well. */
export const copilotExportActivities: readonly Activity[] = [
  { ...exported, weight: 0.5, record: (context) => interaction(context, 'userPrompt') },
  { ...exported, weight: 0.5, record: (context) => interaction(context, 'aiResponse') },
];

/** One prompt or response as Graph exports it, without its text. */
function interaction({ random, company, person, atMs }: ActivityContext, interactionType: 'userPrompt' | 'aiResponse') {
  const files = interactionType === 'userPrompt' ? [] : [random.pick(company.files)];
  const user = { id: person.id, displayName: `8:orgid:${person.id}`, userIdentityType: 'aadUser' };
  const { id, name } = firstParty.copilot;
  return {
    id: String(atMs),
    sessionId: `19:${random.hex(32)}@thread.v2`,
    requestId: deriveGuid(`interaction/${person.id}/${atMs}`),
    appClass: 'IPM.SkypeTeams.Message.Copilot.BizChat',
    interactionType,
    conversationType: 'bizchat',
    etag: String(atMs),
    createdDateTime: new Date(atMs).toISOString(),
    locale: 'en-us',
    contexts: [],
    from:
      interactionType === 'userPrompt'
        ? { user, application: null, device: null }
        : { user: null, application: { id, displayName: name, applicationIdentityType: 'bot' }, device: null },
    body: { contentType: 'text', content: '' },
    attachments: [],
    links: files.map((file) => ({ linkUrl: file.url, displayName: file.name, linkType: 'File' })),
    mentions: [],
  };
}
