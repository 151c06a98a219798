import { describe, expect, test } from 'vitest';
import { denied } from './refused.ts';
import { attempt, wallsStage } from './stage.ts';

const { admin, people } = await wallsStage();

describe('the walls are not the login’s to take down', () => {
  test.each([
    ['alter table control.api_key disable trigger guard_api_key', /must be owner/],
    ['alter table control.api_key disable trigger all', /must be owner/],
    ['drop trigger record_admin_event on control.api_key', /must be owner/],
    [
      'create or replace function control.guard_admin_event() returns trigger language plpgsql as $$ begin return new; end $$',
      /permission denied|must be owner/,
    ],
    ['set session_replication_role = replica', denied],
    ['set role tenantscope_owner', denied],
    ['set session authorization tenantscope_owner', denied],
    ['alter table control.admin_event no force row level security', /must be owner/],
    ['create table control.mine ()', denied],
    ['create table public.mine ()', denied],
    [`copy control.admin_event from program 'true'`, denied],
    [`select pg_read_file('/etc/hostname')`, denied],
    [`select control.append_admin_event(null, 'created', 'x', 'x', null, null)`, denied],
    [`select * from control.look_up_key(sha256('x'), null, false)`, denied],
    [`select control.add_key_usage('[]')`, denied],
  ])('%s', async (statement, words) => {
    await expect(attempt(admin, people.ann, statement)).rejects.toThrow(words);
  });
});
