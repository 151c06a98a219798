import { randomBytes } from 'node:crypto';
import type { TestConsole } from '../visitor.ts';
import type { Somebody } from './stage.ts';

// What is tried: rows as SQL makes them, and a key as a request asks for it.

export const digest = () => `decode('${randomBytes(32).toString('hex')}', 'hex')`;

/** Of a tenant, whosever it is; without one, of this whole organization. */
export const newKey = (
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
export const creation = ({ tenantIds }: TestConsole, more: object = {}) => ({
  name: 'New',
  tenantId: tenantIds[0],
  scopes: ['logs:read'],
  expiresAt: inADay(),
  ...more,
});

export const letterRequest = (organizationId: string, by: Somebody) =>
  `insert into control.letter_request (organization_id, act, letter_ids, requested_by) values ('${organizationId}', 'replay', array[gen_random_uuid()], '${by.personId}')`;
export const session = (of: Somebody, long: string) =>
  `insert into control.console_session (id_sha256, person_id, ends_at) values (${digest()}, '${of.personId}', clock_timestamp() + interval '${long}')`;
