import type { Feed } from './feed.ts';

/** Every feed, declared once: watermarks, topics, record tables, scope groups, source progress and labels derive from it. */
export const feeds = {
  logs: {
    label: { en: 'Audit logs', pl: 'Dzienniki audytu' },
    topics: ['activity'],
    alsoWrittenBy: [],
    recordTable: null,
    scopes: ['logs:read'],
    scopeGroup: 'feeds',
    reference: null,
    sources: { logs: { label: { en: 'Audit logs (all)', pl: 'Dzienniki audytu (wszystkie)' }, recordName: null } },
  },
  detections: {
    label: { en: 'Detections', pl: 'Wykrycia' },
    topics: ['detection'],
    alsoWrittenBy: [],
    recordTable: 'detection',
    scopes: ['detections:read'],
    scopeGroup: 'feeds',
    reference: { kind: 'detection', getOperation: 'get_detection' },
    sources: { detections: { label: { en: 'Detections', pl: 'Wykrycia' }, recordName: 'detection' } },
  },
  policyScans: {
    label: { en: 'Policy scans', pl: 'Skany zasad' },
    topics: ['policyScan'],
    alsoWrittenBy: [],
    recordTable: 'policy_scan',
    scopes: ['policy-scans:read'],
    scopeGroup: 'feeds',
    reference: { kind: 'policyScan', getOperation: 'get_policy_scan' },
    sources: { policy_scans: { label: { en: 'Policy scans', pl: 'Skany zasad' }, recordName: 'policyScan' } },
  },
  notifications: {
    label: { en: 'Notifications', pl: 'Powiadomienia' },
    topics: ['notification'],
    alsoWrittenBy: [],
    recordTable: 'notification',
    scopes: ['notifications:read'],
    scopeGroup: 'feeds',
    reference: null,
    sources: { notifications: { label: { en: 'Notifications', pl: 'Powiadomienia' }, recordName: 'notification' } },
  },
  actions: {
    label: { en: 'Actions', pl: 'Działania' },
    topics: ['action'],
    alsoWrittenBy: [],
    recordTable: 'action',
    scopes: ['actions:read'],
    scopeGroup: 'feeds',
    reference: null,
    sources: { actions: { label: { en: 'Actions', pl: 'Działania' }, recordName: 'action' } },
  },
  securityAlerts: {
    label: { en: 'Security alerts', pl: 'Alerty bezpieczeństwa' },
    topics: ['rawAlert'],
    // An activity record of type 40 writes an audit log row and its alert in one transaction.
    alsoWrittenBy: ['activity'],
    recordTable: 'security_alert',
    scopes: ['security-alerts:read'],
    scopeGroup: 'feeds',
    reference: { kind: 'securityAlert', getOperation: 'get_security_alert' },
    sources: {
      security_alerts: {
        label: { en: 'Security alerts', pl: 'Alerty bezpieczeństwa' },
        recordName: 'securityAlert',
      },
    },
  },
  entities: {
    label: { en: 'Entities', pl: 'Obiekty' },
    topics: ['entity', 'rawEntity'],
    alsoWrittenBy: [],
    recordTable: null,
    scopes: [
      'users:read',
      'files:read',
      'groups:read',
      'sites:read',
      'apps:read',
      'devices:read',
      'emails:read',
      'licenses:read',
      'sensitive-info:read',
    ],
    scopeGroup: 'entities',
    reference: null,
    sources: {
      users: { label: { en: 'Users', pl: 'Użytkownicy' }, recordName: 'user' },
      files: { label: { en: 'Files', pl: 'Pliki' }, recordName: 'file' },
      groups: { label: { en: 'Groups', pl: 'Grupy' }, recordName: 'group' },
      sites: { label: { en: 'Sites', pl: 'Witryny' }, recordName: 'site' },
      apps: { label: { en: 'Apps', pl: 'Aplikacje' }, recordName: 'app' },
      devices: { label: { en: 'Devices', pl: 'Urządzenia' }, recordName: 'device' },
      emails: { label: { en: 'Email', pl: 'Poczta' }, recordName: 'email' },
      licenses: { label: { en: 'Licenses', pl: 'Licencje' }, recordName: 'license' },
      sensitive_info_types: {
        label: { en: 'Sensitive information types', pl: 'Typy informacji wrażliwych' },
        recordName: 'sensitiveInfoType',
      },
    },
  },
  // Apart from the other entities, whose lists need not wait for the lanes of the audit log.
  agents: {
    label: { en: 'AI agents', pl: 'Agenty AI' },
    topics: [],
    // An interaction with an AI writes an audit log row and the agent that no inventory reports in one transaction.
    alsoWrittenBy: ['entity', 'rawEntity', 'activity'],
    recordTable: null,
    scopes: ['agents:read'],
    scopeGroup: 'entities',
    reference: null,
    sources: { agents: { label: { en: 'AI agents', pl: 'Agenty AI' }, recordName: 'agent' } },
  },
  // Served in evidence packs, compliance status and reports; without a list of its own.
  agentEvidence: {
    label: { en: 'Agent evidence', pl: 'Dowody dotyczące agentów' },
    topics: ['agentEvidence'],
    alsoWrittenBy: [],
    recordTable: 'agent_evidence',
    scopes: ['evidence:read'],
    scopeGroup: 'evidence',
    reference: null,
    sources: {
      agent_evidence: { label: { en: 'Agent evidence', pl: 'Dowody dotyczące agentów' }, recordName: null },
      data_restrictions: { label: { en: 'Data restrictions', pl: 'Ograniczenia danych' }, recordName: 'restriction' },
    },
  },
  compliance: {
    label: { en: 'Compliance records', pl: 'Zapisy zgodności' },
    topics: ['compliance'],
    alsoWrittenBy: [],
    recordTable: 'compliance_record',
    scopes: ['evidence:read'],
    scopeGroup: 'evidence',
    reference: null,
    sources: {
      security_score: {
        label: { en: 'Vendor security score', pl: 'Ocena bezpieczeństwa dostawcy' },
        recordName: 'securityScore',
      },
      agent_risk: { label: { en: 'Agent risk', pl: 'Ryzyko agentów' }, recordName: 'agentRisk' },
      user_risk: { label: { en: 'User risk', pl: 'Ryzyko użytkowników' }, recordName: 'userRisk' },
    },
  },
} as const satisfies Readonly<Record<string, Feed>>;

export type FeedName = keyof typeof feeds;
export const feedNames = Object.keys(feeds) as readonly FeedName[];

type FeedWith<Member extends keyof Feed> = (typeof feeds)[FeedName][Member];

export type FeedScope = FeedWith<'scopes'>[number];
export type FeedTopicName = FeedWith<'topics'>[number];
export type RecordTableName = Exclude<FeedWith<'recordTable'>, null>;

/** Kinds of records, other than entities, that other records refer to by id. */
export type FeedReference = Exclude<FeedWith<'reference'>, null>;
