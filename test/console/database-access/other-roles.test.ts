import pg from 'pg';
import { describe, expect, test } from 'vitest';
import { createAccessFixture } from './access-fixture.ts';
import { denied } from './refusal-case.ts';

const { ours, superuser, members } = await createAccessFixture();

const consoleTables = [
  'admin_event',
  'admin_event_head',
  'api_key',
  'api_key_usage',
  'api_key_usage_hour',
  'api_key_usage_day',
  'member',
  'member_credential',
  'console_session',
  'sign_in_failure',
  'set_up_token',
  'playground_run',
  'used_challenge',
];

describe('other database roles have no rights on console tables', () => {
  test.each(['api', 'keys', 'ingest', 'jobs', 'collect'] as const)(
    'the role tenantscope_%s is refused',
    async (login) => {
      const client = new pg.Client(ours.database.roles[login]);
      await client.connect();
      try {
        // The read-only default of a role can be overridden by the session.
        await client.query('set default_transaction_read_only = off');
        await client.query(
          `select set_config('tenantscope.actor', $1, false), set_config('tenantscope.session', $2, false)`,
          [`member:${members.ann.memberId}`, members.ann.sessionId],
        );
        const requests = login === 'ingest' ? [] : ['dead_letter_request'];
        for (const table of [...consoleTables, ...requests])
          for (const statement of [
            `select count(*) from control.${table}`,
            `select 1 from control.${table} limit 1`,
            `insert into control.${table} default values`,
            `delete from control.${table}`,
            `truncate control.${table}`,
          ])
            await expect(client.query(statement), statement).rejects.toThrow(denied);
        const { rows } = await superuser.query<{ name: string }>(
          `select format('control.%I.%I', c.relname, a.attname) as name from pg_class c join pg_attribute a on a.attrelid = c.oid
          where c.relnamespace = 'control'::regnamespace and c.relname = any($1) and attnum > 0 and not attisdropped
            and has_column_privilege($2, c.oid, attnum, 'select, insert, update, references')`,
          [[...consoleTables, ...requests], `tenantscope_${login}`],
        );
        expect(rows).toEqual([]);
        for (const call of [
          `control.append_admin_event(null, 'created', 'x', 'x', null, null)`,
          `control.record_admin_action(null, 'ran', 'x', 'x', null)`,
          ...(login === 'keys' ? [] : [`control.look_up_key(sha256('x'), null, false)`, `control.add_key_usage('[]')`]),
        ])
          await expect(client.query(`select ${call}`), call).rejects.toThrow(denied);
      } finally {
        await client.end();
      }
    },
  );

  test('the ingest role executes dead-letter requests and cannot create or change them', async () => {
    const client = new pg.Client(ours.database.roles.ingest);
    await client.connect();
    try {
      for (const statement of [
        'insert into control.dead_letter_request default values',
        'delete from control.dead_letter_request',
        ...['dead_letter_ids', 'action', 'organization_id', 'requested_by', 'reason'].map(
          (column) => `update control.dead_letter_request set ${column} = ${column}`,
        ),
      ])
        await expect(client.query(statement), statement).rejects.toThrow(denied);
    } finally {
      await client.end();
    }
  });
});
