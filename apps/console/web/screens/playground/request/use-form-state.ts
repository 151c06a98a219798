import { useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import type { ListedOperation } from '../../../../api/playground.ts';
import { useCurrentUser } from '../../../frame/current-user.ts';
import { type FormState, formFromSearch, searchFromForm } from './form-state.ts';
import { useSelectedOperation } from './use-selected-operation.ts';

/** What the form says. Operation and tenant stand in the address too, which others may change; the rest follows when it is sent. */
export function useFormState(operations: readonly ListedOperation[]) {
  const { tenants } = useCurrentUser();
  const search = useSearch({ from: '/frame/playground' });
  const navigate = useNavigate({ from: '/playground' });
  const [form, setForm] = useState<FormState>(() => formFromSearch(search, operations));
  // Which tenant, as on every screen; here it is always one.
  const tenantId = tenants.find(({ id }) => id === search.tenant)?.id ?? tenants[0]?.id ?? '';
  const formState = { ...form, tenantId };
  const change = (next: FormState) => {
    setForm(next);
    const { operation: name, tenantId: tenant } = next;
    if (tenant !== formState.tenantId) void navigate({ search: (before) => ({ ...before, tenant }), replace: true });
    if (name !== formState.operation)
      void navigate({ search: ({ with: _, ...before }) => ({ ...before, operation: name }), replace: true });
  };
  useSelectedOperation(search.operation, formState.operation, (name) => {
    const named = operations.find((one) => one.name === name);
    if (named) change({ ...formState, operation: name, parameters: {}, id: named.exampleId ?? '' });
  });
  return {
    formState,
    change,
    /** Puts the whole form into the URL, for sharing. */
    updateAddress: (given: FormState) => void navigate({ search: searchFromForm(given), replace: true }),
  };
}
