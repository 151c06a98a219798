import type { Session, VisibilityScope } from '@tenantscope/store/console';

/** Whose dead letters and feeds a member may see. */
export const visibilityScope = ({ tenants, hasEveryTenant }: Session): VisibilityScope => ({
  tenantIds: tenants.map(({ id }) => id),
  hasEveryTenant,
});
