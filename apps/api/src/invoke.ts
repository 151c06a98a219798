import {
  ApiError,
  type OperationInput,
  type OperationName,
  type OperationNamed,
  parseInput,
  type RawParameter,
  requiredScopes,
} from '@tenantscope/contract';
import { withSpan } from '@tenantscope/runtime';
import type { SealedBody } from '@tenantscope/store/read';
import type { Caller } from './auth/caller.ts';
import type { Tail } from './records/tail-waits.ts';

/** The result of an operation; its body is sent unchanged. */
export interface OperationResult {
  readonly body: Buffer | string | SealedBody;
  /** Cursor of the next page, if there is one. */
  readonly nextCursor?: string | null;
  /** Of a page at the end of a feed, whose list has no upper bound on the write clock. */
  readonly tail?: (Tail & { readonly isEmpty: boolean }) | null;
}

export const toPlainBody = (body: OperationResult['body']): Buffer | string =>
  typeof body === 'string' || Buffer.isBuffer(body) ? body : body.text();

/** One handler per operation. */
export type Handlers = {
  readonly [Name in OperationName]: (
    caller: Caller,
    input: OperationInput<OperationNamed<Name>>,
  ) => Promise<OperationResult>;
};

/**
 * Invokes an operation for any transport. Plan, scope and parameters are checked here, in this order, and nowhere else.
 * `given` is called only after the checks before it. `id` is the record id of a get operation.
 */
export async function invoke<Name extends OperationName>(
  handlers: Handlers,
  operation: OperationNamed<Name>,
  caller: Caller,
  given: () => Iterable<RawParameter>,
  id?: string,
): Promise<OperationResult> {
  if (operation.tenant === 'required' && !caller.tenant?.apiAccess)
    throw new ApiError(
      'PLAN_REQUIRED',
      "The selected tenant's plan does not include API access. Contact its administrator to upgrade the plan.",
    );
  if (operation.tenant === 'required' && caller.tenant?.suspended)
    throw new ApiError(
      'PLAN_REQUIRED',
      'The selected tenant is suspended: its records are stored, but no key reads them. Contact its administrator to resume it.',
    );
  const missing = requiredScopes(operation).find((scope) => !caller.scopes.has(scope));
  if (missing !== undefined) throw insufficientScope(missing);
  const input = parseInput(operation, given(), id);
  const handle = handlers[operation.name] as (caller: Caller, input: unknown) => Promise<OperationResult>;
  return withSpan(operation.name, { 'tenantscope.operation': operation.name }, () => handle(caller, input));
}

function insufficientScope(scope: string): ApiError {
  return new ApiError('INSUFFICIENT_SCOPE', `The key does not have the scope ${scope}. Use a key with this scope.`, [
    { parameter: 'scope', reason: `the key does not have ${scope}`, allowed: [scope] },
  ]);
}
