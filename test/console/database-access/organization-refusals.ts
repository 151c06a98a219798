import { denied, expectStatus, grant, memberAccess, type RefusalCase } from './refusal-case.ts';

/** Settings of the organization, its tenants and their data. */
export const organizationRefusals: Record<string, RefusalCase> = {
  'reading rows of a feed': {
    error: denied,
    sql: () => 'select count(*) from models.audit_log',
    ...grant('select', 'models.audit_log'),
  },
  'changing a tenant': {
    error: denied,
    sql: ({ ours }) => `update control.tenant set name = 'x' where id = '${ours.tenantIds[0]}'`,
    disable: `${grant('update', 'control.tenant').disable}; ${memberAccess.disable}`,
    enable: `${grant('update', 'control.tenant').enable}; ${memberAccess.enable}`,
  },
  'changing the key lifetime of another organization': {
    error: /own organization/,
    sql: ({ theirs }) => `update control.organization set key_lifetime_days = 1 where id = '${theirs.organizationId}'`,
    ...memberAccess,
  },
  'changing the key lifetime with access to some tenants': {
    actor: 'nina',
    error: /whole organization/,
    sql: ({ ours }) => `update control.organization set key_lifetime_days = 1 where id = '${ours.organizationId}'`,
    ...memberAccess,
    request: expectStatus(
      'nina',
      'PATCH',
      () => '/organization',
      () => ({ keyLifetimeDays: 1 }),
      403,
    ),
  },
};
