import {
  ApiError,
  type CursorFile,
  createRequester,
  openCursorFile,
  RequestTimeout,
  type StoredRequest,
} from '@tenantscope/client';
import { productVersion } from '@tenantscope/contract/version';
import { CommandError, redact, usageError } from '../../command-error.ts';
import { describeApiError, resolveApi } from '../../connections/api-client.ts';
import type { CommandContext } from '../../context.ts';
import { type CommandResult, writeMessage } from '../../output/command-result.ts';
import { findPolledList, type PolledList } from './polled-lists.ts';
import { openRowOutput } from './row-output.ts';
import { type Polling, tailAllTenants, tailTenant } from './tail-tenants.ts';

export interface TailOptions {
  readonly state?: string;
  readonly from?: string;
  readonly filter?: Readonly<Record<string, string>>;
  readonly view?: string;
  readonly once?: boolean;
  /** Seconds. */
  readonly interval: number;
  readonly allTenants?: boolean;
  readonly tenant?: string;
  readonly url?: string;
}

/**
 * Writes rows as NDJSON. A position is stored after the rows before it were written, so a restart repeats the last page
 * at most and skips nothing.
 */
export async function tail(name: string, options: TailOptions, context: CommandContext): Promise<CommandResult> {
  const list = findPolledList(name);
  const { url, key } = resolveApi(options, context.environment);
  const parameters = describeFirstRequest(list, options);
  const report = (text: string) => writeMessage(redact(text), context.terminal);
  const request = createRequester({
    url,
    key,
    userAgent: `tenantscope-tail/${productVersion}`,
    onRetry: ({ reason, pauseMs }) => report(`${reason}; next attempt in ${Math.ceil(pauseMs / 1_000)} s`),
  });
  const stop = new AbortController();
  const end = () => stop.abort();
  process.once('SIGINT', end).once('SIGTERM', end);
  try {
    await using cursors = await openPositions(options.state, { url, path: list.path, parameters });
    const polling: Polling = {
      request,
      path: list.path,
      parameters,
      cursors,
      once: options.once ?? false,
      intervalMs: options.interval * 1_000,
      signal: stop.signal,
      write: openRowOutput(context.out),
      report,
    };
    const problems = await (options.allTenants ? tailAllTenants(polling) : tailTenant(polling, options.tenant));
    return { document: null, text: '', problems };
  } catch (error) {
    if (stop.signal.aborted) return { document: null, text: '' };
    throw describeFailure(error, options.state);
  } finally {
    process.off('SIGINT', end).off('SIGTERM', end);
  }
}

function describeFirstRequest(
  list: PolledList,
  { from, filter = {}, view, allTenants, tenant }: TailOptions,
): Record<string, string> {
  if (allTenants && tenant !== undefined) throw usageError('--all-tenants and --tenant exclude each other');
  const unknown = Object.keys(filter).find((filterName) => !list.filters.includes(filterName));
  if (unknown !== undefined) {
    throw usageError(`${list.path} has no filter ${unknown}: use ${list.filters.join(', ')}`);
  }
  if (view !== undefined && !list.views.includes(view)) {
    throw usageError(
      list.views.length === 0
        ? `${list.path} has no views`
        : `${list.path} has no view ${view}: use ${list.views.join(', ')}`,
    );
  }
  return {
    ...filter,
    ...(from === undefined ? {} : { [list.from]: from }),
    ...(view === undefined ? {} : { view }),
    sort: list.sort,
    limit: '1000',
  };
}

/** Without a file the positions last as long as the process. */
async function openPositions(file: string | undefined, request: StoredRequest): Promise<CursorFile> {
  if (file !== undefined) {
    return await openCursorFile(file, request).catch((error: Error) => {
      throw new CommandError(error.message);
    });
  }
  const cursors = new Map<string, string>();
  return {
    get: (tenant) => cursors.get(tenant) ?? null,
    set: async (tenant, cursor) => void cursors.set(tenant, cursor),
    [Symbol.asyncDispose]: async () => {},
  };
}

function describeFailure(error: unknown, file: string | undefined): unknown {
  if (error instanceof RequestTimeout) return new CommandError(`the API does not respond: ${error.message}`);
  if (!(error instanceof ApiError)) return error;
  if (error.code === 'TENANT_REQUIRED')
    return usageError('the key reads several tenants; name one with --tenant, or read each with --all-tenants');
  const remedy = error.code === 'INVALID_CURSOR' && file !== undefined ? ` Delete ${file} to read from the start.` : '';
  return new CommandError(`${describeApiError(error)}${remedy}`, error.status === 400 ? 2 : 1);
}
