import type { CursorFile } from './cursor-file.ts';
import {
  completeLists,
  type EcsDocument,
  followedLists,
  type OcsfEvent,
  type Operations,
  operationPaths,
} from './operations.ts';
import type { Page } from './page.ts';
import { pollPages } from './poll-pages.ts';
import { createRequester, type RequesterOptions, type RequestParameters } from './requester.ts';

type Name = keyof Operations;
type Taken<N extends Name> = Operations[N]['takes'];
type FollowedName = keyof typeof followedLists;
type RowOf<N extends Name> = Operations[N]['returns'] extends Page<infer Row> ? Row : never;
/** Lists whose rows can be events of another schema. */
type ViewedName = { [N in Name]: 'ocsf' extends Taken<N>['view' & keyof Taken<N>] ? N : never }[Name];
/** The rows of a view. */
interface ViewRows {
  readonly ocsf: OcsfEvent;
  readonly ecs: EcsDocument;
}
type FilterName<N extends FollowedName> = Exclude<keyof Taken<N>, 'sort' | 'limit' | 'cursor' | 'from' | 'to'>;

export interface CallOptions {
  /** Service id or upstream id, for a key that reads several tenants. */
  readonly tenantId?: string;
  /** No attempt begins later than this after the first one. Default: there is always a next attempt. */
  readonly retryForMs?: number;
  readonly signal?: AbortSignal;
}

export interface FollowOptions<N extends FollowedName> extends CallOptions {
  /** Of the write clock: the first row. Default: the oldest row. */
  readonly start?: string | Date;
  readonly filters?: Pick<Taken<N>, FilterName<N>>;
  /** Where the position is stored, per tenant. The position of a page is stored when the next one is requested. */
  readonly positions?: CursorFile;
  /** Pause after the newest row. null: the iteration ends there. Default 5 s. */
  readonly intervalMs?: number | null;
}

export interface TypedClient {
  /** One request. Throws ApiError for a response that repeating does not change. */
  call<N extends ViewedName, V extends keyof ViewRows>(
    name: N,
    parameters: Taken<N> & { readonly view: V },
    options?: CallOptions,
  ): Promise<Page<ViewRows[V]>>;
  call<N extends Name>(name: N, parameters: Taken<N>, options?: CallOptions): Promise<Operations[N]['returns']>;
  /** Rows of a list in the order in which they were written; of states, every change or a later one. */
  follow<N extends FollowedName & ViewedName, V extends keyof ViewRows>(
    name: N,
    options: FollowOptions<N> & { readonly filters: { readonly view: V } },
  ): AsyncGenerator<readonly ViewRows[V][], void>;
  follow<N extends FollowedName>(name: N, options?: FollowOptions<N>): AsyncGenerator<readonly RowOf<N>[], void>;
}

/** The API with a key. Requests that fail on the network, with 429 or with 5xx are repeated. */
export function createClient(options: RequesterOptions): TypedClient {
  const request = createRequester(options);
  return {
    async call(name: Name, taken: object, callOptions: CallOptions = {}) {
      const { id = '', ...parameters } = taken as Readonly<Record<string, unknown>>;
      const path = operationPaths[name].replace('{id}', encodeURIComponent(String(id)));
      const { data, pagination } = await request(path, { ...callOptions, parameters: formatParameters(parameters) });
      const isPage = pagination !== undefined && !completeLists.has(name);
      return (isPage ? { rows: data, pagination } : data) as never;
    },
    async *follow(
      name: FollowedName,
      { start, filters, positions, intervalMs = 5_000, ...callOptions }: FollowOptions<FollowedName> = {},
    ) {
      const { sort, from } = followedLists[name];
      const parameters = formatParameters({ ...filters, sort, limit: 1_000, [from]: start });
      const tenant = callOptions.tenantId ?? '';
      const cursor = positions?.get(tenant) ?? null;
      const pages = pollPages(request, operationPaths[name], { ...callOptions, parameters, cursor, intervalMs });
      for await (const { rows, pagination } of pages) {
        if (rows.length > 0) yield rows as never;
        await positions?.set(tenant, pagination.resumeCursor);
      }
    },
  };
}

/** The parameters of the first request of a followed list, to which a file of cursors belongs. */
export function followedRequest<N extends FollowedName>(
  url: string,
  name: N,
  { start, filters }: Pick<FollowOptions<N>, 'start' | 'filters'> = {},
) {
  const { sort, from } = followedLists[name];
  return { url, path: operationPaths[name], parameters: formatParameters({ ...filters, sort, [from]: start }) };
}

function formatParameters(parameters: object): RequestParameters {
  return Object.fromEntries(
    Object.entries(parameters)
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => [name, formatParameter(value)]),
  );
}

/** Values are joined by commas, except where one contains a comma. */
function formatParameter(value: unknown): string | readonly string[] {
  if (value instanceof Date) return value.toISOString();
  const isRepeated = Array.isArray(value) && value.some((one) => String(one).includes(','));
  return isRepeated ? value.map(String) : String(value);
}
