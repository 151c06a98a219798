import type { JsonObject } from '@tenantscope/proof';
import { type AgentActivity, readAgentActivity } from '@tenantscope/store/compliance';
import type { SectionReader } from '../section-reader.ts';
import { toIsoTime, toJsonValue } from '../values/reported-value.ts';

export const activitySummary: SectionReader = {
  key: 'activity_summary',
  async read(reading, page) {
    const { rows, totalRowCount } = await readAgentActivity(reading, page);
    return { rows: rows.map(toRow), totalRowCount, asOfMs: null };
  },
};

function toRow(activity: AgentActivity): JsonObject {
  return {
    agentId: activity.agentId,
    agentName: activity.agentName ?? activity.agentId,
    eventCount: activity.eventCount,
    distinctActors: activity.distinctActors,
    externalActors: activity.externalActors,
    eventsByAction: toJsonValue(activity.eventsByAction ?? {}),
    accessedResources: activity.accessedResources,
    sensitiveResources: activity.sensitiveResources,
    firstEventAt: toIsoTime(activity.firstEventMs),
    lastEventAt: toIsoTime(activity.lastEventMs),
    activeDays: activity.activeDays,
    unattributedEvents: activity.unattributedEvents,
  };
}
