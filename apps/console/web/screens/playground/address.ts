import { useEffect, useLayoutEffect, useRef } from 'react';
import type { PlaygroundSearch } from '../../router.tsx';

interface Asked {
  readonly operation: string;
  readonly tenantId: string;
}

/** The palette and the tenant switch speak through the address: what it comes to say is what is asked. */
export function useAddress(
  { tenant, operation }: PlaygroundSearch,
  asked: Asked,
  follow: { readonly tenant: (id: string) => void; readonly operation: (name: string) => void },
): void {
  const latest = useRef({ asked, follow });
  useLayoutEffect(() => {
    latest.current = { asked, follow };
  });
  useEffect(() => {
    const now = latest.current;
    if (tenant !== undefined && tenant !== now.asked.tenantId) now.follow.tenant(tenant);
  }, [tenant]);
  useEffect(() => {
    const now = latest.current;
    if (operation !== undefined && operation !== now.asked.operation) now.follow.operation(operation);
  }, [operation]);
}
