import { describe, expect, test } from 'vitest';
import { ends, read, readDocument, readRow } from './message.ts';

const format = 'google.reports.activity';
const envelope = {
  kind: 'admin#reports#activity',
  etag: '"e1"',
  id: { time: '2026-11-20T08:15:30.000Z', uniqueQualifier: '-73', applicationName: 'drive', customerId: 'C1' },
  actor: { callerType: 'USER', email: 'ada@contoso.example', profileId: '117' },
  ownerDomain: 'contoso.example',
  ipAddress: '2001:db8::7',
  networkInfo: { ipAsn: [15169, 64512], regionCode: 'PL', subdivisionCode: 'PL-14' },
};
type Parameter = Readonly<Record<string, unknown>>;

function readEvent(applicationName: string, event: object, parameters: readonly Parameter[] = []) {
  return readDocument(format, {
    ...envelope,
    id: { ...envelope.id, applicationName },
    events: { ...event, parameters },
  });
}

test('a change of access shows what was changed, for whom and from where', () => {
  const parameters = [
    { name: 'primary_event', boolValue: true },
    { name: 'doc_id', value: 'doc-1' },
    { name: 'doc_title', value: 'Plan' },
    { name: 'doc_type', value: 'spreadsheet' },
    { name: 'target_user', value: 'eve@fabrikam.example' },
    { name: 'old_value', multiValue: ['none'] },
    { name: 'new_value', multiValue: ['can_view', 'can_comment'] },
    { name: 'old_visibility', value: 'private' },
    { name: 'visibility', value: 'shared_externally' },
    { name: 'size', intValue: '12' },
  ];
  const document = readEvent('drive', { type: 'acl_change', name: 'change_user_access' }, parameters);
  expect(document).toMatchObject({
    outcome: null,
    recordType: null,
    category: 'acl_change',
    location: { country: 'PL', region: 'PL-14', city: null, asn: 15169 },
    signIn: null,
    targets: [
      { id: 'doc-1', name: 'Plan', type: 'spreadsheet' },
      { id: 'eve@fabrikam.example', name: 'eve@fabrikam.example', type: 'user' },
    ],
    changes: [
      { name: null, before: 'none', after: 'can_view, can_comment' },
      { name: 'visibility', before: 'private', after: 'shared_externally' },
    ],
    threat: null,
    ai: null,
  });
  expect(document.details).toEqual({
    'actor.callerType': 'USER',
    doc_id: 'doc-1',
    doc_title: 'Plan',
    doc_type: 'spreadsheet',
    etag: '"e1"',
    'id.customerId': 'C1',
    kind: 'admin#reports#activity',
    'networkInfo.ipAsn': '15169, 64512',
    new_value: 'can_view, can_comment',
    old_value: 'none',
    old_visibility: 'private',
    ownerDomain: 'contoso.example',
    primary_event: 'true',
    size: '12',
    target_user: 'eve@fabrikam.example',
    visibility: 'shared_externally',
  });
});

test('a changed setting has the name of the setting', () => {
  const parameters = [
    { name: 'SETTING_NAME', value: 'SHARING_OUTSIDE_DOMAIN' },
    { name: 'OLD_VALUE', value: 'READ_ONLY' },
    { name: 'NEW_VALUE', value: 'READ_WRITE' },
    { name: 'ORG_UNIT_NAME', value: 'Sales' },
  ];
  const document = readEvent('admin', { type: 'CALENDAR_SETTINGS', name: 'CHANGE_CALENDAR_SETTING' }, parameters);
  expect(document).toMatchObject({
    category: 'CALENDAR_SETTINGS',
    changes: [{ name: 'SHARING_OUTSIDE_DOMAIN', before: 'READ_ONLY', after: 'READ_WRITE' }],
    targets: [{ id: 'Sales', name: 'Sales', type: 'orgUnit' }],
  });
});

test('the visibility of a document without an old one is no change', () => {
  const parameters = [{ name: 'visibility', value: 'private' }];
  expect(readEvent('drive', { name: 'view' }, parameters).changes).toBeNull();
});

test('messages inside of parameters are details with dotted names', () => {
  const scope = (name: string, ...buckets: string[]) => ({
    parameter: [
      { name: 'scope_name', value: name },
      { name: 'product_bucket', multiValue: buckets },
    ],
  });
  const parameters = [
    { name: 'client_id', value: '9.apps.example' },
    { name: 'app_name', value: 'Notes' },
    { name: 'scope_data', multiMessageValue: [scope('openid', 'IDENTITY'), scope('drive', 'DRIVE', 'DOCS')] },
    {
      name: 'origin',
      messageValue: { parameter: [{ name: 'flow', messageValue: { parameter: [{ name: 'n', intValue: 7 }] } }] },
    },
  ];
  const document = readEvent('token', { type: 'auth', name: 'authorize' }, parameters);
  expect(document).toMatchObject({
    targets: [{ id: '9.apps.example', name: 'Notes', type: 'application' }],
    details: {
      'scope_data.scope_name': 'openid, drive',
      'scope_data.product_bucket': 'IDENTITY, DRIVE, DOCS',
      'origin.flow.n': '7',
    },
  });
});

test('secrets and content do not reach a row', () => {
  const parameters = [{ name: 'NEW_PASSWORD', value: 'Winter-2026' }];
  const sensitiveParameters = [{ name: 'prompt', value: 'Sell the company' }];
  const { memberLines } = readRow(format, { ...envelope, events: { name: 'x', parameters, sensitiveParameters } });
  expect(memberLines).not.toMatch(/Winter-2026|Sell the company/);
});

describe('a sign-in', () => {
  const signIn = (name: string, parameters: Readonly<Record<string, unknown>>, application = 'login') =>
    readEvent(
      application,
      { type: 'login', name },
      Object.entries(parameters).map(([own, value]) => ({ name: own, value })),
    );

  test.each([
    ['login_success', { login_type: 'saml' }, 'success', null],
    [
      'login_failure',
      { login_failure_type: 'login_failure_invalid_password' },
      'failure',
      'login_failure_invalid_password',
    ],
    ['login_challenge', { login_challenge_status: 'Challenge Passed.' }, 'success', null],
    ['login_verification', { login_challenge_status: 'passed' }, 'success', null],
    ['login_challenge', { login_challenge_status: 'Challenge Failed.' }, 'failure', null],
    ['login_challenge', { login_challenge_status: 'incorrect_answer_entered' }, 'failure', null],
    ['login_challenge', { login_challenge_status: 'pending' }, null, null],
    ['login_challenge', {}, null, null],
    ['logout', {}, null, null],
  ])('%s with %o has the outcome %s', (name, parameters, outcome, outcomeReason) => {
    expect(signIn(name, parameters)).toMatchObject({ outcome, outcomeReason });
  });

  test('shows its protocol and the result of the second factor', () => {
    const document = signIn('login_verification', { login_type: 'google_password', login_challenge_status: 'passed' });
    expect(document.signIn).toMatchObject({ authenticationProtocol: 'google_password', mfaResult: 'passed' });
  });

  test.each([true, 'true'])('that Google marks as suspicious (%j) has a threat', (is_suspicious) => {
    expect(signIn('login_success', { is_suspicious })).toMatchObject({
      outcome: 'success',
      severity: 'medium',
      signIn: { riskState: 'is_suspicious' },
      threat: { verdict: 'suspicious', level: null, name: 'login_success', source: 'Google Workspace' },
    });
    expect(signIn('login_success', { is_suspicious: false })).toMatchObject({
      severity: 'informational',
      threat: null,
    });
  });

  test('by SAML is to the application, from the device', () => {
    const parameters = { application_name: 'Salesforce', device_id: 'dev-1', saml_status_code: 'SUCCESS_URI' };
    expect(signIn('login_success', parameters, 'saml')).toMatchObject({
      description: 'ada@contoso.example signed in to Salesforce in GoogleSaml.',
      applicationDisplayName: 'Salesforce',
      deviceId: 'dev-1',
      targets: [
        { id: 'Salesforce', type: 'application' },
        { id: 'dev-1', type: 'device' },
      ],
    });
  });

  test('by SAML has the code of the status', () => {
    const failed = signIn('login_failure', { saml_status_code: 'NO_PASSIVE', failure_type: 'x' }, 'saml');
    expect(failed).toMatchObject({ outcome: 'failure', errorCode: 'NO_PASSIVE', outcomeReason: 'x' });
  });
});

test.each([
  ['login', 'gov_attack_warning', [], 'governmentBackedAttack', 'critical'],
  ['login', 'account_disabled_hijacked', [], 'compromised', 'high'],
  ['login', 'suspicious_login', [], 'suspicious', 'high'],
  ['login', 'user_signed_out_due_to_suspicious_session_cookie', [], 'suspicious', 'high'],
  [
    'mobile',
    'DEVICE_COMPROMISED_EVENT',
    [{ name: 'DEVICE_COMPROMISED_STATE', value: 'COMPROMISED' }],
    'compromised',
    'high',
  ],
  ['rules', 'rule_match', [{ name: 'severity', value: 'HIGH' }], 'ruleMatch', 'high'],
  [
    'rules',
    'rule_match',
    [{ name: 'triggered_actions', value: [{ action_type: 'MAIL_MARK_AS_PHISHING' }] }],
    'phishing',
    'medium',
  ],
  ['gmail', 'delivery', [{ name: 'message_info', value: { attachment: { malware_family: 3 } } }], 'malware', 'high'],
  ['gmail', 'delivery', [{ name: 'message_info', value: { is_spam: true } }], 'spam', 'low'],
])('an event of %s, %s, has a verdict', (application, name, parameters, verdict, severity) => {
  expect(readEvent(application, { name }, parameters)).toMatchObject({ severity, threat: { verdict } });
});

test.each([
  ['mobile', 'DEVICE_COMPROMISED_EVENT', [{ name: 'DEVICE_COMPROMISED_STATE', value: 'NOT_COMPROMISED' }]],
  ['rules', 'rule_match', [{ name: 'severity', value: 'INFO' }]],
  ['gmail', 'delivery', [{ name: 'message_info', value: { is_spam: false } }]],
  ['drive', 'view', [{ name: 'severity', value: 'HIGH' }]],
])('an event of %s, %s, has no verdict', (application, name, parameters) => {
  expect(readEvent(application, { name }, parameters)).toMatchObject({ severity: 'informational', threat: null });
});

test.each([
  ['SUCCEEDED', 'success'],
  ['SUCCEEDED_WITH_WARNINGS', 'success'],
  ['FAILED', 'failure'],
  ['SKIPPED', null],
  ['UNKNOWN_EVENT_STATUS', null],
])('the status %s is the outcome %s', (eventStatus, outcome) => {
  const status = { eventStatus, errorCode: 'E1', errorMessage: 'Not allowed', httpStatusCode: 403 };
  expect(readEvent('classroom', { name: 'x', status })).toMatchObject({
    outcome,
    errorCode: 'E1',
    outcomeReason: 'Not allowed',
    details: { 'status.httpStatusCode': '403', 'status.eventStatus': eventStatus },
  });
});

test('a device event has the device and its system', () => {
  const parameters = [
    { name: 'DEVICE_ID', value: 'd-1' },
    { name: 'DEVICE_MODEL', value: 'Pixel' },
    { name: 'DEVICE_TYPE', value: 'ANDROID' },
    { name: 'OS_VERSION', value: 'Android 17' },
  ];
  const synced = { type: 'device_updates', name: 'DEVICE_SYNC_EVENT' };
  expect(readEvent('mobile', synced, parameters)).toMatchObject({
    deviceId: 'd-1',
    deviceName: 'Pixel',
    deviceOs: 'Android 17',
  });
  expect(readEvent('mobile', synced, parameters.slice(0, 3))).toMatchObject({ deviceOs: 'ANDROID' });
  expect(readEvent('admin', synced, parameters.slice(0, 3))).toMatchObject({ deviceOs: null });
  const access = [{ name: 'CAA_DEVICE_ID', value: 'd-2' }];
  expect(readEvent('context_aware_access', { name: 'ACCESS_DENY_EVENT' }, access)).toMatchObject({
    deviceId: 'd-2',
    outcome: 'failure',
  });
});

describe('a participant of a meeting from outside', () => {
  const readParticipant = (parameters: Readonly<Record<string, string>>) => {
    const { ipAddress: _, ...rest } = envelope;
    const actor = { callerType: 'KEY', key: 'HANGOUTS_EXTERNAL_OR_ANONYMOUS' };
    const all = { conference_id: 'c-1', meeting_code: 'ABC', ip_address: '198.51.100.9', ...parameters };
    const events = { name: 'call_ended', parameters: Object.entries(all).map(([name, value]) => ({ name, value })) };
    return readDocument(format, { ...rest, actor, id: { ...envelope.id, applicationName: 'meet' }, events });
  };

  test('is a guest by the address, at the address of the parameters', () => {
    const named = { identifier_type: 'email_address', identifier: 'Eve@fabrikam.example', display_name: 'Eve' };
    expect(readParticipant(named)).toMatchObject({
      actorType: 'guest',
      actorId: 'eve@fabrikam.example',
      actorName: 'Eve@fabrikam.example',
      actorIp: '198.51.100.9',
      resourceId: 'c-1',
      resourceName: 'ABC',
      resourceType: 'meeting',
    });
  });

  test.each([
    [{ identifier_type: 'phone_number', identifier: '+48 555 0100' }, '+48 555 0100', '+48 555 0100'],
    [{ display_name: 'Eve' }, null, 'Eve'],
    [{}, null, null],
  ])('with %o is anonymous', (parameters, actorId, actorName) => {
    expect(readParticipant(parameters)).toMatchObject({ actorType: 'anonymous', actorId, actorName });
  });
});

test.each([
  ['user', 'eve@fabrikam.example'],
  ['service account', 'sync@project.example'],
])('a member of a group, a %s, is a target', (type, id) => {
  const parameters = [
    { name: 'group_id', value: 'sales@contoso.example' },
    { name: 'member_id', value: id },
    { name: 'member_type', value: type },
  ];
  expect(readEvent('groups_enterprise', { type: 'moderator_action', name: 'add_member' }, parameters)).toMatchObject({
    resourceId: 'sales@contoso.example',
    resourceType: 'group',
    targets: [
      { id: 'sales@contoso.example', type: 'group' },
      { id, name: id, type },
    ],
  });
});

test('a report of Looker Studio that anyone with the link can open is medium, with the report and both visibilities', () => {
  const parameters = (visibility: string, prior: string) => [
    { name: 'ASSET_ID', value: 'asset-1' },
    { name: 'ASSET_NAME', value: 'Sales' },
    { name: 'ASSET_TYPE', value: 'REPORT' },
    { name: 'VISIBILITY', value: visibility },
    { name: 'PRIOR_VISIBILITY', value: prior },
    { name: 'TARGET_USER_EMAIL', value: 'eve@fabrikam.example' },
  ];
  const read = (visibility: string, prior: string) =>
    readEvent(
      'data_studio',
      { type: 'ACL_CHANGE', name: 'CHANGE_ASSET_LINK_SHARING_VISIBILITY' },
      parameters(visibility, prior),
    );
  expect(read('PEOPLE_WITH_LINK', 'PRIVATE')).toMatchObject({
    severity: 'medium',
    resourceId: 'asset-1',
    resourceName: 'Sales',
    targets: [
      { id: 'asset-1', name: 'Sales', type: 'REPORT' },
      { id: 'eve@fabrikam.example', type: 'user' },
    ],
    changes: [{ name: 'visibility', before: 'PRIVATE', after: 'PEOPLE_WITH_LINK' }],
  });
  expect(read('PRIVATE', 'PRIVATE')).toMatchObject({ severity: 'low', changes: null });
});

test('a document published on the web is medium, with the visibility of its publication', () => {
  const read = (current: string, prior: string) =>
    readEvent('drive', { type: 'acl_change', name: 'publish_change' }, [
      { name: 'doc_id', value: 'doc-1' },
      { name: 'visibility', value: 'private' },
      { name: 'old_publish_visibility', value: prior },
      { name: 'new_publish_visibility', value: current },
    ]);
  expect(read('public_on_the_web', 'no_value')).toMatchObject({
    severity: 'medium',
    changes: [{ name: 'publish_visibility', before: 'no_value', after: 'public_on_the_web' }],
  });
  expect(read('no_value', 'public_on_the_web').severity).not.toBe('medium');
});

test.each([
  ['CREATE_EMAIL_MONITOR', 'medium'],
  ['REQUEST_MAILBOX_DUMP', 'medium'],
  ['CHANGE_SSO_SETTINGS', 'medium'],
  ['UNBLOCK_ALL_THIRD_PARTY_API_ACCESS', 'medium'],
  ['BLOCK_ALL_THIRD_PARTY_API_ACCESS', 'low'],
  ['passkey_enrolled', 'low'],
])('%s has the severity %s', (name, severity) => {
  expect(readEvent('admin', { name }, [])).toMatchObject({ severity });
});

test('a monitor of mail names the user and the address that receives the copies', () => {
  const parameters = [
    { name: 'USER_EMAIL', value: 'ada@contoso.example' },
    { name: 'EMAIL_MONITOR_DEST_EMAIL', value: 'eve@contoso.example' },
  ];
  expect(readEvent('admin', { name: 'CREATE_EMAIL_MONITOR' }, parameters).targets).toEqual([
    { id: 'ada@contoso.example', name: 'ada@contoso.example', type: 'user' },
    { id: 'eve@contoso.example', name: 'eve@contoso.example', type: 'emailAddress' },
  ]);
});

test('a level of access that is assigned for the first time is a change', () => {
  const parameters = [{ name: 'CAA_ACCESS_ASSIGNMENTS_NEW', value: 'managed' }];
  expect(readEvent('admin', { name: 'CHANGE_CAA_APP_ASSIGNMENTS' }, parameters).changes).toEqual([
    { name: 'CAA_ACCESS_ASSIGNMENTS', before: null, after: 'managed' },
  ]);
});

test.each([
  ['shared_drive_settings_change_type', 'anyone_access', 'old_settings_state', 'new_settings_state'],
  ['REAUTH_APPLICATION', 'Admin console', 'REAUTH_SETTING_OLD', 'REAUTH_SETTING_NEW'],
])('the setting that %s names has both values', (setting, name, old, current) => {
  const parameters = [
    { name: setting, value: name },
    { name: old, value: 'off' },
    { name: current, value: 'on' },
  ];
  expect(readEvent('drive', { name: 'change' }, parameters).changes).toEqual([{ name, before: 'off', after: 'on' }]);
});

test('events of Chrome name the extension, the page and the file', () => {
  const read = (name: string, values: Record<string, string>) =>
    readEvent(
      'chrome',
      { type: `${name}_TYPE`, name },
      Object.entries(values).map(([parameter, value]) => ({ name: parameter, value })),
    );
  expect(read('BROWSER_EXTENSION_INSTALL', { APP_ID: 'laaa', APP_NAME: 'Launcher' })).toMatchObject({
    resourceId: 'laaa',
    resourceName: 'Launcher',
    targets: [{ id: 'laaa', name: 'Launcher', type: 'application' }],
  });
  expect(read('UNSAFE_SITE_VISIT', { TAB_URL: 'https://evil.example/a' })).toMatchObject({
    resourceId: 'https://evil.example/a',
    resourceType: 'url',
  });
  expect(read('CONTENT_TRANSFER', { CONTENT_NAME: 'C:\\plan.pdf', CONTENT_HASH: 'hash-1' })).toMatchObject({
    resourceId: 'hash-1',
    resourceName: 'C:\\plan.pdf',
    resourceType: 'deviceFile',
  });
});

test('a call of Google Meet has its place', () => {
  const parameters = [
    { name: 'location_country', value: 'BT' },
    { name: 'location_region', value: 'Thimphu' },
    { name: 'target_email', value: 'eve@fabrikam.example' },
  ];
  const activity = {
    id: { time: '2026-11-20T08:15:30Z', applicationName: 'meet', uniqueQualifier: '1' },
    actor: { email: 'ada@contoso.example', profileId: '1' },
    events: [{ type: 'call', name: 'call_ended', parameters }],
  };
  expect(readDocument('google.reports.activity', activity)).toMatchObject({
    location: { country: 'BT', region: 'Thimphu' },
    targets: [{ id: 'eve@fabrikam.example', type: 'user' }],
  });
});

test('a rule that matched has the address of the person in a parameter', () => {
  const parameters = [{ name: 'actor_ip_address', value: '203.0.113.9' }];
  const activity = {
    id: { time: '2026-11-20T08:15:30Z', applicationName: 'rules', uniqueQualifier: '1' },
    actor: { email: 'ada@contoso.example', profileId: '1' },
    events: [{ type: 'rule_match_type', name: 'rule_match', parameters }],
  };
  expect(readDocument('google.reports.activity', activity)).toMatchObject({ actorIp: '203.0.113.9' });
});

test.each([
  ['COMPANY_DEVICE_ID', 'device'],
  ['DEVICE_SERIAL_NUMBER', 'device'],
  ['MOBILE_APP_PACKAGE_ID', 'application'],
  ['EMAIL_LOG_SEARCH_MSG_ID', 'email'],
  ['ALERT_NAME', 'alertRule'],
  ['OBFUSCATED_CUSTOMER_TAKEOUT_REQUEST_ID', 'export'],
])('an event of an administrator is about the object in %s', (name, resourceType) => {
  expect(readEvent('admin', { type: 'SETTINGS', name: 'CHANGE' }, [{ name, value: 'object-1' }])).toMatchObject({
    resourceId: 'object-1',
    resourceType,
    targets: [{ id: 'object-1', type: resourceType }],
  });
});

test.each([
  ['_SEED_ADMIN_ROLE', 'high'],
  ['_HELP_DESK_ADMIN_ROLE', 'medium'],
])('an assignment of the role %s is %s', (value, severity) => {
  const parameters = [
    { name: 'ROLE_NAME', value },
    { name: 'USER_EMAIL', value: 'eve@contoso.example' },
  ];
  expect(readEvent('admin', { type: 'DELEGATED_ADMIN_SETTINGS', name: 'ASSIGN_ROLE' }, parameters).severity).toBe(
    severity,
  );
});

test('users who are added to a chat are targets', () => {
  const parameters = [
    { name: 'room_id', value: 'r-1' },
    { name: 'target_users', multiValue: ['eve@fabrikam.example', 'bob@contoso.example'] },
  ];
  expect(readEvent('chat', { type: 'user_action', name: 'add_room_member' }, parameters)).toMatchObject({
    resourceId: 'r-1',
    targets: [
      { id: 'r-1', type: 'chat' },
      { id: 'eve@fabrikam.example', type: 'user' },
      { id: 'bob@contoso.example', type: 'user' },
    ],
  });
});

test('a failed sign-in to ChromeOS is to a device, by a user, for a reason', () => {
  const parameters = [
    { name: 'DEVICE_NAME', value: '5CD1234XYZ' },
    { name: 'DEVICE_USER', value: 'eve@contoso.example' },
    { name: 'DIRECTORY_DEVICE_ID', value: 'dev-1' },
    { name: 'LOGIN_FAILURE_REASON', value: 'AUTHENTICATION_ERROR' },
  ];
  const event = { type: 'CHROME_OS_LOGIN_LOGOUT_TYPE', name: 'CHROME_OS_LOGIN_FAILURE_EVENT' };
  expect(readEvent('chrome', event, parameters)).toMatchObject({
    outcome: 'failure',
    outcomeReason: 'AUTHENTICATION_ERROR',
    resourceId: 'dev-1',
    resourceName: '5CD1234XYZ',
    resourceType: 'device',
    targets: [
      { id: 'dev-1', name: '5CD1234XYZ', type: 'device' },
      { id: 'eve@contoso.example', type: 'user' },
    ],
  });
});

test('an event of Gemini has the application it took place in', () => {
  const parameters = [
    { name: 'app_name', value: 'docs' },
    { name: 'action', value: 'summarize' },
  ];
  const used = { type: 'ai_usage_event', name: 'feature_utilization' };
  expect(readEvent('gemini_in_workspace_apps', used, parameters)).toMatchObject({
    ai: { agentId: null, host: 'docs', jailbreak: null },
    details: { action: 'summarize' },
  });
});

test('resources of an activity are targets', () => {
  const resourceDetails = [{ id: 'r1', title: 'Plan', type: 'DOCUMENT', relation: 'DRIVE_PRIMARY' }, 'x', null];
  expect(readDocument(format, { ...envelope, resourceDetails, events: { name: 'view' } })).toMatchObject({
    targets: [{ id: 'r1', name: 'Plan', type: 'DOCUMENT' }],
    details: { 'resourceDetails.relation': 'DRIVE_PRIMARY' },
  });
});

describe('a row of a warehouse', () => {
  const parameters = {
    doc_id: 'doc-1',
    doc_title: 'Plan',
    visibility: 'private',
    old_value: ['none'],
    new_value: ['can_edit'],
  };
  const flat = { ...envelope, event_name: 'change_user_access', event_type: 'acl_change', ...parameters };

  test('has the meaning of the activity it was flattened from', () => {
    const nested = readDocument(format, {
      ...envelope,
      events: [
        {
          type: 'acl_change',
          name: 'change_user_access',
          parameters: Object.entries(parameters).map(([name, value]) =>
            Array.isArray(value) ? { name, multiValue: value } : { name, value },
          ),
        },
      ],
    });
    const { id: _, ...meaning } = readDocument(format, flat);
    expect({ id: nested.id, ...meaning }).toEqual(nested);
  });

  test('has another id than a row that differs in a replaced member', () => {
    const text = JSON.stringify(flat);
    const doubled = (title: string) => text.replace('"doc_title"', `"doc_title":"${title}","doc_title"`);
    expect(readRow(format, doubled('a')).id).not.toBe(readRow(format, doubled('b')).id);
    expect(readRow(format, doubled('a')).id).toBe(readRow(format, doubled('a')).id);
  });

  test('has a time with a space and nanoseconds', () => {
    const id = { ...envelope.id, time: '2022-12-11 02:57:48.693000000' };
    expect(readDocument(format, { ...flat, id }).occurredAt).toBe('2022-12-11T02:57:48.693Z');
  });

  test.each([1_605_000_000_123_456, '1605000000123456'])('of the export to BigQuery is read (time %j)', (time_usec) => {
    const exported = {
      time_usec,
      unique_identifier: 'u1',
      record_type: 'drive',
      email: 'ada@contoso.example',
      ip_address: '203.0.113.7',
      event_name: 'change_user_access',
      event_type: 'acl_change',
      drive: parameters,
    };
    expect(readDocument(format, exported)).toMatchObject({
      occurredAt: '2020-11-10T09:20:00.123Z',
      action: 'change_user_access',
      category: 'acl_change',
      actorName: 'ada@contoso.example',
      actorIp: '203.0.113.7',
      workload: 'GoogleDrive',
      resourceId: 'doc-1',
      details: { doc_id: 'doc-1', visibility: 'private' },
    });
  });

  test('of the export to BigQuery without a usable time is a dead letter', () => {
    const exported = { record_type: 'drive', event_name: 'view' };
    expect(ends(read(format, exported))).toEqual(['MISSING_TIMESTAMP']);
    expect(ends(read(format, { ...exported, time_usec: 'soon' }))).toEqual(['INVALID_TIMESTAMP']);
    expect(ends(read(format, { ...exported, time_usec: '9999999999999999' }))).toEqual(['INVALID_TIMESTAMP']);
  });
});

describe.each([null, 'text', 7, true, [], [[]], {}, [{}], [null, 'x', { name: {}, value: [[{}]] }], { parameter: 1 }])(
  'a member that is %j',
  (odd) => {
    test.each(['kind', 'etag', 'actor', 'ownerDomain', 'ipAddress', 'networkInfo', 'resourceDetails'])(
      'in place of %s costs no record',
      (name) => {
        expect(ends(read(format, { ...envelope, [name]: odd, events: { name: 'view' } }))).toEqual(['log']);
      },
    );
    test.each(['type', 'parameters', 'status', 'sensitiveParameters', 'resourceIds'])(
      'in place of %s of an event costs no record',
      (name) => {
        expect(ends(read(format, { ...envelope, events: { name: 'view', [name]: odd } }))).toEqual(['log']);
      },
    );
    test.each(['value', 'intValue', 'boolValue', 'multiValue', 'messageValue', 'multiMessageValue'])(
      'in place of %s of each parameter that is read costs no record',
      (member) => {
        const names = 'doc_id visibility old_value severity is_suspicious login_challenge_status client_id user_agent';
        const parameters = names.split(' ').map((name) => ({ name, [member]: odd }));
        for (const applicationName of ['login', 'drive', 'rules', 'gmail', 'token']) {
          const payload = { ...envelope, id: { ...envelope.id, applicationName }, events: { name: 'x', parameters } };
          expect(ends(read(format, payload))).toEqual(['log']);
        }
      },
    );
    test('in the columns of a warehouse costs no record', () => {
      const flat = { ...envelope, event_name: 'view', event_type: odd, doc_id: odd, visibility: odd, __proto__: odd };
      expect(ends(read(format, flat))).toEqual(['log']);
    });
  },
);

test('ten thousand parameters give a row within the limits, in time', () => {
  const parameters = Array.from({ length: 10_000 }, (_, index) => ({
    name: index % 2 ? 'doc_id' : `p${index}`,
    value: 'v',
  }));
  const started = process.cpuUsage();
  const document = readEvent('drive', { name: 'x' }, parameters);
  const { user, system } = process.cpuUsage(started);
  expect((user + system) / 1_000).toBeLessThan(500);
  expect(document.truncated).toBe(true);
});
