import { requirementCatalogue } from '@tenantscope/compliance';
import type { SettledFeed, SourceProgress } from '@tenantscope/store';

const hourMs = 3_600_000;
/** Sources are named by the read model they fill; those of entities are not listed. */
const feedOfReadModel: Readonly<Record<string, SettledFeed>> = {
  logs: 'logs',
  detections: 'detections',
  policy_scans: 'policyScans',
  notifications: 'notifications',
  actions: 'actions',
  security_alerts: 'securityAlerts',
  agent_evidence: 'agentEvidence',
  security_score: 'compliance',
  data_restrictions: 'compliance',
  agent_risk: 'compliance',
  user_risk: 'compliance',
};

/** After how many hours without news the strictest requirement that reads a source has no data any more. */
const silentAfterHours = new Map<string, number>();
for (const requirement of requirementCatalogue) {
  const hours = 'rule' in requirement ? requirement.rule.maxSourceAgeHours : null;
  if (hours === null) continue;
  for (const source of requirement.sources)
    silentAfterHours.set(source, Math.min(silentAfterHours.get(source) ?? Number.POSITIVE_INFINITY, hours));
}

export interface HeardSource extends SourceProgress {
  readonly feed: SettledFeed;
  /** Quiet: nothing for an hour, which says nothing. Silent: requirements that read it count as without data. */
  readonly state: 'heard' | 'quiet' | 'silent';
  /** When it was last heard of: by a row, or by a complete import that brought none. */
  readonly heardAt: string;
}

/** By the rules that requirements are evaluated by, so that this and their status never contradict each other. */
export function heardOf(source: SourceProgress, nowMs: number): HeardSource {
  const [name = ''] = source.source.split('/');
  const heardAt =
    source.importedAt !== null && source.importedAt > source.lastDiscoveredAt
      ? source.importedAt
      : source.lastDiscoveredAt;
  const hours = (nowMs - Date.parse(heardAt)) / hourMs;
  // A requirement reads the log as a whole: a part of it may be quiet for as long as it likes.
  const limit = source.source === name ? silentAfterHours.get(name) : undefined;
  return {
    ...source,
    feed: feedOfReadModel[name] ?? 'entities',
    state: hours > (limit ?? Number.POSITIVE_INFINITY) ? 'silent' : hours > 1 ? 'quiet' : 'heard',
    heardAt,
  };
}
