import type { EntityKind } from '@tenantscope/contract';

export interface Detector {
  readonly name: string;
  /** The kind of entity that it monitors; null: the whole tenant. */
  readonly watches: EntityKind | null;
  readonly actionGroup: keyof typeof actionGroups;
  /** The activity in a sentence; % is replaced by the count. */
  readonly phrase: string;
  /** Raises the severity by one level, independent of the count. */
  readonly raisesSeverity?: true;
}

export const actionGroups = {
  'file.download': ['File downloads', 'Files downloaded or synced from SharePoint and OneDrive.'],
  'file.view': ['File views', 'Files opened or previewed.'],
  'file.delete': ['File deletions', 'Files deleted or moved to the recycle bin.'],
  'file.shareAnonymous': ['Anonymous links', 'Links created that anyone can open.'],
  'file.shareExternal': ['External sharing', 'Files shared with people outside the organization.'],
  'auth.signIn': ['Sign-ins', 'Successful sign-ins.'],
  'auth.signInFailure': ['Failed sign-ins', 'Sign-ins that were refused.'],
  'mail.access': ['Mail reads', 'Messages opened or synced from mailboxes.'],
  'app.credentialChange': ['App credentials', 'Secrets and certificates added to applications.'],
  'directory.groupMembership': ['Group changes', 'Members added to or removed from groups.'],
  'ai.interaction': ['AI interactions', 'Prompts to Copilot and agents.'],
  'ai.sensitiveAccess': ['Sensitive reads by AI', 'Labelled files read to answer prompts.'],
  'ai.jailbreak': ['Jailbreak attempts', 'Prompts that tried to lift the limits of an agent.'],
} as const;

export const detectors = {
  'volume.file-download.user': {
    name: 'Unusual file downloads by a user',
    watches: 'user',
    actionGroup: 'file.download',
    phrase: 'downloaded % files',
  },
  'volume.file-delete.user': {
    name: 'Unusual file deletions by a user',
    watches: 'user',
    actionGroup: 'file.delete',
    phrase: 'deleted % files',
  },
  'volume.share-anonymous.user': {
    name: 'Unusual anonymous sharing by a user',
    watches: 'user',
    actionGroup: 'file.shareAnonymous',
    phrase: 'created % links that anyone can open',
  },
  'volume.sign-in-failure.user': {
    name: 'Unusual sign-in failures of a user',
    watches: 'user',
    actionGroup: 'auth.signInFailure',
    phrase: 'failed to sign in % times',
  },
  'volume.sign-in-failure.tenant': {
    name: 'Unusual sign-in failures across the tenant',
    watches: null,
    actionGroup: 'auth.signInFailure',
    phrase: '% sign-ins failed',
  },
  'volume.mail-access.user': {
    name: 'Unusual mail reads by a user',
    watches: 'user',
    actionGroup: 'mail.access',
    phrase: 'read % messages',
  },
  'volume.ai-interaction.user': {
    name: 'Unusual use of AI by a user',
    watches: 'user',
    actionGroup: 'ai.interaction',
    phrase: 'prompted AI % times',
  },
  'volume.ai-sensitive-access.agent': {
    name: 'Unusual sensitive reads by an agent',
    watches: 'agent',
    actionGroup: 'ai.sensitiveAccess',
    phrase: 'read % labelled files',
  },
  'volume.ai-jailbreak.agent': {
    name: 'Jailbreak attempts on an agent',
    watches: 'agent',
    actionGroup: 'ai.jailbreak',
    phrase: 'met % jailbreak attempts',
    raisesSeverity: true,
  },
  'volume.file-view.file': {
    name: 'Unusual views of a file',
    watches: 'file',
    actionGroup: 'file.view',
    phrase: 'was opened % times',
  },
  'volume.share-external.site': {
    name: 'Unusual external sharing from a site',
    watches: 'site',
    actionGroup: 'file.shareExternal',
    phrase: 'had % files shared outside',
    raisesSeverity: true,
  },
  'volume.credential-change.app': {
    name: 'Unusual credential changes of an app',
    watches: 'app',
    actionGroup: 'app.credentialChange',
    phrase: 'got % new credentials',
  },
  'volume.membership.group': {
    name: 'Unusual membership changes of a group',
    watches: 'group',
    actionGroup: 'directory.groupMembership',
    phrase: 'changed % members',
  },
  'volume.sign-in.device': {
    name: 'Unusual sign-ins from a device',
    watches: 'device',
    actionGroup: 'auth.signIn',
    phrase: 'was signed in from % times',
  },
} as const satisfies Record<string, Detector>;

export type DetectorId = keyof typeof detectors;

export function getDetector(id: DetectorId): Detector {
  return detectors[id];
}
