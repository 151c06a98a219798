import { randomUUID } from 'node:crypto';
import { atOneMoment, openPool, readMetrics } from '@tenantscope/store';
import pg from 'pg';
import { expect, test } from 'vitest';
import { testDatabase } from '../services/database.ts';
import { makeLargeTenant } from './large-tenant.ts';
import { isLong } from './lots.ts';

const size = isLong ? { logs: 1_000_000, files: 100_000, users: 10_000 } : { logs: 20_000, files: 2_000, users: 500 };
const mostMs = 3_000;
/** Where one pass over the log already takes long, the machine is slow or busy, and the limit is as many passes. */
const mostPasses = 8;
const rounds = 3;
const dayMs = 86_400_000;

test(`what all rules count of ${size.logs} log rows, ${size.files} files and ${size.users} users is read within ${mostMs} ms`, {
  timeout: 600_000,
}, async () => {
  await using database = await testDatabase();
  const tenantId = randomUUID();
  const superuser = new pg.Client({ connectionString: database.superuser });
  await superuser.connect();
  await makeLargeTenant(superuser, { tenantId, ...size }).finally(() => superuser.end());
  const pool = openPool(database.roles.api, { name: 'large tenant', maxConnections: 1, queryTimeoutMs: 120_000 });
  try {
    const nowMs = Date.now();
    const best = { readMs: Number.POSITIVE_INFINITY, passMs: Number.POSITIVE_INFINITY };
    for (let round = 0; round < rounds; round++) {
      const beganAt = performance.now();
      const metrics = await atOneMoment(pool, tenantId, (client) =>
        readMetrics(client, { tenantId, nowMs, connectedAtMs: nowMs - 200 * dayMs }),
      );
      const readAt = performance.now();
      const rows = await atOneMoment(pool, tenantId, (client) => onePass(client, tenantId));
      best.readMs = Math.min(best.readMs, readAt - beganAt);
      best.passMs = Math.min(best.passMs, performance.now() - readAt);
      expect(metrics['ai.apps.decision']?.aiAppsUsed).toBeGreaterThan(0);
      expect(rows).toBeGreaterThan(0.9 * size.logs);
    }
    // The rules ask the log for 180 days in all: twice what the one pass reads.
    const passes = (best.readMs / best.passMs).toFixed(1);
    if (isLong) console.log(`all rules take ${passes} times as long as one pass over the rows of 90 days`);
    expect(best.readMs).toBeLessThan(Math.max(mostMs, mostPasses * best.passMs));
  } finally {
    await pool.end();
  }
});

/** What nobody can be faster than who looks at every row once. */
async function onePass(client: pg.PoolClient, tenantId: string): Promise<number> {
  const { rows } = await client.query<{ count: number }>(
    `select count(occurred_at)::integer as count from models.audit_log where tenant_id = $1 and discovered_at >= now() - interval '90 days'`,
    [tenantId],
  );
  return rows[0]?.count ?? 0;
}
