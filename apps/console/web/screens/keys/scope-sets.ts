const feeds = [
  'logs:read',
  'detections:read',
  'policy-scans:read',
  'notifications:read',
  'actions:read',
  'security-alerts:read',
];
const evidence = ['evidence:read'];

export type ScopeGroup = 'feeds' | 'evidence' | 'entities';

export const groupOf = (scope: string): ScopeGroup =>
  feeds.includes(scope) ? 'feeds' : evidence.includes(scope) ? 'evidence' : 'entities';

/** What jobs read. */
export const presets = {
  siem: (scope: string) => feeds.includes(scope),
  mcp: (scope: string) => !evidence.includes(scope),
  auditor: (scope: string) => evidence.includes(scope),
  all: () => true,
  none: () => false,
} as const;
export type Preset = keyof typeof presets;
