import { canonicalize, encryptFor } from '@tenantscope/proof';
import type { PackMetadata } from '../pack-metadata.ts';
import { type Pseudonymisation, packType } from '../pack-request.ts';
import { serializeSection, type WrittenSection } from '../write-section.ts';
import type { Pseudonymiser } from './pseudonymiser.ts';

const keySectionKey = 'pseudonym_key';

/**
 * The section with the key to the pseudonyms, encrypted for the requester; none without a recipient. It is a section like the
 * others, so that the manifest and the signature cover it.
 */
export async function writeKeySections(
  pseudonymisation: Pseudonymisation | null,
  pseudonymiser: Pseudonymiser | null,
  metadata: PackMetadata,
): Promise<WrittenSection[]> {
  const recipientKey = pseudonymisation?.recipientKey ?? null;
  if (recipientKey === null || pseudonymiser === null) return [];
  const { tenantId, coveredFrom, coveredTo, generatedAt } = metadata;
  const pseudonyms = pseudonymiser.listUsed();
  const content = canonicalize({ packType, tenantId, coveredFrom, coveredTo, generatedAt, pseudonyms });
  const row = { recipientKey, pseudonymCount: pseudonyms.length, jwe: await encryptFor(recipientKey, content) };
  const section = await serializeSection({
    key: keySectionKey,
    label: 'Key to the pseudonyms',
    labelPl: 'Klucz do pseudonimów',
    basis: 'state',
    orderBy: 'recipientKey',
    frameworks: [],
    sources: [],
    asOf: null,
    totalRowCount: 1,
    nextCursor: null,
    rows: [canonicalize(row)],
  });
  return [section];
}
