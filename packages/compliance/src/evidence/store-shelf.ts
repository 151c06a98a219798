import { agentPublisherTypes } from '@tenantscope/contract';
import type { JsonObject } from '@tenantscope/proof';
import { readStoreShelf, type ShelvedAgent } from '@tenantscope/store';
import { decisionOf } from './decision.ts';
import { newestOf, type SectionReader } from './section.ts';
import { toldFlag, toldText, toldTexts, toldTime, toldWord } from './told-value.ts';

export const storeShelf: SectionReader = {
  key: 'store_shelf',
  async read(reading, page) {
    const { rows, totalRowCount } = await readStoreShelf(reading, page);
    return { rows: rows.map(rowOf), totalRowCount, asOfMs: newestOf(rows) };
  },
};

function rowOf({ agentId, agentName, facts, firstSeenMs, decision }: ShelvedAgent): JsonObject {
  return {
    agentId,
    agentName,
    publisher: { name: toldText(facts.publisher), verified: toldFlag(facts.isPublisherVerified) },
    origin: toldWord(facts.publisherType, agentPublisherTypes, null),
    availableTo: toldWord(facts.availableTo, ['some', 'all'], null),
    hosts: toldTexts(facts.supportedHosts),
    version: toldText(facts.agentVersion),
    declaredPermissions: toldTexts(facts.elementPermissions),
    dataSensitivity: toldText(facts.dataSensitivity),
    firstSeenAt: toldTime(firstSeenMs),
    decision: decisionOf(decision),
  };
}
