import type { Feed } from './feed.ts';

/** Every feed, declared once: watermarks, topics, record tables, scope groups and source progress derive from it. */
export const feeds = {
  logs: {
    topics: ['activity'],
    alsoWrittenBy: [],
    recordTable: null,
    scopes: ['logs:read'],
    scopeGroup: 'feeds',
    reference: null,
    sources: { logs: { recordName: null } },
  },
  detections: {
    topics: ['detection'],
    alsoWrittenBy: [],
    recordTable: 'detection',
    scopes: ['detections:read'],
    scopeGroup: 'feeds',
    reference: { kind: 'detection', getOperation: 'get_detection' },
    sources: { detections: { recordName: 'detection' } },
  },
  policyScans: {
    topics: ['policyScan'],
    alsoWrittenBy: [],
    recordTable: 'policy_scan',
    scopes: ['policy-scans:read'],
    scopeGroup: 'feeds',
    reference: { kind: 'policyScan', getOperation: 'get_policy_scan' },
    sources: { policy_scans: { recordName: 'policyScan' } },
  },
  notifications: {
    topics: ['notification'],
    alsoWrittenBy: [],
    recordTable: 'notification',
    scopes: ['notifications:read'],
    scopeGroup: 'feeds',
    reference: null,
    sources: { notifications: { recordName: 'notification' } },
  },
  actions: {
    topics: ['action'],
    alsoWrittenBy: [],
    recordTable: 'action',
    scopes: ['actions:read'],
    scopeGroup: 'feeds',
    reference: null,
    sources: { actions: { recordName: 'action' } },
  },
  securityAlerts: {
    topics: ['rawAlert'],
    // An activity record of type 40 writes an audit log row and its alert in one transaction.
    alsoWrittenBy: ['activity'],
    recordTable: 'security_alert',
    scopes: ['security-alerts:read'],
    scopeGroup: 'feeds',
    reference: { kind: 'securityAlert', getOperation: 'get_security_alert' },
    sources: {
      security_alerts: {
        recordName: 'securityAlert',
      },
    },
  },
  entities: {
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
      users: { recordName: 'user' },
      files: { recordName: 'file' },
      groups: { recordName: 'group' },
      sites: { recordName: 'site' },
      apps: { recordName: 'app' },
      devices: { recordName: 'device' },
      emails: { recordName: 'email' },
      licenses: { recordName: 'license' },
      sensitive_info_types: {
        recordName: 'sensitiveInfoType',
      },
    },
  },
  // Apart from the other entities, whose lists need not wait for the lanes of the audit log.
  agents: {
    topics: [],
    // An interaction with an AI writes an audit log row and the agent that no inventory reports in one transaction.
    alsoWrittenBy: ['entity', 'rawEntity', 'activity'],
    recordTable: null,
    scopes: ['agents:read'],
    scopeGroup: 'entities',
    reference: null,
    sources: { agents: { recordName: 'agent' } },
  },
  // Served in evidence packs, compliance status and reports; without a list of its own.
  agentEvidence: {
    topics: ['agentEvidence'],
    alsoWrittenBy: [],
    recordTable: 'agent_evidence',
    scopes: ['evidence:read'],
    scopeGroup: 'evidence',
    reference: null,
    sources: {
      agent_evidence: { recordName: null },
      data_restrictions: { recordName: 'restriction' },
    },
  },
  compliance: {
    topics: ['compliance'],
    alsoWrittenBy: [],
    recordTable: 'compliance_record',
    scopes: ['evidence:read'],
    scopeGroup: 'evidence',
    reference: null,
    sources: {
      security_score: {
        recordName: 'securityScore',
      },
      agent_risk: { recordName: 'agentRisk' },
      user_risk: { recordName: 'userRisk' },
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
