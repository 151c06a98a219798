import type { EntityKind } from '@tenantscope/contract';

export interface Detector {
  readonly name: string;
  /** What it watches; null: the tenant as a whole. */
  readonly watches: EntityKind | null;
  readonly actionGroup: keyof typeof actionGroups;
  /** What was done so often, with the number where the % stands. */
  readonly did: string;
  /** Raises the severity by one step, whatever the number. */
  readonly isGrave?: true;
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
    did: 'downloaded % files',
  },
  'volume.file-delete.user': {
    name: 'Unusual file deletions by a user',
    watches: 'user',
    actionGroup: 'file.delete',
    did: 'deleted % files',
  },
  'volume.share-anonymous.user': {
    name: 'Unusual anonymous sharing by a user',
    watches: 'user',
    actionGroup: 'file.shareAnonymous',
    did: 'created % links that anyone can open',
  },
  'volume.sign-in-failure.user': {
    name: 'Unusual sign-in failures of a user',
    watches: 'user',
    actionGroup: 'auth.signInFailure',
    did: 'failed to sign in % times',
  },
  'volume.sign-in-failure.tenant': {
    name: 'Unusual sign-in failures across the tenant',
    watches: null,
    actionGroup: 'auth.signInFailure',
    did: '% sign-ins failed',
  },
  'volume.mail-access.user': {
    name: 'Unusual mail reads by a user',
    watches: 'user',
    actionGroup: 'mail.access',
    did: 'read % messages',
  },
  'volume.ai-interaction.user': {
    name: 'Unusual use of AI by a user',
    watches: 'user',
    actionGroup: 'ai.interaction',
    did: 'prompted AI % times',
  },
  'volume.ai-sensitive-access.agent': {
    name: 'Unusual sensitive reads by an agent',
    watches: 'agent',
    actionGroup: 'ai.sensitiveAccess',
    did: 'read % labelled files',
  },
  'volume.ai-jailbreak.agent': {
    name: 'Jailbreak attempts on an agent',
    watches: 'agent',
    actionGroup: 'ai.jailbreak',
    did: 'met % jailbreak attempts',
    isGrave: true,
  },
  'volume.file-view.file': {
    name: 'Unusual views of a file',
    watches: 'file',
    actionGroup: 'file.view',
    did: 'was opened % times',
  },
  'volume.share-external.site': {
    name: 'Unusual external sharing from a site',
    watches: 'site',
    actionGroup: 'file.shareExternal',
    did: 'had % files shared outside',
    isGrave: true,
  },
  'volume.credential-change.app': {
    name: 'Unusual credential changes of an app',
    watches: 'app',
    actionGroup: 'app.credentialChange',
    did: 'got % new credentials',
  },
  'volume.membership.group': {
    name: 'Unusual membership changes of a group',
    watches: 'group',
    actionGroup: 'directory.groupMembership',
    did: 'changed % members',
  },
  'volume.sign-in.device': {
    name: 'Unusual sign-ins from a device',
    watches: 'device',
    actionGroup: 'auth.signIn',
    did: 'was signed in from % times',
  },
} as const satisfies Record<string, Detector>;

export type DetectorId = keyof typeof detectors;

export function detectorOf(id: DetectorId): Detector {
  return detectors[id];
}
