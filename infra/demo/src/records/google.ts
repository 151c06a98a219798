import { numberOf } from '../chance.ts';
import type { File } from '../company.ts';
import type { Activity, Scene } from '../scene.ts';

const workspace = {
  by: 'anyone',
  feed: 'google',
  format: 'google.reports.activity',
  rhythm: 'office hours',
  delay: 'minutes',
} as const;

export const googleActivities: readonly Activity[] = [
  { ...workspace, weight: 12, record: (scene) => report(scene, 'drive', [driveEvent(scene, 'view', anyFile(scene))]) },
  { ...workspace, weight: 7, record: (scene) => report(scene, 'drive', [driveEvent(scene, 'edit', anyFile(scene))]) },
  { ...workspace, weight: 2, record: sharedOutside },
  { ...workspace, weight: 6, record: (scene) => report(scene, 'login', [loginEvent('login_success')]) },
  { ...workspace, weight: 2, record: (scene) => report(scene, 'login', [loginEvent('login_failure')]) },
  { ...workspace, weight: 2, record: usedGemini },
  { ...workspace, weight: 1, by: 'admin', record: settingChanged },
];

interface Event {
  readonly type: string;
  readonly name: string;
  readonly parameters: readonly Record<string, unknown>[];
}

function report(scene: Scene, applicationName: string, events: readonly Event[]) {
  const { company, chance, person } = scene;
  return {
    kind: 'admin#reports#activity',
    id: {
      time: new Date(scene.atMs).toISOString(),
      // Signed 64-bit, beyond what a JSON number keeps in most readers: providers print it as text.
      uniqueQualifier: String(BigInt.asIntN(64, BigInt(`0x${chance.hex(16)}`))),
      applicationName,
      customerId: `C0${numberOf(10 ** 7, company.plan.domain)}`,
    },
    actor: { callerType: 'USER', email: person.userPrincipalName, profileId: person.googleProfileId },
    ownerDomain: company.plan.domain,
    ipAddress: scene.address,
    events,
  };
}

function driveEvent(scene: Scene, name: string, file: File, rest: Event['parameters'] = []): Event {
  return {
    type: 'access',
    name,
    parameters: [
      { name: 'primary_event', boolValue: true },
      { name: 'doc_id', value: file.id.replaceAll('-', '') },
      { name: 'doc_title', value: file.name },
      { name: 'doc_type', value: 'document' },
      { name: 'owner', value: scene.person.userPrincipalName },
      { name: 'visibility', value: 'private' },
      ...rest,
    ],
  };
}

/** One activity of two events: who may see the document, and for whom it changed. */
function sharedOutside(scene: Scene) {
  const file = anyFile(scene);
  const guest = scene.chance.pick(scene.company.guests).userPrincipalName.split('#')[0] ?? '';
  const target = guest.replace(/_(?=[^_]*$)/, '@');
  const opened = [{ name: 'visibility_change', value: 'external' }];
  return report(scene, 'drive', [
    { ...driveEvent(scene, 'change_document_visibility', file, opened), type: 'acl_change' },
    {
      ...driveEvent(scene, 'change_user_access', file, [{ name: 'target_user', value: target }, ...opened]),
      type: 'acl_change',
    },
  ]);
}

function anyFile(scene: Scene): File {
  return scene.chance.pick(scene.company.files);
}

function loginEvent(name: 'login_success' | 'login_failure'): Event {
  const suspicious = { name: 'is_suspicious', boolValue: false };
  return { type: 'login', name, parameters: [{ name: 'login_type', value: 'google_password' }, suspicious] };
}

function usedGemini(scene: Scene) {
  const action = scene.chance.pick(['summarize_proofread', 'generate_text', 'ask_about_this_file']);
  const parameters = [
    { name: 'action', value: action },
    { name: 'app_name', value: scene.chance.pick(['docs', 'gmail', 'sheets']) },
  ];
  return report(scene, 'gemini_in_workspace_apps', [
    { type: 'ai_usage_event', name: 'feature_utilization', parameters },
  ]);
}

function settingChanged(scene: Scene) {
  const parameters = [
    { name: 'APPLICATION_NAME', value: 'drive' },
    { name: 'SETTING_NAME', value: 'SHARING_OUTSIDE_DOMAIN' },
    { name: 'OLD_VALUE', value: 'SHARING_ALLOWED' },
    { name: 'NEW_VALUE', value: 'SHARING_ALLOWED_WITH_WARNING' },
  ];
  return report(scene, 'admin', [{ type: 'APPLICATION_SETTINGS', name: 'CHANGE_APPLICATION_SETTING', parameters }]);
}
