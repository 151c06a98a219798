import type { ListedOperation, PlaygroundRun } from '../../../../api/playground.ts';
import { buildRequest, type PlaygroundRequest } from '../../../../api/playground-request.ts';
import type { PlaygroundSearch } from '../playground-search.ts';

/** The state of the request form. */
export interface FormState {
  readonly operation: string;
  readonly tenantId: string;
  readonly mode: 'rest' | 'mcp';
  /** Whose scopes: `me`, or a key. */
  readonly scopesOf: string;
  readonly id: string;
  readonly parameters: Readonly<Record<string, string>>;
}

/** The form without empty parameters, as it is sent. */
export const withoutEmptyFields = (formState: FormState, { exampleId }: ListedOperation): FormState => ({
  ...formState,
  id: exampleId === null ? '' : formState.id,
  parameters: Object.fromEntries(Object.entries(formState.parameters).filter(([, value]) => value.trim() !== '')),
});

export const requestFromForm = (formState: FormState, operation: ListedOperation): PlaygroundRequest =>
  buildRequest(operation, withoutEmptyFields(formState, operation));

/** The form from a shared link; unknown operations and parameters are ignored. */
export function formFromSearch(search: PlaygroundSearch, operations: readonly ListedOperation[]): FormState {
  const operation =
    operations.find(({ name }) => name === search.operation) ??
    operations.find(({ name, isAllowed }) => isAllowed && name === 'list_logs') ??
    operations.find(({ isAllowed, scope }) => isAllowed && scope !== null);
  const { id = '', ...parameters } = parseParameters(search.with);
  return {
    operation: operation?.name ?? '',
    tenantId: search.tenant ?? '',
    mode: search.mode ?? 'rest',
    scopesOf: search.as ?? 'me',
    id: id || (operation?.exampleId ?? ''),
    parameters: pickParameters(parameters, operation),
  };
}

/** The form of an earlier run; the selected scopes stay. */
export function formFromRun(run: PlaygroundRun, operation: ListedOperation, { scopesOf }: FormState): FormState {
  const { tenantId, mode } = run;
  const { id = '', ...parameters } = run.parameters;
  return { operation: operation.name, tenantId, mode, scopesOf, id, parameters: pickParameters(parameters, operation) };
}

/** Only the parameters that the operation accepts. */
const pickParameters = (
  parameters: Readonly<Record<string, string>>,
  operation: ListedOperation | undefined,
): Record<string, string> =>
  Object.fromEntries(
    (operation?.parameters ?? []).flatMap(({ name }) => {
      const value = parameters[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );

function parseParameters(text: string | undefined): Record<string, string> {
  try {
    const read: unknown = JSON.parse(text ?? '{}');
    if (typeof read !== 'object' || read === null) return {};
    return Object.fromEntries(Object.entries(read).map(([name, value]) => [name, String(value)]));
  } catch {
    return {};
  }
}

export const searchFromForm = ({
  operation,
  tenantId,
  mode,
  scopesOf,
  id,
  parameters,
}: FormState): PlaygroundSearch => {
  const sentRequest = { ...(id === '' ? {} : { id }), ...parameters };
  return {
    operation,
    tenant: tenantId,
    ...(mode === 'mcp' ? { mode } : {}),
    ...(scopesOf === 'me' ? {} : { as: scopesOf }),
    ...(Object.keys(sentRequest).length === 0 ? {} : { with: JSON.stringify(sentRequest) }),
  };
};
