import { ApiError, type Parameter } from '@tenantscope/contract';

/** The error for a value that its parameter allows, but not in this request. `reason` is the end of a sentence about the parameter. */
export function invalidParameter<Name extends string>(
  { parameters }: { readonly parameters: Readonly<Record<Name, Pick<Parameter, 'example'>>> },
  parameter: NoInfer<Name>,
  reason: string,
  allowed?: readonly string[],
): ApiError {
  const next = allowed === undefined ? '' : '; details list the allowed values';
  return new ApiError(
    'INVALID_PARAMETER',
    `The parameter ${parameter} ${reason}. Correct it and repeat the request${next}.`,
    [{ parameter, reason, ...(allowed && { allowed }), example: parameters[parameter].example }],
  );
}
