import type { JsonObject } from '@tenantscope/proof';
import { readThreatEvents, type ThreatEvent } from '@tenantscope/store';
import { severities } from './closed-values.ts';
import type { SectionReader } from './section.ts';
import { toldTime, toldWord } from './told-value.ts';

export const threatEvents: SectionReader = {
  key: 'threat_events',
  async read(reading, page) {
    const { rows, totalRowCount } = await readThreatEvents(reading, page);
    return { rows: rows.map(rowOf), totalRowCount, asOfMs: null };
  },
};

function rowOf(threat: ThreatEvent): JsonObject {
  const { actorId, actorName, actorType, actionId, detectionId, handledMs } = threat;
  const isHandled = actionId !== null || detectionId !== null || handledMs !== null;
  return {
    eventId: threat.eventId,
    occurredAt: toldTime(threat.occurredMs),
    discoveredAt: toldTime(threat.discoveredMs),
    agentId: threat.agentId,
    agentName: threat.agentName,
    appHost: threat.appHost,
    actor: actorId === null && actorName === null ? null : { id: actorId, name: actorName, type: actorType },
    threatType: toldWord(threat.threatType, ['jailbreak', 'xpia', 'policyBlock', 'riskyAgent', 'alert'], null),
    resourceId: threat.resourceId,
    resourceName: threat.resourceName,
    outcome: toldWord(threat.outcome, ['detected', 'blocked', 'unknown'], 'unknown'),
    severity: toldWord(threat.severity, ['unknown', ...severities], 'unknown'),
    interactionId: threat.interactionId,
    relatedAlertIds: [...(threat.relatedAlertIds ?? [])].sort(),
    followUp: isHandled ? { actionId, detectionId, handledAt: toldTime(handledMs) } : null,
  };
}
