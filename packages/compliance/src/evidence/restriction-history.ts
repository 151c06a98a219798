import type { JsonObject } from '@tenantscope/proof';
import { type RestrictionEvent, readRestrictionHistory } from '@tenantscope/store';
import { restrictionLevels } from './closed-values.ts';
import { dataTypeOf, exposureOf, personOf } from './restriction.ts';
import type { SectionReader } from './section.ts';
import { toldText, toldTime, toldWord } from './told-value.ts';

export const restrictionHistory: SectionReader = {
  key: 'restriction_history',
  async read(reading, page) {
    const { rows, totalRowCount } = await readRestrictionHistory(reading, page);
    return { rows: rows.map(rowOf), totalRowCount, asOfMs: null };
  },
};

function rowOf({ eventId, restrictionId, occurredMs, facts, restrictionType, typeName }: RestrictionEvent): JsonObject {
  const exposure = exposureOf(facts.exposureAtEvent ?? facts.exposure);
  return {
    eventId,
    restrictionId,
    dataType: dataTypeOf(facts.dataType ?? restrictionType, typeName),
    event: toldWord(facts.event, ['declare', 'modify', 'lift'], null),
    occurredAt: toldTime(occurredMs),
    actor: personOf(facts.actor ?? { id: facts.actorId, name: facts.actorName }),
    fromLevel: toldWord(facts.fromLevel, restrictionLevels, null),
    toLevel: toldWord(facts.toLevel, restrictionLevels, null),
    reason: toldText(facts.reason),
    exposureAtEvent: { ...exposure.counts, labelCoveredPct: exposure.labelCoveredPct },
  };
}
