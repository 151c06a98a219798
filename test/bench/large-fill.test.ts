// @module-tag torture
import { expect, inject, test } from 'vitest';
import { runStatement } from './installation.ts';
import { historyDays, openLargeDatabase } from './large/database.ts';
import { fillLog } from './large/fill.ts';

const rows = 12_000;
const services = () => inject('services');

test('a fill that was interrupted continues where it was, and ends with the rows of one that was not', {
  tags: ['exhaustive'],
}, async () => {
  const addresses = services();
  const database = await openLargeDatabase(addresses, { rows, fresh: true });
  try {
    const interrupted = fillLog(database, () => {});
    const count = () => countRows(database.superuser);
    await Promise.all([
      expect(interrupted).rejects.toThrow(),
      expect
        .poll(count, { timeout: 120_000 })
        .toBeGreaterThan(0)
        .then(() => endFill(database.superuser)),
    ]);
    const before = await count();
    expect(before).toBeGreaterThan(0);
    expect(before).toBeLessThan(rows);
    expect(database.state.isComplete).toBe(false);

    const again = await openLargeDatabase(addresses, { rows, fresh: false });
    await fillLog(again, () => {});
    const continued = await describeRows(database.superuser);
    expect(again.state.isComplete).toBe(true);
    expect(continued.ids).toBe(continued.rows);
    expect(continued.identities).toBe(continued.rows);
    // The first of twelve batches is stamped at the end of its share of the history.
    expect(continued.days).toBe(Math.round((historyDays * 11) / 12));
    expect(continued.share).toBeCloseTo(0.75, 1);

    const whole = await openLargeDatabase(addresses, { rows, fresh: true });
    await fillLog(whole, () => {});
    expect(await describeRows(whole.superuser)).toEqual(continued);
  } finally {
    await runStatement(addresses.postgres, `drop database if exists tenantscope_large_${rows} with (force)`);
  }
});

async function countRows(url: string): Promise<number> {
  const [row] = await runStatement(url, 'select count(*)::integer as rows from models.audit_log');
  return Number(row?.rows);
}

const endFill = (url: string) =>
  runStatement(
    url,
    `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and application_name = 'fill'`,
  );

/** Not the ids: they depend on those of the tenants. */
async function describeRows(url: string) {
  const [row] = await runStatement(
    url,
    `select count(*)::integer as rows, count(distinct (tenant_id, id))::integer as ids, (select count(*)::integer from models.log_identity) as identities,
            round(extract(epoch from max(discovered_at) - min(discovered_at)) / 86400)::integer as days,
            count(distinct actor_id)::integer as actors, count(distinct external_event_id)::integer as events,
            (select count(*)::float8 from models.audit_log group by tenant_id order by 1 desc limit 1) / count(*) as share
       from models.audit_log`,
  );
  return row as { rows: number; ids: number; identities: number; days: number; share: number };
}
