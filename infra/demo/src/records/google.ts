import type { Activity, ActivityContext } from '../activity.ts';
import type { File } from '../company.ts';
import { deriveNumber } from '../random.ts';

const workspace = {
  by: 'anyone',
  feed: 'google',
  format: 'google.reports.activity',
  schedule: 'office hours',
  delay: 'minutes',
} as const;

export const googleActivities: readonly Activity[] = [
  {
    ...workspace,
    weight: 12,
    record: (context) => report(context, 'drive', [driveEvent(context, 'view', chooseFile(context))]),
  },
  {
    ...workspace,
    weight: 7,
    record: (context) => report(context, 'drive', [driveEvent(context, 'edit', chooseFile(context))]),
  },
  { ...workspace, weight: 2, record: sharedOutside },
  { ...workspace, weight: 6, record: (context) => report(context, 'login', [loginEvent('login_success')]) },
  { ...workspace, weight: 2, record: (context) => report(context, 'login', [loginEvent('login_failure')]) },
  { ...workspace, weight: 2, record: usedGemini },
  { ...workspace, weight: 1, by: 'admin', record: settingChanged },
];

interface Event {
  readonly type: string;
  readonly name: string;
  readonly parameters: readonly Record<string, unknown>[];
}

function report(context: ActivityContext, applicationName: string, events: readonly Event[]) {
  const { company, random, person } = context;
  return {
    kind: 'admin#reports#activity',
    id: {
      time: new Date(context.atMs).toISOString(),
      // Signed 64-bit, beyond what a JSON number keeps in most readers: providers print it as text.
      uniqueQualifier: String(BigInt.asIntN(64, BigInt(`0x${random.hex(16)}`))),
      applicationName,
      customerId: `C0${deriveNumber(10 ** 7, company.plan.domain)}`,
    },
    actor: { callerType: 'USER', email: person.userPrincipalName, profileId: person.googleProfileId },
    ownerDomain: company.plan.domain,
    ipAddress: context.address,
    events,
  };
}

function driveEvent(context: ActivityContext, name: string, file: File, rest: Event['parameters'] = []): Event {
  return {
    type: 'access',
    name,
    parameters: [
      { name: 'primary_event', boolValue: true },
      { name: 'doc_id', value: file.id.replaceAll('-', '') },
      { name: 'doc_title', value: file.name },
      { name: 'doc_type', value: 'document' },
      { name: 'owner', value: context.person.userPrincipalName },
      { name: 'visibility', value: 'private' },
      ...rest,
    ],
  };
}

/** One activity with two events: the visibility change and the user access change. */
function sharedOutside(context: ActivityContext) {
  const file = chooseFile(context);
  const guest = context.random.pick(context.company.guests).userPrincipalName.split('#')[0] ?? '';
  const target = guest.replace(/_(?=[^_]*$)/, '@');
  const opened = [{ name: 'visibility_change', value: 'external' }];
  return report(context, 'drive', [
    { ...driveEvent(context, 'change_document_visibility', file, opened), type: 'acl_change' },
    {
      ...driveEvent(context, 'change_user_access', file, [{ name: 'target_user', value: target }, ...opened]),
      type: 'acl_change',
    },
  ]);
}

function chooseFile(context: ActivityContext): File {
  return context.random.pick(context.company.files);
}

function loginEvent(name: 'login_success' | 'login_failure'): Event {
  const suspicious = { name: 'is_suspicious', boolValue: false };
  return { type: 'login', name, parameters: [{ name: 'login_type', value: 'google_password' }, suspicious] };
}

function usedGemini(context: ActivityContext) {
  const action = context.random.pick(['summarize_proofread', 'generate_text', 'ask_about_this_file']);
  const parameters = [
    { name: 'action', value: action },
    { name: 'app_name', value: context.random.pick(['docs', 'gmail', 'sheets']) },
  ];
  return report(context, 'gemini_in_workspace_apps', [
    { type: 'ai_usage_event', name: 'feature_utilization', parameters },
  ]);
}

function settingChanged(context: ActivityContext) {
  const parameters = [
    { name: 'APPLICATION_NAME', value: 'drive' },
    { name: 'SETTING_NAME', value: 'SHARING_OUTSIDE_DOMAIN' },
    { name: 'OLD_VALUE', value: 'SHARING_ALLOWED' },
    { name: 'NEW_VALUE', value: 'SHARING_ALLOWED_WITH_WARNING' },
  ];
  return report(context, 'admin', [{ type: 'APPLICATION_SETTINGS', name: 'CHANGE_APPLICATION_SETTING', parameters }]);
}
