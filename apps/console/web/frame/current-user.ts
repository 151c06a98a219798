import { useSearch } from '@tanstack/react-router';
import { createContext, useContext } from 'react';
import type { CurrentSession } from '../../api/current-session.ts';
import { escapeInvisible } from '../../api/escape-invisible.ts';

export const CurrentUser = createContext<CurrentSession | null>(null);

/** Who is signed in. */
export function useCurrentUser(): CurrentSession {
  const session = useContext(CurrentUser);
  if (!session) throw new TypeError('useCurrentUser requires the shell');
  return session;
}

/** With names as every screen shows them: those of tenants arrive in records, and could hide or reverse the text around them. */
export const escapeNames = ({ member, organization, tenants, ...rest }: CurrentSession): CurrentSession => ({
  ...rest,
  member: { ...member, name: escapeInvisible(member.name) },
  organization: { ...organization, name: escapeInvisible(organization.name) },
  tenants: tenants.map((tenant) => ({ ...tenant, name: escapeInvisible(tenant.name) })),
});

export type Tenant = CurrentSession['tenants'][number];

/** The tenant in the URL, which filters every screen; null: all tenants. An inaccessible id is ignored. */
export function useTenant(): Tenant | null {
  const { tenants } = useCurrentUser();
  const { tenant } = useSearch({ from: '/frame' });
  return tenants.find(({ id }) => id === tenant) ?? null;
}
