/** What an operation does, in the forms that its outcomes need. */
export interface Phrase {
  /** `downloaded the file` */
  readonly done: string;
  /** `download the file`, after "failed to" and "tried to". */
  readonly infinitive: string;
  /** The preposition, with a space before it, that a resource's name needs after the verb; null where it is not named. */
  readonly link: string | null;
  /** In place of `done` where the record has no outcome. */
  readonly unknown?: string;
  /** In place of "tried to …, which was blocked". */
  readonly blocked?: string;
}

/** The phrase of any operation; one that is not known is "performed". */
export function findPhrase(action: string): Phrase {
  return phrases.get(action) ?? readPastVerb(action) ?? perform(action);
}

function perform(action: string): Phrase {
  const name = action.endsWith('.') ? action.slice(0, -1) : action;
  return { done: `performed ${name}`, infinitive: `perform ${name}`, link: ' on' };
}

/** `FileDownloaded` → `downloaded the file`, where the operation concerns the resource itself. */
function readPastVerb(action: string): Phrase | undefined {
  const [, thing = '', verb = ''] = pastVerb.exec(action) ?? [];
  const noun = nouns.get(thing);
  const infinitive = infinitives.get(verb);
  if (noun === undefined || infinitive === undefined) return undefined;
  return { done: `${verb.toLowerCase()} the ${noun}`, infinitive: `${infinitive} the ${noun}`, link: '' };
}

const nouns = new Map([
  ['File', 'file'],
  ['Folder', 'folder'],
  ['Page', 'page'],
  ['List', 'list'],
  ['ListItem', 'list item'],
]);
const infinitives = new Map([
  ['Accessed', 'access'],
  ['Copied', 'copy'],
  ['Created', 'create'],
  ['Deleted', 'delete'],
  ['Downloaded', 'download'],
  ['Modified', 'modify'],
  ['Moved', 'move'],
  ['Previewed', 'preview'],
  ['Recycled', 'recycle'],
  ['Renamed', 'rename'],
  ['Restored', 'restore'],
  ['Updated', 'update'],
  ['Uploaded', 'upload'],
  ['Viewed', 'view'],
]);
const pastVerb = /^(ListItem|File|Folder|Page|List)([A-Z][a-z]+)$/;

const signIn: Phrase = { done: 'signed in', infinitive: 'sign in', link: ' to', unknown: 'attempted to sign in' };
const failedSignIn: Phrase = { ...signIn, unknown: 'failed to sign in' };
const ruleMatch: Phrase = {
  done: 'matched a data loss prevention rule',
  infinitive: 'match a data loss prevention rule',
  link: ' with',
  blocked: 'was blocked by a data loss prevention rule',
};

const sending: Phrase = { done: 'sent the message', infinitive: 'send the message', link: '' };
/** The actor is whose risk it is, and the state of the risk may also have become better. */
const risk: Phrase = { done: 'had a risk event', infinitive: 'have a risk event', link: null };
const click: Phrase = { done: 'opened the link', infinitive: 'open the link', link: '', unknown: 'clicked the link' };

/** For the most common operations. */
const phrases = new Map<string, Phrase>([
  ['UserLoggedIn', signIn],
  // Without an outcome it was interrupted, for example to request a second factor.
  ['UserLoginFailed', signIn],
  ['Sign-in activity', signIn],
  ['user.session.start', signIn],
  ['login_success', { ...signIn, unknown: 'signed in' }],
  ['login_failure', failedSignIn],
  ['user.session.end', { done: 'signed out', infinitive: 'sign out', link: ' of' }],
  ['AnonymousLinkCreated', { done: 'created an anonymous link', infinitive: 'create an anonymous link', link: ' to' }],
  [
    'SharingInvitationCreated',
    { done: 'created a sharing invitation', infinitive: 'create a sharing invitation', link: ' to' },
  ],
  ['SecureLinkUsed', { done: 'used a secure link', infinitive: 'use a secure link', link: ' to' }],
  ['MailItemsAccessed', { done: 'accessed mail', infinitive: 'access mail', link: ' of' }],
  ['Send', sending],
  ['DlpRuleMatch', ruleMatch],
  ['DLPRuleMatch', ruleMatch],
  [
    'DlpRuleUndo',
    { done: 'overrode a data loss prevention rule', infinitive: 'override a data loss prevention rule', link: ' for' },
  ],
  // Tables of Defender and traces of Exchange, whose names tell the outcome.
  ['LogonSuccess', signIn],
  ['LogonFailed', signIn],
  ['LogonAttempted', signIn],
  ...['Delivered', 'Junked', 'Blocked', 'Replaced'].map((end) => [`Email${end}`, sending] as const),
  ...['Delivered', 'Expanded', 'Failed', 'Quarantined', 'FilteredAsSpam'].map(
    (end) => [`MessageTrace${end}`, sending] as const,
  ),
  ['ClickAllowed', click],
  ['ClickBlocked', click],
  ['TIUrlClickData', click],
  ...['Risk detection', 'User Risk Detection', 'Risky user', 'UserRiskEvents', 'RiskyUsers'].map(
    (name) => [name, risk] as const,
  ),
  ...['Service principal risk detection', 'Risky service principal'].map((name) => [name, risk] as const),
  ['Network Access Traffic', { done: 'sent traffic', infinitive: 'send traffic', link: ' to' }],
  ['AAD Graph Activity', { done: 'requested', infinitive: 'request', link: '' }],
  ['Microsoft Graph Activity', { done: 'requested', infinitive: 'request', link: '' }],
  ['FileMalwareDetected', { done: 'has malware in the file', infinitive: 'have malware in the file', link: '' }],
  ['AlertInfo', { done: 'raised the alert', infinitive: 'raise the alert', link: '' }],
  ['AlertEvidence', { done: 'added evidence', infinitive: 'add evidence', link: ' to' }],
  ['AlertTriggered', { done: 'raised the alert', infinitive: 'raise the alert', link: '' }],
  ['userPrompt', { done: 'sent a prompt', infinitive: 'send a prompt', link: ' to' }],
  ['aiResponse', { done: 'responded', infinitive: 'respond', link: ' in' }],
  ['CopilotInteraction', { done: 'interacted with Copilot', infinitive: 'interact with Copilot', link: ' in' }],
]);
