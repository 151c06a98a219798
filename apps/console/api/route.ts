import * as z from 'zod/mini';

/** Descending: each role may do what the roles after it may. */
export const roles = ['admin', 'officer', 'viewer'] as const;
export type Role = (typeof roles)[number];

type Schema = z.ZodMiniType;

/** An endpoint that needs no session. */
export interface PublicRoute<Input extends Schema = Schema, Output extends Schema | 'stream' = Schema | 'stream'> {
  readonly method: 'GET' | 'POST' | 'PATCH';
  /** Below /console/api; `:name` stands for a member of the input. */
  readonly path: string;
  /** Members of the path, with those of the query string (GET) or of the JSON body. */
  readonly input: Input;
  /** The JSON response; `stream`: the handler writes the body itself. */
  readonly output: Output;
  /** Of the request; 64 KiB unless given. */
  readonly bodyMaxBytes?: number;
}

/** An endpoint of signed-in members. Server, browser and tests share this declaration. */
export interface Route<Input extends Schema = Schema, Output extends Schema | 'stream' = Schema | 'stream'>
  extends PublicRoute<Input, Output> {
  readonly roles: readonly Role[];
  /** Whether the member must have authenticated within the last minutes. */
  requiresReauthentication?(input: z.output<Input>): boolean;
}

export const defineRoute = <Input extends Schema, Output extends Schema | 'stream'>(
  route: Route<Input, Output>,
): Route<Input, Output> => route;

export const definePublicRoute = <Input extends Schema, Output extends Schema | 'stream'>(
  route: PublicRoute<Input, Output>,
): PublicRoute<Input, Output> => route;

export const noInput = z.strictObject({});
/** A GET without parameters: unknown ones are ignored. */
export const noParameters = z.object({});
export const noOutput = z.object({});
export const idInput = z.strictObject({ id: z.string() });

/** The tenants of a member. */
export const tenantIdList = z.array(z.guid()).check(z.maxLength(10_000));
/** Of a member that is invited or changed: without any it could sign in and see nothing. */
export const chosenTenantIds = tenantIdList.check(
  z.minLength(1, 'select at least one tenant, or disable the account to end its access'),
);
/** Of a request with two such lists: 39 bytes an id. */
export const tenantListMaxBytes = 1_048_576;

export const readonlyArray = <Item extends Schema>(item: Item) => z.readonly(z.array(item));
export const nullableString = z.nullable(z.string());
export const nullableNumber = z.nullable(z.number());
