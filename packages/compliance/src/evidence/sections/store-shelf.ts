import { agentPublisherTypes } from '@tenantscope/contract';
import type { JsonObject } from '@tenantscope/proof';
import { readStoreShelf, type ShelvedAgent } from '@tenantscope/store/compliance';
import { findNewestStamp, type SectionReader } from '../section-reader.ts';
import { toDecision } from '../values/decision.ts';
import { toEnumValue, toFlag, toIsoTime, toText, toTexts } from '../values/reported-value.ts';

export const storeShelf: SectionReader = {
  key: 'store_shelf',
  async read(reading, page) {
    const { rows, totalRowCount } = await readStoreShelf(reading, page);
    return { rows: rows.map(toRow), totalRowCount, asOfMs: findNewestStamp(rows) };
  },
};

function toRow({ agentId, agentName, facts, firstSeenMs, decision }: ShelvedAgent): JsonObject {
  return {
    agentId,
    agentName,
    publisher: { name: toText(facts.publisher), verified: toFlag(facts.isPublisherVerified) },
    origin: toEnumValue(facts.publisherType, agentPublisherTypes, null),
    availableTo: toEnumValue(facts.availableTo, ['some', 'all'], null),
    hosts: toTexts(facts.supportedHosts),
    version: toText(facts.agentVersion),
    declaredPermissions: toTexts(facts.elementPermissions),
    dataSensitivity: toText(facts.dataSensitivity),
    firstSeenAt: toIsoTime(firstSeenMs),
    decision: toDecision(decision),
  };
}
