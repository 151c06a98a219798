import type { AskedOperation, PlaygroundRun } from '../../asked.ts';
import type { PlaygroundSearch } from '../../router.tsx';
import { type PlaygroundRequest, requestOf } from './request.ts';

/** What is asked in the playground. */
export interface Wanted {
  readonly operation: string;
  readonly tenantId: string;
  readonly mode: 'rest' | 'mcp';
  /** Whose scopes: `me`, or a key. */
  readonly scopesOf: string;
  readonly id: string;
  readonly parameters: Readonly<Record<string, string>>;
}

/** A form as it is sent: what is empty is left out. */
export const filled = (wanted: Wanted, { kind }: AskedOperation): Wanted => ({
  ...wanted,
  id: kind === 'get' ? wanted.id : '',
  parameters: Object.fromEntries(Object.entries(wanted.parameters).filter(([, value]) => value.trim() !== '')),
});

export const requestOfForm = (wanted: Wanted, operation: AskedOperation): PlaygroundRequest =>
  requestOf(operation, filled(wanted, operation));

/** A link says what was asked; what it says that is not so here is left out. */
export function wantedOf(search: PlaygroundSearch, operations: readonly AskedOperation[]): Wanted {
  const operation =
    operations.find(({ name }) => name === search.operation) ??
    operations.find(({ name, isAllowed }) => isAllowed && name === 'list_logs') ??
    operations.find(({ isAllowed, scope }) => isAllowed && scope !== null);
  const { id = '', ...parameters } = parametersOf(search.with);
  return {
    operation: operation?.name ?? '',
    tenantId: search.tenant ?? '',
    mode: search.mode ?? 'rest',
    scopesOf: search.as ?? 'me',
    id: id || (operation?.exampleId ?? ''),
    parameters: known(parameters, operation),
  };
}

/** What a run asked, as the form asks it; in whose name stays as it is. */
export function wantedBy(run: PlaygroundRun, operation: AskedOperation, { scopesOf }: Wanted): Wanted {
  const { tenantId, mode } = run;
  const { id = '', ...parameters } = run.parameters;
  return { operation: operation.name, tenantId, mode, scopesOf, id, parameters: known(parameters, operation) };
}

/** What the operation takes, and nothing else. */
const known = (
  parameters: Readonly<Record<string, string>>,
  operation: AskedOperation | undefined,
): Record<string, string> =>
  Object.fromEntries(
    (operation?.parameters ?? []).flatMap(({ name }) => {
      const value = parameters[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );

function parametersOf(text: string | undefined): Record<string, string> {
  try {
    const read: unknown = JSON.parse(text ?? '{}');
    if (typeof read !== 'object' || read === null) return {};
    return Object.fromEntries(Object.entries(read).map(([name, value]) => [name, String(value)]));
  } catch {
    return {};
  }
}

export const searchOf = ({ operation, tenantId, mode, scopesOf, id, parameters }: Wanted): PlaygroundSearch => {
  const asked = { ...(id === '' ? {} : { id }), ...parameters };
  return {
    operation,
    tenant: tenantId,
    ...(mode === 'mcp' ? { mode } : {}),
    ...(scopesOf === 'me' ? {} : { as: scopesOf }),
    ...(Object.keys(asked).length === 0 ? {} : { with: JSON.stringify(asked) }),
  };
};
