import type { EvidenceReading } from './ordered.ts';

/**
 * Memory of the server's in which the sections of one pack are sorted, instead of files: of 200,000 permissions each sort writes 40 MB. Until the end
 * of the transaction.
 */
export async function makeRoomForSorting({ client }: EvidenceReading): Promise<void> {
  await client.query(`set local work_mem = '64MB'`);
}
