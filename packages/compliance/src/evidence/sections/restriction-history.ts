import type { JsonObject } from '@tenantscope/proof';
import { type RestrictionEvent, readRestrictionHistory } from '@tenantscope/store/compliance';
import type { SectionReader } from '../section-reader.ts';
import { restrictionLevels } from '../values/enums.ts';
import { toEnumValue, toIsoTime, toText } from '../values/reported-value.ts';
import { toDataType, toExposure, toPerson } from '../values/restriction.ts';

export const restrictionHistory: SectionReader = {
  key: 'restriction_history',
  async read(reading, page) {
    const { rows, totalRowCount } = await readRestrictionHistory(reading, page);
    return { rows: rows.map(toRow), totalRowCount, asOfMs: null };
  },
};

function toRow({ eventId, restrictionId, occurredMs, facts, restrictionType, typeName }: RestrictionEvent): JsonObject {
  const exposure = toExposure(facts.exposureAtEvent ?? facts.exposure);
  return {
    eventId,
    restrictionId,
    dataType: toDataType(facts.dataType ?? restrictionType, typeName),
    event: toEnumValue(facts.event, ['declare', 'modify', 'lift'], null),
    occurredAt: toIsoTime(occurredMs),
    actor: toPerson(facts.actor ?? { id: facts.actorId, name: facts.actorName }),
    fromLevel: toEnumValue(facts.fromLevel, restrictionLevels, null),
    toLevel: toEnumValue(facts.toLevel, restrictionLevels, null),
    reason: toText(facts.reason),
    exposureAtEvent: { ...exposure.counts, labelCoveredPct: exposure.labelCoveredPct },
  };
}
