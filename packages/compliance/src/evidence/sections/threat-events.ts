import type { JsonObject } from '@tenantscope/proof';
import { readThreatEvents, type ThreatEvent } from '@tenantscope/store/compliance';
import type { SectionReader } from '../section-reader.ts';
import { severities } from '../values/enums.ts';
import { toEnumValue, toIsoTime } from '../values/reported-value.ts';

export const threatEvents: SectionReader = {
  key: 'threat_events',
  async read(reading, page) {
    const { rows, totalRowCount } = await readThreatEvents(reading, page);
    return { rows: rows.map(toRow), totalRowCount, asOfMs: null };
  },
};

function toRow(threat: ThreatEvent): JsonObject {
  const { actorId, actorName, actorType, actionId, detectionId, handledMs } = threat;
  const isHandled = actionId !== null || detectionId !== null || handledMs !== null;
  return {
    eventId: threat.eventId,
    occurredAt: toIsoTime(threat.occurredMs),
    discoveredAt: toIsoTime(threat.discoveredMs),
    agentId: threat.agentId,
    agentName: threat.agentName,
    appHost: threat.appHost,
    actor: actorId === null && actorName === null ? null : { id: actorId, name: actorName, type: actorType },
    threatType: toEnumValue(threat.threatType, ['jailbreak', 'xpia', 'policyBlock', 'riskyAgent', 'alert'], null),
    resourceId: threat.resourceId,
    resourceName: threat.resourceName,
    outcome: toEnumValue(threat.outcome, ['detected', 'blocked', 'unknown'], 'unknown'),
    severity: toEnumValue(threat.severity, ['unknown', ...severities], 'unknown'),
    interactionId: threat.interactionId,
    relatedAlertIds: [...(threat.relatedAlertIds ?? [])].sort(),
    followUp: isHandled ? { actionId, detectionId, handledAt: toIsoTime(handledMs) } : null,
  };
}
