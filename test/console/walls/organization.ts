import { denied, grant, type Refused, reach, refuses } from './refused.ts';

/** The organization’s laws, its tenants and what is told of them. */
export const refusedOfOrganization: Record<string, Refused> = {
  'reading rows of a feed': {
    says: denied,
    sql: () => 'select count(*) from models.audit_log',
    ...grant('select', 'models.audit_log'),
  },
  'a tenant, which no person changes': {
    says: /no person changes this/,
    sql: ({ ours }) => `update control.tenant set name = 'x' where id = '${ours.tenantIds[0]}'`,
    ...reach,
  },
  'how long keys of another organization live': {
    says: /own organization/,
    sql: ({ theirs }) => `update control.organization set key_lifetime_days = 1 where id = '${theirs.organizationId}'`,
    ...reach,
  },
  'how long keys live, by somebody of some tenants': {
    by: 'nina',
    says: /whole organization/,
    sql: ({ ours }) => `update control.organization set key_lifetime_days = 1 where id = '${ours.organizationId}'`,
    ...reach,
    asked: refuses(
      'nina',
      'PATCH',
      () => '/organization',
      () => ({ keyLifetimeDays: 1 }),
      403,
    ),
  },
};
