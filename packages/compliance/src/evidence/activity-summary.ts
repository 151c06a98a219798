import type { JsonObject } from '@tenantscope/proof';
import { type AgentActivity, readAgentActivity } from '@tenantscope/store';
import type { SectionReader } from './section.ts';
import { toldTime, toldValue } from './told-value.ts';

export const activitySummary: SectionReader = {
  key: 'activity_summary',
  async read(reading, page) {
    const { rows, totalRowCount } = await readAgentActivity(reading, page);
    return { rows: rows.map(rowOf), totalRowCount, asOfMs: null };
  },
};

function rowOf(activity: AgentActivity): JsonObject {
  return {
    agentId: activity.agentId,
    agentName: activity.agentName ?? activity.agentId,
    eventCount: activity.eventCount,
    distinctActors: activity.distinctActors,
    externalActors: activity.externalActors,
    eventsByAction: toldValue(activity.eventsByAction ?? {}),
    accessedResources: activity.accessedResources ?? 0,
    sensitiveResources: activity.sensitiveResources ?? 0,
    firstEventAt: toldTime(activity.firstEventMs),
    lastEventAt: toldTime(activity.lastEventMs),
    activeDays: activity.activeDays,
    unattributedEvents: activity.unattributedEvents,
  };
}
