import { createBlockBacklog, writeLogBlocks } from '@tenantscope/store/ingest';
import type pg from 'pg';

/** Writes the blocks of all tenants one after the other, without the rests that ingestion takes. Returns the rows in them. */
export async function writeAllBlocks(ingest: pg.Pool): Promise<number> {
  const { rows } = await ingest.query<{ through_ms: number }>(
    'select (extract(epoch from min(settled_at)) * 1000)::float8 as through_ms from models.lane_watermark',
  );
  const throughMs = rows[0]?.through_ms ?? 0;
  let written = 0;
  for (const tenantId of await createBlockBacklog(ingest).find()) {
    for (let isComplete = false; !isComplete; ) {
      const slice = await writeLogBlocks(ingest, tenantId, throughMs);
      written += slice?.rows ?? 0;
      isComplete = !slice || slice.isComplete || slice.rows === 0;
    }
  }
  return written;
}
