import type { Activity } from './activity.ts';

/**
 * One English sentence built from the record's names alone: never from message bodies, prompts or parameters. The same record
 * always gives the same sentence.
 */
export function describeActivity(activity: Activity, action: string): string {
  const { actor, resource, workload } = activity;
  const actorName = actor.name ?? actorNouns[actor.type];
  const resourceName = resource.name ?? resource.id;
  const [verbPhrase, link] = phrases.get(action) ??
    parsePastVerb(action) ?? [`performed ${withoutStop(action)}`, ' on'];
  return `${actorName} ${verbPhrase}${resourceName === null ? '' : `${link} ${resourceName}`}${workload === null ? '' : ` in ${workload}`}.`;
}

/** A verb phrase, and the preposition that a resource's name needs after it. */
type Phrase = readonly [verbPhrase: string, link: string];

/** `FileDownloaded` → `downloaded the file`, where the operation concerns the resource itself. */
function parsePastVerb(action: string): Phrase | undefined {
  const [, thing, verb] = pastVerb.exec(action) ?? [];
  return thing === undefined || verb === undefined
    ? undefined
    : [`${verb.toLowerCase()} the ${objectNouns.get(thing)}`, ''];
}

function withoutStop(action: string): string {
  return action.endsWith('.') ? action.slice(0, -1) : action;
}

const actorNouns = {
  user: 'A user',
  guest: 'A guest',
  servicePrincipal: 'A service principal',
  application: 'An application',
  agent: 'An agent',
  system: 'The system',
  policy: 'A policy',
  partner: 'A partner',
  anonymous: 'An anonymous user',
  unknown: 'An unknown actor',
} as const;

const objectNouns = new Map([
  ['File', 'file'],
  ['Folder', 'folder'],
  ['Page', 'page'],
  ['List', 'list'],
  ['ListItem', 'list item'],
]);
const pastVerb =
  /^(File|Folder|Page|ListItem|List)(Accessed|Copied|Created|Deleted|Downloaded|Modified|Moved|Previewed|Recycled|Renamed|Restored|Updated|Uploaded|Viewed)$/;

/** For the most common operations. */
const phrases = new Map<string, Phrase>([
  ['UserLoggedIn', ['signed in', ' to']],
  ['UserLoginFailed', ['failed to sign in', ' to']],
  ['Sign-in activity', ['attempted to sign in', ' to']],
  ['AnonymousLinkCreated', ['created an anonymous link', ' to']],
  ['SharingInvitationCreated', ['created a sharing invitation', ' to']],
  ['SecureLinkUsed', ['used a secure link', ' to']],
  ['MailItemsAccessed', ['accessed mail', ' of']],
  ['Send', ['sent the message', '']],
  ['DlpRuleMatch', ['matched a data loss prevention rule', ' with']],
  ['DLPRuleMatch', ['matched a data loss prevention rule', ' with']],
  ['DlpRuleUndo', ['overrode a data loss prevention rule', ' for']],
  ['AlertTriggered', ['raised the alert', '']],
  ['CopilotInteraction', ['interacted with Copilot', ' in']],
  ['user.session.start', ['signed in', ' to']],
  ['user.session.end', ['signed out', ' of']],
  ['login_success', ['signed in', ' to']],
  ['login_failure', ['failed to sign in', ' to']],
]);
