import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { createAccessFixture } from './access-fixture.ts';

const { ours, superuser } = await createAccessFixture();

/** The audit chain serializes writers of an organization, which could hide that the rule depends on it. Without the trigger it must be enforced too. */
const levels = ['read committed', 'repeatable read', 'serializable'].flatMap((level) =>
  [`role = 'viewer'`, `tenant_ids = '{}'`, 'disabled_at = clock_timestamp()'].flatMap((change) => [
    [change, level, 'with the audit trigger', ''],
    [change, level, 'without the audit trigger', 'alter table control.member disable trigger audit_row_change'],
  ]),
);
test.each(levels)(
  'two administrators set %s of each other at the same time, %s, %s: one administrator of all tenants remains',
  async (change, level, _, disable) => {
    if (disable) await superuser.query(disable);
    onTestFinished(async () => {
      await superuser.query('alter table control.member enable trigger audit_row_change');
    });

    const { rows } = await superuser.query<{ id: string }>(
      `with o as (insert into control.organization (id, name, digest) values (gen_random_uuid(), 'Two', sha256('two')) returning id)
     insert into control.member (organization_id, name, source, subject, role) select o.id, n, 'local', n || $1, 'admin' from o, unnest(array['a', 'b']) n returning id`,
      [randomUUID()],
    );
    const clients = await Promise.all(
      rows.map(async () => {
        const client = new pg.Client(ours.database.roles.console);
        await client.connect();
        await client.query(`begin isolation level ${level}`);
        await client.query(`select set_config('tenantscope.actor', 'sign-in:local', true)`);
        await client.query('select count(*) from control.member');
        return client;
      }),
    );
    try {
      const done = await Promise.allSettled(
        clients.map(async (client, index) => {
          await client.query(`update control.member set ${change} where id = $1`, [rows[1 - index]?.id]);
          await client.query('commit');
        }),
      );
      expect(done.filter(({ status }) => status === 'fulfilled').length).toBeLessThan(2);
    } finally {
      await Promise.all(clients.map((client) => client.end()));
    }
    const { rows: left } = await superuser.query(
      `select 1 from control.member where id = any($1) and role = 'admin' and disabled_at is null and tenant_ids is null`,
      [rows.map(({ id }) => id)],
    );
    expect(left.length).toBeGreaterThan(0);
  },
);
