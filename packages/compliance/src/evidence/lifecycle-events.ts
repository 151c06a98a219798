import { agentLifecycleEvents } from '@tenantscope/contract';
import { maskSecrets, maskSecretText } from '@tenantscope/intake';
import type { Json, JsonObject } from '@tenantscope/proof';
import { type LifecycleEvent, readLifecycleEvents } from '@tenantscope/store';
import type { SectionReader } from './section.ts';
import { toldTime, toldValue, toldWord } from './told-value.ts';

export const lifecycleEvents: SectionReader = {
  key: 'lifecycle_events',
  async read(reading, page) {
    const { rows, totalRowCount } = await readLifecycleEvents(reading, page);
    return { rows: rows.map(rowOf), totalRowCount, asOfMs: null };
  },
};

function rowOf(event: LifecycleEvent): JsonObject {
  return {
    eventId: event.eventId,
    externalEventId: event.externalEventId,
    occurredAt: toldTime(event.occurredMs),
    discoveredAt: toldTime(event.discoveredMs),
    agentId: event.agentId,
    agentName: event.agentName,
    event: toldWord(event.event, agentLifecycleEvents, null),
    operation: event.operation,
    actor: { id: event.actorId, name: event.actorName, type: event.actorType },
    source: toldWord(event.source, ['powerPlatform', 'microsoft365AdminCenter', 'entra', 'other'], 'other'),
    details: detailsOf(event.details),
    result: toldWord(event.result, ['success', 'failure', 'unknown'], 'unknown'),
  };
}

/** Settings of agents hold keys now and then. */
function detailsOf(details: unknown): Json {
  const told = toldValue(details);
  return isObject(told) ? withoutSecretTexts(maskSecrets(told) as Json) : {};
}

function withoutSecretTexts(value: Json): Json {
  if (typeof value === 'string') return maskSecretText(value);
  if (Array.isArray(value)) return value.map(withoutSecretTexts);
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, withoutSecretTexts(member)]));
}

const isObject = (value: Json): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
