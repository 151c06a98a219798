import { useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import type { AskedOperation } from '../../asked.ts';
import { useMe } from '../../shell.tsx';
import { useNamedOperation } from './address.ts';
import { searchOf, type Wanted, wantedOf } from './wanted.ts';

/** What the form says. Operation and tenant stand in the address too, which others may change; the rest follows when it is sent. */
export function useWanted(operations: readonly AskedOperation[]) {
  const { tenants } = useMe();
  const search = useSearch({ from: '/frame/playground' });
  const navigate = useNavigate({ from: '/playground' });
  const [form, setForm] = useState<Wanted>(() => wantedOf(search, operations));
  // Which tenant, as on every screen; here it is always one.
  const tenantId = tenants.find(({ id }) => id === search.tenant)?.id ?? tenants[0]?.id ?? '';
  const wanted = { ...form, tenantId };
  const change = (next: Wanted) => {
    setForm(next);
    const { operation: name, tenantId: tenant } = next;
    if (tenant !== wanted.tenantId) void navigate({ search: (before) => ({ ...before, tenant }), replace: true });
    if (name !== wanted.operation)
      void navigate({ search: ({ with: _, ...before }) => ({ ...before, operation: name }), replace: true });
  };
  useNamedOperation(search.operation, wanted.operation, (name) => {
    const named = operations.find((one) => one.name === name);
    if (named) change({ ...wanted, operation: name, parameters: {}, id: named.exampleId ?? '' });
  });
  return {
    wanted,
    change,
    /** The whole of it, as whoever is sent the address finds it. */
    keepInAddress: (given: Wanted) => void navigate({ search: searchOf(given), replace: true }),
  };
}
