import { agentLifecycleEvents } from '@tenantscope/contract';
import { maskSecretText } from '@tenantscope/intake/mask-secret-text';
import { maskSecrets } from '@tenantscope/intake/mask-secrets';
import type { Json, JsonObject } from '@tenantscope/proof';
import { type LifecycleEvent, readLifecycleEvents } from '@tenantscope/store/compliance';
import { maskFreeText } from '../personal-data/mask-personal-data.ts';
import type { SectionReader } from '../section-reader.ts';
import { isObject } from '../values/json-object.ts';
import { toEnumValue, toIsoTime, toJsonValue } from '../values/reported-value.ts';

export const lifecycleEvents: SectionReader = {
  key: 'lifecycle_events',
  async read(reading, page) {
    const { rows, totalRowCount } = await readLifecycleEvents(reading, page);
    return { rows: rows.map(toRow), totalRowCount, asOfMs: null };
  },
};

function toRow(event: LifecycleEvent): JsonObject {
  return {
    eventId: event.eventId,
    externalEventId: event.externalEventId,
    occurredAt: toIsoTime(event.occurredMs),
    discoveredAt: toIsoTime(event.discoveredMs),
    agentId: event.agentId,
    agentName: event.agentName,
    event: toEnumValue(event.event, agentLifecycleEvents, null),
    operation: event.operation,
    actor: { id: event.actorId, name: event.actorName, type: event.actorType },
    source: toEnumValue(event.source, ['powerPlatform', 'microsoft365AdminCenter', 'entra', 'other'], 'other'),
    details: readDetails(event.details),
    result: toEnumValue(event.result, ['success', 'failure', 'unknown'], 'unknown'),
  };
}

/** Settings of agents may contain keys, and their instructions personal data. */
function readDetails(details: unknown): Json {
  const reported = toJsonValue(details);
  return isObject(reported) ? maskTexts(maskSecrets(reported) as Json, maskSecretText) : {};
}

/** Addresses stay elsewhere: with whom an agent was shared is what the event is evidence for. */
const freeTextName = /instruction|prompt|purpose|description/i;

function maskTexts(value: Json, mask: (text: string) => string): Json {
  if (typeof value === 'string') return mask(value);
  if (Array.isArray(value)) return value.map((item) => maskTexts(item, mask));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [
      name,
      maskTexts(member, freeTextName.test(name) ? maskFreeText : mask),
    ]),
  );
}
