import {
  ApiError,
  type GivenParameter,
  type InputOf,
  type OperationName,
  type OperationNamed,
  readInput,
} from '@tenantscope/contract';
import type { Caller } from './caller.ts';

/** A finished answer: its body is sent as it is. */
export interface Answer {
  readonly body: Buffer | string;
  /** Cursor of the next page, where there is one. */
  readonly nextCursor?: string | null;
}

/** One function per operation, none missing. */
export type Handlers = {
  readonly [Name in OperationName]: (caller: Caller, input: InputOf<OperationNamed<Name>>) => Promise<Answer>;
};

/**
 * The one door to the data: whatever the transport, plan gate, scope and parameters are checked here, in this order, and nowhere else.
 * `given` is asked for only when everything before it passed. `id` is the one a by-id read asks for.
 */
export async function invoke<Name extends OperationName>(
  handlers: Handlers,
  operation: OperationNamed<Name>,
  caller: Caller,
  given: () => Iterable<GivenParameter>,
  id?: string,
): Promise<Answer> {
  if (operation.tenant === 'required' && !caller.tenant?.apiAccess)
    throw new ApiError(
      'PLAN_REQUIRED',
      "The selected tenant's plan does not include API access. Ask its administrator to upgrade the plan.",
    );
  if (operation.scope !== null && !caller.scopes.has(operation.scope)) throw insufficientScope(operation.scope);
  const input = readInput(operation, given(), id);
  const handle = handlers[operation.name] as (caller: Caller, input: unknown) => Promise<Answer>;
  return handle(caller, input);
}

function insufficientScope(scope: string): ApiError {
  return new ApiError('INSUFFICIENT_SCOPE', `The key lacks the scope ${scope}. Use a key that carries it.`, [
    { parameter: 'scope', reason: `the key does not carry ${scope}`, allowed: [scope] },
  ]);
}
