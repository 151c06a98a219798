import type { Json, JsonObject } from '@tenantscope/proof';
import { type DataRestriction, type Reader, readDataRestrictions } from '@tenantscope/store';
import { restrictionLevels } from './closed-values.ts';
import { dataTypeOf, exposureOf, personOf } from './restriction.ts';
import type { SectionReader } from './section.ts';
import { toldCount, toldText, toldTime, toldWord } from './told-value.ts';

export const dataRestrictions: SectionReader = {
  key: 'data_restrictions',
  async read(reading, page) {
    const { rows, totalRowCount } = await readDataRestrictions(reading, page);
    const stamps = rows.flatMap(({ stampMs, typeUpdatedMs }) => [stampMs, typeUpdatedMs ?? stampMs]);
    return { rows: rows.map(rowOf), totalRowCount, asOfMs: stamps.length === 0 ? null : Math.max(...stamps) };
  },
};

function rowOf(restriction: DataRestriction): JsonObject {
  const { facts, typeFacts } = restriction;
  return {
    restrictionId: restriction.restrictionId,
    dataType: dataTypeOf(facts.dataType, toldText(typeFacts?.name)),
    level: toldWord(restriction.level, restrictionLevels, null),
    declaredBy: personOf(facts.declaredBy),
    declaredAt: toldTime(restriction.declaredMs),
    reason: toldText(facts.reason),
    exposure: presentExposure(restriction),
    labelCoveredPct: labelCovered(restriction),
    readsSinceDeclaration: readsOf(restriction),
    topReaders: (restriction.topReaders ?? []).map(readerOf),
  };
}

/** As the inventory counts it now, else as it was counted when the restriction was last told. */
function presentExposure({ facts, typeFacts, typeUpdatedMs, carrierCount }: DataRestriction): Json {
  if (toldCount(typeFacts?.fileCount) === null) {
    const told = exposureOf(facts.exposure);
    return { ...told.counts, files: told.counts.files ?? carrierCount, sites: told.sites, computedAt: told.computedAt };
  }
  return {
    files: toldCount(typeFacts?.fileCount),
    users: toldCount(typeFacts?.exposedUserCount),
    externalUsers: toldCount(typeFacts?.externalUserCount),
    apps: toldCount(typeFacts?.aiAppCount),
    agents: toldCount(typeFacts?.agentCount),
    sites: toldCount(typeFacts?.siteCount),
    computedAt: toldTime(typeUpdatedMs),
  };
}

/** Cut to one decimal. Of the carriers the inventory holds, else of those the data type counts. */
function labelCovered({ carrierCount, protectedCount, typeFacts }: DataRestriction): number | null {
  const [carriers, covered] =
    carrierCount !== null
      ? [carrierCount, protectedCount]
      : [toldCount(typeFacts?.fileCount), toldCount(typeFacts?.protectedFileCount)];
  return carriers === null || carriers === 0 || covered === null ? null : Math.floor((1_000 * covered) / carriers) / 10;
}

/** Nobody is known to have read anything only where the log tells something. */
function readsOf({ reads, isLogKnown }: DataRestriction): Json {
  const none = isLogKnown ? 0 : null;
  return {
    total: reads?.total ?? none,
    users: reads?.users ?? none,
    externalUsers: reads?.externalUsers ?? none,
    aiIdentities: reads?.aiIdentities ?? none,
    lastReadAt: toldTime(reads?.lastReadMs),
  };
}

const readerOf = ({ id, name, type, reads, lastReadMs }: Reader): Json => ({
  id,
  name,
  type,
  reads,
  lastReadAt: toldTime(lastReadMs),
});
