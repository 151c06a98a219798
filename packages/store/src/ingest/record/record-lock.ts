import { crc32 } from 'node:zlib';
import type pg from 'pg';

/** Every lock of one class; a batch takes each at most once, so that the server's lock table never fills up. */
const lockCount = 256;

/**
 * Locks records that are merged from parts, until the transaction ends. Rows alone cannot be locked: two lanes may each bring
 * the first part of one record. Locked in one order everywhere, to avoid deadlocks.
 */
export async function lockRecords(client: pg.PoolClient, lockClass: string, keys: readonly string[]): Promise<void> {
  const locks = [...new Set(keys.map((key) => crc32(key) % lockCount))].sort((a, b) => a - b);
  await client.query(
    'select pg_advisory_xact_lock(hashtext($1), lock) from (select lock from unnest($2::integer[]) as lock order by lock) ordered',
    [lockClass, locks],
  );
}
