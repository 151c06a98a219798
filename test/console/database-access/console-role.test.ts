import { describe, expect, test } from 'vitest';
import { attemptAs, createAccessFixture } from './access-fixture.ts';
import { denied } from './refusal-case.ts';

const { admin, members } = await createAccessFixture();

describe('the console role cannot disable the checks in the database', () => {
  test.each([
    ['alter table control.api_key disable trigger enforce_key_expiry', /must be owner/],
    ['alter table control.api_key disable trigger all', /must be owner/],
    ['drop trigger audit_row_change on control.api_key', /must be owner/],
    [
      'create or replace function control.authorize_admin_event() returns trigger language plpgsql as $$ begin return new; end $$',
      /permission denied|must be owner/,
    ],
    ['set session_replication_role = replica', denied],
    ['set role tenantscope_owner', denied],
    ['set session authorization tenantscope_owner', denied],
    ['alter table control.admin_event no force row level security', /must be owner/],
    ['create table control.own ()', denied],
    ['create table public.own ()', denied],
    [`copy control.admin_event from program 'true'`, denied],
    [`select pg_read_file('/etc/hostname')`, denied],
    [`select control.append_admin_event(null, 'created', 'x', 'x', null, null)`, denied],
    [`select * from control.look_up_key(sha256('x'), null, false)`, denied],
    [`select control.add_key_usage('[]')`, denied],
  ])('is refused: %s', async (statement, error) => {
    await expect(attemptAs(admin, members.ann, statement)).rejects.toThrow(error);
  });
});
