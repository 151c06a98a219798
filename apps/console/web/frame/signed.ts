import { useSearch } from '@tanstack/react-router';
import { createContext, useContext } from 'react';
import type { Me } from '../asked.ts';

export const Signed = createContext<Me | null>(null);

/** Who is signed in. */
export function useMe(): Me {
  const me = useContext(Signed);
  if (!me) throw new TypeError('screens stand inside the shell');
  return me;
}

export type Tenant = Me['tenants'][number];

/** The one tenant that all screens are narrowed to, by the address; null: all of them. An id that is none of this person's narrows nothing. */
export function useTenant(): Tenant | null {
  const { tenants } = useMe();
  const { tenant } = useSearch({ from: '/frame' });
  return tenants.find(({ id }) => id === tenant) ?? null;
}
