import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { wallsStage } from './stage.ts';

const { ours, superuser } = await wallsStage();

/** The audit's chain puts writers of an organization in a row, which would hide whether the law holds by itself. */
const levels = ['read committed', 'repeatable read', 'serializable'].flatMap((level) => [
  [level, 'with its audit', ''],
  [level, 'without', 'alter table control.person disable trigger record_admin_event'],
]);
test.each(levels)(
  'two administrators who make each other something else at once, %s, %s: one stays',
  async (level, _, down) => {
    if (down) await superuser.query(down);
    onTestFinished(async () => {
      await superuser.query('alter table control.person enable trigger record_admin_event');
    });

    const { rows } = await superuser.query<{ id: string }>(
      `with o as (insert into control.organization (id, name, digest) values (gen_random_uuid(), 'Two', sha256('two')) returning id)
     insert into control.person (organization_id, name, source, subject, role) select o.id, n, 'local', n || $1, 'admin' from o, unnest(array['a', 'b']) n returning id`,
      [randomUUID()],
    );
    const clients = await Promise.all(
      rows.map(async () => {
        const client = new pg.Client(ours.database.roles.admin);
        await client.connect();
        await client.query(`begin isolation level ${level}`);
        await client.query(`select set_config('tenantscope.actor', 'cli:test', true)`);
        await client.query('select count(*) from control.person');
        return client;
      }),
    );
    try {
      const done = await Promise.allSettled(
        clients.map(async (client, index) => {
          await client.query(`update control.person set role = 'viewer' where id = $1`, [rows[1 - index]?.id]);
          await client.query('commit');
        }),
      );
      expect(done.filter(({ status }) => status === 'fulfilled').length).toBeLessThan(2);
    } finally {
      await Promise.all(clients.map((client) => client.end()));
    }
    const { rows: left } = await superuser.query(`select 1 from control.person where id = any($1) and role = 'admin'`, [
      rows.map(({ id }) => id),
    ]);
    expect(left.length).toBeGreaterThan(0);
  },
);
