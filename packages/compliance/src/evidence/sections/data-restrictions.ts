import type { Json, JsonObject } from '@tenantscope/proof';
import { type DataRestriction, type RestrictedDataReader, readDataRestrictions } from '@tenantscope/store/compliance';
import type { SectionReader } from '../section-reader.ts';
import { restrictionLevels } from '../values/enums.ts';
import { toCount, toEnumValue, toIsoTime, toText, toTexts } from '../values/reported-value.ts';
import { toDataType, toExposure, toPerson } from '../values/restriction.ts';

export const dataRestrictions: SectionReader = {
  key: 'data_restrictions',
  async read(reading, page) {
    const { rows, totalRowCount } = await readDataRestrictions(reading, page);
    const stamps = rows.flatMap(({ stampMs, typeUpdatedMs }) => [stampMs, typeUpdatedMs ?? stampMs]);
    return { rows: rows.map(toRow), totalRowCount, asOfMs: stamps.length === 0 ? null : Math.max(...stamps) };
  },
};

function toRow(restriction: DataRestriction): JsonObject {
  const { facts, typeFacts } = restriction;
  return {
    restrictionId: restriction.restrictionId,
    dataType: toDataType(facts.dataType, toText(typeFacts?.name)),
    level: toEnumValue(restriction.level, restrictionLevels, null),
    declaredBy: toPerson(facts.declaredBy),
    declaredAt: toIsoTime(restriction.declaredMs),
    reason: toText(facts.reason),
    exemptIds: toTexts(facts.exemptIds),
    exposure: buildExposure(restriction),
    labelCoveredPct: computeLabelCoverage(restriction),
    readsSinceDeclaration: toReads(restriction),
    topReaders: (restriction.topReaders ?? []).map(toReader),
  };
}

/** As the inventory counts it now, else as counted when the restriction was last reported. */
function buildExposure({ facts, typeFacts, typeUpdatedMs, carrierCount }: DataRestriction): Json {
  if (toCount(typeFacts?.fileCount) === null) {
    const reported = toExposure(facts.exposure);
    return {
      ...reported.counts,
      files: reported.counts.files ?? carrierCount,
      sites: reported.sites,
      computedAt: reported.computedAt,
    };
  }
  return {
    files: toCount(typeFacts?.fileCount),
    users: toCount(typeFacts?.exposedUserCount),
    externalUsers: toCount(typeFacts?.externalUserCount),
    apps: toCount(typeFacts?.aiAppCount),
    agents: toCount(typeFacts?.agentCount),
    sites: toCount(typeFacts?.siteCount),
    computedAt: toIsoTime(typeUpdatedMs),
  };
}

/** Rounded down to one decimal: of the files in the inventory, else of those that the data type counts. */
function computeLabelCoverage({ carrierCount, protectedCount, typeFacts }: DataRestriction): number | null {
  const [carriers, covered] =
    carrierCount !== null
      ? [carrierCount, protectedCount]
      : [toCount(typeFacts?.fileCount), toCount(typeFacts?.protectedFileCount)];
  return carriers === null || carriers === 0 || covered === null ? null : Math.floor((1_000 * covered) / carriers) / 10;
}

/** 0 reads are certain only where the log has data; otherwise null. */
function toReads({ reads, hasLog }: DataRestriction): Json {
  const unread = hasLog ? 0 : null;
  return {
    total: reads?.total ?? unread,
    users: reads?.users ?? unread,
    externalUsers: reads?.externalUsers ?? unread,
    aiIdentities: reads?.aiIdentities ?? unread,
    lastReadAt: toIsoTime(reads?.lastReadMs),
  };
}

const toReader = ({ id, name, type, reads, lastReadMs }: RestrictedDataReader): Json => ({
  id,
  name,
  type,
  reads,
  lastReadAt: toIsoTime(lastReadMs),
});
