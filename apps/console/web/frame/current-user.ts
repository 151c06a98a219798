import { useSearch } from '@tanstack/react-router';
import { createContext, useContext } from 'react';
import type { CurrentSession } from '../../api/current-session.ts';

export const CurrentUser = createContext<CurrentSession | null>(null);

/** Who is signed in. */
export function useCurrentUser(): CurrentSession {
  const session = useContext(CurrentUser);
  if (!session) throw new TypeError('useCurrentUser requires the shell');
  return session;
}

export type Tenant = CurrentSession['tenants'][number];

/** The tenant in the URL, which filters every screen; null: all tenants. An inaccessible id is ignored. */
export function useTenant(): Tenant | null {
  const { tenants } = useCurrentUser();
  const { tenant } = useSearch({ from: '/frame' });
  return tenants.find(({ id }) => id === tenant) ?? null;
}
