import type { AuditLogEvent } from '@tenantscope/contract';
import type { ActivityName, OcsfClassName } from './classes.ts';

/** Which activity of which class an action is. */
export interface LogRule<Name extends OcsfClassName = OcsfClassName> {
  readonly class: Name;
  readonly activity: ActivityName<Name>;
  /** The provider's name of the operation, in any letter case. */
  readonly action: RegExp;
  /** Kinds of resources to which the rule applies; all if left out. */
  readonly resource?: RegExp;
}

type Rows<Name extends OcsfClassName> = readonly (readonly [ActivityName<Name>, action: string, resource?: string])[];

/** @param resource applies to each row that has none */
function rules<const Name extends OcsfClassName>(name: Name, rows: Rows<Name>, resource?: string): LogRule[] {
  return rows.map(([activity, action, own = resource]) => ({
    class: name,
    activity: activity as never,
    action: new RegExp(`^(?:${action})$`, 'i'),
    ...(own === undefined ? {} : { resource: new RegExp(`^(?:${own})$`, 'i') }),
  }));
}

const file = 'file|folder|page|list|listItem|document|notebook|item';
const program = 'app|application|servicePrincipal|appInstance|agent|teamsApp|oauthApplication';

const signIns = rules('authentication', [
  [
    'Logon',
    'UserLoggedIn|UserLoginFailed|Sign-in activity|PasswordLogon.*|MailboxLogin|TeamsSessionStarted|Log on|LogonSuccess|LogonFailed|LogonAttempted|' +
      'login_success|login_failure|login_verification|login_challenge|suspicious_login.*|CHROME_OS_LOGIN_(?:FAILURE_)?EVENT|' +
      'user\\.session\\.start|user\\.authentication\\..*|policy\\.evaluate_sign_on',
  ],
  [
    'Logoff',
    'UserLoggedOff|UserLoggedOut|Sign-out|logout|CHROME_OS_LOGOUT_EVENT|LogoffSuccess|user\\.session\\.end|user_signed_out_\\w+',
  ],
]);

const files = rules(
  'fileHosting',
  [
    ['Upload', 'FileUploaded|FileUploadedPartial|FileSyncUploaded\\w*|upload|create'],
    ['Download', 'FileDownloaded|FileSyncDownloaded\\w*|download'],
    [
      'Update',
      'FileSensitivityLabel\\w+|File\\w*Modified\\w*|Folder\\w*Modified|FileCheckedIn|ListUpdated|ListItemUpdated|PageEdited|edit|Update',
    ],
    ['Delete', '(?:File|Folder)\\w*(?:Deleted|Recycled)\\w*|ListItemDeleted|ListDeleted|trash|delete'],
    ['Rename', '(?:File|Folder)Renamed|rename'],
    ['Copy', '(?:File|Folder)Copied|copy|source_copy'],
    ['Move', '(?:File|Folder)Moved|move|add_to_folder|remove_from_folder'],
    ['Restore', '(?:File|Folder)Restored|ListItemRestored|untrash'],
    ['Preview', 'FilePreviewed|PageViewed\\w*|PagePrefetched|preview'],
    ['Lock', 'FileCheckedOut|LockRecord|RecordLock'],
    ['Unlock', 'FileCheckOutDiscarded|UnlockRecord|RecordUnlock'],
    [
      'Share',
      'SharingSet|SharingInvitation(?:Created|Updated|Accepted)|AnonymousLink(?:Created|Updated)|CompanyLinkCreated|SecureLink(?:Created|Updated)|' +
        'AddedToSecureLink|change_user_access|change_acl_editors|change_document_visibility|change_document_access_scope|shared_drive_membership_change',
    ],
    [
      'Unshare',
      'SharingRevoked|SharingInvitationRevoked|AnonymousLinkRemoved|CompanyLinkRemoved|SecureLinkDeleted|RemovedFromSecureLink',
    ],
    ['Open', 'FileAccessed\\w*|(?:AnonymousLink|CompanyLink|SecureLink)Used|ListViewed|ListItemViewed|view'],
  ],
  file,
);

const accounts = rules('accountChange', [
  ['Create', 'Add user\\.?|Invite external user\\.?|CREATE_USER|user\\.lifecycle\\.create'],
  ['Enable', 'Enable account\\.?|UNSUSPEND_USER|user\\.lifecycle\\.(?:activate|reactivate|unsuspend)'],
  ['Password Change', 'Change (?:user )?password.*|password_edit|user\\.account\\.update_password'],
  [
    'Password Reset',
    'Reset (?:user )?password.*|CHANGE_PASSWORD|CHANGE_PASSWORD_ON_NEXT_LOGIN|user\\.account\\.reset_password',
  ],
  ['Disable', 'Disable account\\.?|SUSPEND_USER|user\\.lifecycle\\.(?:deactivate|suspend)'],
  ['Delete', 'Delete user\\.?|Hard Delete user\\.?|DELETE_USER|user\\.lifecycle\\.delete\\w*\\.?\\w*'],
  ['Lock', 'user\\.account\\.lock\\w*|account_disabled\\w*'],
  ['Unlock', 'user\\.account\\.unlock\\w*|UNLOCK_USER'],
  [
    'MFA Factor Enable',
    'user\\.mfa\\.factor\\.(?:activate|update)|2sv_enroll|passkey_enrolled|User registered (?:all required )?security info',
  ],
  [
    'MFA Factor Disable',
    'user\\.mfa\\.factor\\.(?:deactivate|reset_all)|2sv_disable|passkey_removed|User deleted security info',
  ],
  [
    'Other',
    'Update user\\.?|Update StsRefreshTokenValidFrom Timestamp\\.?|Set-User|user\\.account\\.\\w+|recovery_\\w+_edit|USER_LICENSE_\\w+',
  ],
]);

const privileges = rules('userAccess', [
  [
    'Assign Privileges',
    'Add (?:eligible )?member to role.*|ASSIGN_ROLE|user\\.account\\.privilege\\.grant|GRANT_(?:DELEGATED_)?ADMIN_PRIVILEGES?|Add app role assignment grant to user\\.?',
  ],
  [
    'Revoke Privileges',
    'Remove (?:eligible )?member from role.*|UNASSIGN_ROLE|user\\.account\\.privilege\\.revoke|REVOKE_ADMIN_PRIVILEGE|Remove app role assignment (?:grant )?from user\\.?',
  ],
]);

const groups = rules('groupManagement', [
  [
    'Add User',
    'Add member to group\\.?|AddedToGroup|MemberAdded|ADD_GROUP_MEMBER|add_user|add_member|group\\.user_membership\\.add',
  ],
  [
    'Remove User',
    'Remove member from group\\.?|RemovedFromGroup|MemberRemoved|REMOVE_GROUP_MEMBER|remove_user|remove_member|group\\.user_membership\\.remove',
  ],
  ['Create', 'Add group\\.?|GroupAdded|GroupCreation|TeamCreated|CREATE_GROUP|create_group|group\\.lifecycle\\.create'],
  [
    'Delete',
    'Delete group\\.?|Hard Delete group\\.?|GroupRemoved|TeamDeleted|DELETE_GROUP|delete_group|group\\.lifecycle\\.delete',
  ],
]);

const mails = rules('emailActivity', [
  ['Send', 'Send|SendAs|SendOnBehalf|send'],
  [
    'Scan',
    'TIMailData|Email(?:Delivered|Junked|Blocked|Replaced|Events|AttachmentInfo|UrlInfo|PostDeliveryEvents)|\\w+ (?:ZAP|remediation)',
  ],
  ['Trace', 'MessageTrace\\w*|delivery'],
]);

const programs = rules(
  'applicationLifecycle',
  [
    [
      'Install',
      'Add (?:application|service principal)\\.?|AppInstalled|DeployedAgent|application\\.lifecycle\\.create',
    ],
    [
      'Remove',
      '(?:Remove|Delete|Hard Delete) (?:application|service principal)\\.?|AppUninstalled|application\\.lifecycle\\.delete',
    ],
    ['Enable', 'application\\.lifecycle\\.activate'],
    ['Disable', 'BlockedAgent|application\\.lifecycle\\.deactivate'],
    [
      'Update',
      'Update (?:application|service principal).*|AppUpdatedByOwner|UpdatedAgent|Bot\\w*Update\\w*(?:-\\w+)?|application\\.lifecycle\\.update',
    ],
  ],
  program,
);

/** Names that begin with a verb, as cmdlets and directories have them. */
const verbs = {
  Create: '(?:Add|New|Create|Install|Consent)',
  Read: '(?:Get|Search|List|Read|Export)',
  Update: '(?:Set|Update|Change|Modify|Assign|Enable|Disable|Start|Stop|Restore|Move)',
  Delete: '(?:Remove|Delete|Hard Delete|Clear|Uninstall|Revoke)',
};

const cmdlets = rules('apiActivity', [
  ['Create', `${verbs.Create}-.*|MessageSent|ChatCreated|Create`],
  ['Read', `${verbs.Read}-.*|MailItemsAccessed|Graph (?:GET|HEAD|OPTIONS)`],
  [
    'Update',
    `${verbs.Update}-.*|.*/write|Update|Graph (?:PATCH|PUT)|ModifyFolderPermissions|UpdateInboxRules|UpdateFolderPermissions`,
  ],
  ['Delete', '.*/delete|Graph DELETE|Remove-.*|Clear-.*|Uninstall-.*|HardDelete|SoftDelete|MoveToDeletedItems'],
  [
    'Other',
    '\\w*(?:Copilot|AIApp)Interaction|aiResponse|userPrompt|AIExecuteTool|AIInvokeAgent|AIInferenceCall|feature_utilization|' +
      'Provisioning activity|(?:AAD|Microsoft) Graph Activity|.*/action',
  ],
]);

/** Members, owners, roles, permissions and credentials are added to objects that exist, and removed from them. */
const relations = rules('entityManagement', [
  [
    'Update',
    '(?:Add|Remove|Delete) .* (?:to|from) .*|.*permission ?grant.*|Consent to .*|(?:Add|Remove) .*credentials.*|' +
      '(?:ADD|REMOVE)_.*_(?:TO|FROM)_.*|.*\\.\\w+_(?:membership|assignment)\\.(?:add|remove)|SiteCollectionAdmin\\w+|' +
      '.*\\.(?:rule|bindings)\\.(?:add|create|delete|activate|deactivate)|group\\.privilege\\.\\w+',
  ],
  ...listParts(),
]);

/**
 * Google names what was added or removed, and the object of the event may have it as a part: `REMOVE_RECOVERY_EMAIL` of a user. By
 * kind of resource, what an action that adds or removes the object itself names.
 */
function listParts() {
  const objects = {
    application: 'APPLICATION',
    calendar: 'calendar',
    calendarEvent: 'event',
    domain: '\\w*DOMAINS?(?:_ALIAS)?',
    group: 'group',
    orgUnit: 'ORG_UNIT',
    role: 'ROLE',
    'file|folder|user': '',
  };
  return Object.entries(objects).map(
    ([resource, noun]) => ['Update', `(?:ADD|CREATE|DELETE|REMOVE)_(?!${noun}$).*`, resource] as const,
  );
}

const entities = rules('entityManagement', [
  [
    'Create',
    `${verbs.Create} .*|(?:CREATE|ADD)_.*|.*\\.(?:create|add)|(?:Site|SiteCollection|List)\\w*(?:Created|Added)`,
  ],
  ['Update', `${verbs.Update} .*|(?:CHANGE|UPDATE|TOGGLE)_.*|.*\\.update|change_.*`],
  [
    'Delete',
    `${verbs.Delete} .*|(?:DELETE|REMOVE)_.*|.*\\.(?:delete|remove|revoke)|(?:Site|SiteCollection|List)\\w*(?:Deleted|Removed)`,
  ],
  ['Enable', '.*\\.activate'],
  ['Disable', '.*\\.deactivate'],
]);

/** The first rule that applies decides. */
const logRules: readonly LogRule[] = [
  ...signIns,
  ...files,
  ...accounts,
  ...privileges,
  ...groups,
  ...mails,
  ...programs,
  ...cmdlets,
  ...relations,
  ...entities,
];

/** What decides about the rule of an event. */
export type RuledEvent = Pick<AuditLogEvent, 'action' | 'resourceType' | 'details'>;

/**
 * All requests to Graph have one action: their method decides. A POST creates an object, searches or calls a function, which
 * only its path tells.
 */
function nameAction({ action, details }: RuledEvent): string {
  const found = details?.requestMethod ?? details?.RequestMethod ?? details?.httpMethod;
  const method = graphRequests.has(action) ? found?.toUpperCase() : undefined;
  return method !== undefined && plainMethods.has(method) ? `Graph ${method}` : action;
}

/** The second is of the API before Microsoft Graph. */
const graphRequests: ReadonlySet<string> = new Set(['Microsoft Graph Activity', 'AAD Graph Activity']);
const plainMethods: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS', 'PATCH', 'PUT', 'DELETE']);

const unknownAction: LogRule = { class: 'base', activity: 'Other', action: /^/ };

/** Actions repeat: the patterns are tested once for each action and kind of resource. */
const cachedRules = new Map<string, readonly LogRule[]>();
const cachedRulesMax = 5_000;

/** The rules of an action, in order: an event that lacks what the class of one requires is of the next. The last is the base class, which requires nothing. */
export function findRules(event: RuledEvent): readonly LogRule[] {
  const { resourceType } = event;
  const action = nameAction(event);
  const key = `${resourceType ?? ''}\n${action}`;
  const cached = cachedRules.get(key);
  if (cached) return cached;
  const found = [
    ...logRules.filter((rule) => rule.action.test(action) && (rule.resource?.test(resourceType ?? '') ?? true)),
    unknownAction,
  ];
  if (cachedRules.size >= cachedRulesMax) cachedRules.clear();
  cachedRules.set(key, found);
  return found;
}
