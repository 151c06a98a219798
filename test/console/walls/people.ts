import { denied, grant, nothing, type Refused, reach, refuses, trigger, unmoved } from './refused.ts';

/** Who somebody is and what they may do. */
export const refusedOfPeople: Record<string, Refused> = {
  ...unmoved('person', ['id', 'organization_id', 'source', 'subject', 'created_at']),
  'deleting a person': {
    says: denied,
    sql: ({ people }) => `delete from control.person where id = '${people.nina.personId}'`,
    ...grant('delete', 'control.person'),
    asked: refuses('ann', 'DELETE', ({ people }) => `/people/${people.nina.personId}`, nothing, 404),
  },
  'the last administrator becoming something else': {
    by: 'eve',
    says: /last administrator/,
    sql: ({ people }) => `update control.person set role = 'viewer' where id = '${people.eve.personId}'`,
    ...trigger('person', 'keep_an_admin'),
    asked: refuses(
      'eve',
      'POST',
      ({ people }) => `/people/${people.eve.personId}`,
      () => ({ role: 'officer' }),
      409,
    ),
  },
  'closing the account of the last administrator': {
    by: 'eve',
    says: /last administrator/,
    sql: ({ people }) =>
      `update control.person set disabled_at = clock_timestamp() where id = '${people.eve.personId}'`,
    ...trigger('person', 'keep_an_admin'),
    asked: refuses(
      'eve',
      'POST',
      ({ people }) => `/people/${people.eve.personId}`,
      () => ({ disabled: true }),
      409,
    ),
  },
  'a person of another organization': {
    says: /own organization/,
    sql: ({ people }) => `update control.person set name = 'x' where id = '${people.eve.personId}'`,
    ...reach,
    asked: refuses(
      'ann',
      'POST',
      ({ people }) => `/people/${people.eve.personId}`,
      () => ({ tenantIds: [] }),
      404,
    ),
  },
  'making a person of another organization': {
    says: /own organization/,
    sql: ({ theirs }) =>
      `insert into control.person (organization_id, name, source, subject, role) values ('${theirs.organizationId}', 'x', 'local', 'x', 'admin')`,
    ...reach,
  },
  'widening oneself to the whole organization': {
    by: 'nina',
    says: /whole organization/,
    sql: ({ people }) => `update control.person set tenant_ids = null where id = '${people.nina.personId}'`,
    ...reach,
    asked: refuses(
      'nina',
      'POST',
      ({ people }) => `/people/${people.nina.personId}`,
      () => ({ tenantIds: null }),
      403,
    ),
  },
  'a viewer becoming an administrator': {
    by: 'victor',
    says: /not for the role viewer/,
    sql: ({ people }) => `update control.person set role = 'admin' where id = '${people.victor.personId}'`,
    ...reach,
    asked: refuses(
      'victor',
      'POST',
      ({ people }) => `/people/${people.victor.personId}`,
      () => ({ role: 'admin' }),
      403,
    ),
  },
};
