import { randomBytes } from 'node:crypto';
import type { TestConsole } from '../test-console.ts';
import type { SignedInMember } from './access-fixture.ts';

// What is tried: rows as SQL makes them, and a key as a request asks for it.

export const digest = () => `decode('${randomBytes(32).toString('hex')}', 'hex')`;

/** Of a tenant, whosever it is; without one, of this whole organization. */
export const insertKey = (
  { organizationId }: TestConsole,
  tenantId: string | null | undefined,
  more: Record<string, string> = {},
) => {
  const columns = {
    secret_sha256: digest(),
    display: `'abcdefgh'`,
    name: `'New'`,
    scopes: `'{logs:read}'`,
    tenant_id: tenantId ? `'${tenantId}'` : 'null',
    organization_id: tenantId ? 'null' : `'${organizationId}'`,
    expires_at: `clock_timestamp() + interval '10 minutes'`,
    ...more,
  };
  return `insert into control.api_key (${Object.keys(columns).join()}) values (${Object.values(columns).join()})`;
};

export const inADay = () => new Date(Date.now() + 86_400_000).toISOString();
export const keyRequestBody = ({ tenantIds }: TestConsole, more: object = {}) => ({
  name: 'New',
  tenantId: tenantIds[0],
  scopes: ['logs:read'],
  expiresAt: inADay(),
  ...more,
});

export const insertDeadLetterRequest = (organizationId: string, by: SignedInMember) =>
  `insert into control.dead_letter_request (organization_id, action, dead_letter_ids, requested_by) values ('${organizationId}', 'replay', array[gen_random_uuid()], '${by.memberId}')`;
export const beginSession = (of: SignedInMember, long: string) =>
  `select control.begin_session(${digest()}, '${of.memberId}', interval '${long}', null, null)`;

/** An invitation to an organization, as a member creates it. */
export const insertSetUpToken = (organizationId: string, more: Record<string, string> = {}) => {
  const columns = {
    sha256: digest(),
    organization_id: `'${organizationId}'`,
    role: `'viewer'`,
    expires_at: 'clock_timestamp()',
    ...more,
  };
  return `insert into control.set_up_token (${Object.keys(columns).join()}) values (${Object.values(columns).join()})`;
};
