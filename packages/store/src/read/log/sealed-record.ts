import type { SealedDocuments } from '../../resource/sealed-documents.ts';
import type { ReadModels } from '../read-models.ts';
import { queryTenant, type RowPosition, type TenantQuery, timestampLiteral } from '../record-page.ts';
import { DocumentFrame } from './document-frame.ts';
import { splitBlock } from './sealed-blocks.ts';

type SealedRow = SealedDocuments & { members: number; ordinal: number };

/** The document of a sealed row; null if there is none at this position. */
export async function readSealedDocument(
  models: ReadModels,
  query: TenantQuery,
  position: RowPosition,
): Promise<string | null> {
  const [block] = await queryTenant<SealedRow>(models, query, sealedRowStatement(query.tenantId, position));
  if (block === undefined) return null;
  const { members, ordinal } = block;
  const frame = new DocumentFrame(query.tenantId, 1);
  for (const part of splitBlock(block, { members, ordinals: [ordinal - 1] })) frame.addSealed(part, true);
  const [document] = frame.page().documents();
  return document?.toString() ?? null;
}

/** The block whose first row is the last one at or before the row. */
function sealedRowStatement(tenantId: string, { atMs, id }: RowPosition): string {
  const at = timestampLiteral(atMs);
  return (
    `select s.member_count as members, array_position(s.id, '${id}'::uuid) as ordinal,` +
    ' s.documents as deflated, s.document_parts as parts, s.document_ends as ends' +
    ` from (select b.first_at, b.first_id from models.log_block b where b.tenant_id = '${tenantId}'` +
    ` and (b.first_at, b.first_id) <= (${at}, '${id}'::uuid) order by b.first_at desc, b.first_id desc limit 1) k` +
    ` join models.log_sealed s on s.tenant_id = '${tenantId}' and s.first_at = k.first_at and s.first_id = k.first_id` +
    ` where array_position(s.id, '${id}'::uuid) is not null`
  );
}
