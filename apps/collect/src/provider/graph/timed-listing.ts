import { dayMs } from '@tenantscope/contract';
import { parseJsonPage } from '../../http/json-page.ts';
import { readOwnPath } from '../../http/next-link.ts';
import type { MicrosoftRequest } from '../microsoft/microsoft-request.ts';
import type { StreamInput } from '../provider.ts';
import { toEntries } from '../window/entries.ts';
import type { Listing, WindowSource } from '../window/window-source.ts';
import { assertGraphSuccess, isExpiredLink, readMissingPart } from './graph-response.ts';
import { lateListing, type TimedResource } from './graph-streams.ts';

/** A list of Microsoft Graph by time, as the source of windows. */
export function createTimedSource(
  input: StreamInput,
  request: MicrosoftRequest,
  resource: TimedResource,
): WindowSource {
  const { windowMs, partMinMs, retentionMs, pageMax } = resource;
  return {
    pageMax,
    windowMs,
    partMinMs,
    retentionMs,
    ...lateListing,
    retentionReason: `older than the ${retentionMs / dayMs} days for which Microsoft retains records`,
    firstMs: retentionMs - 3_600_000,
    list: (fromMs, toMs, next, top) =>
      listPage(input, request, resource, next ?? createPath(resource, fromMs, toMs, top), next !== null),
  };
}

function createPath({ path, time, isState }: TimedResource, fromMs: number, toMs: number, top: number): string {
  const [from, to] = [fromMs, toMs].map((ms) => new Date(ms).toISOString()) as [string, string];
  const filter = `${time} ge ${from}${isState ? '' : ` and ${time} le ${to}`}`;
  return `${path}?$filter=${encodeURIComponent(filter)}&$top=${top}`;
}

async function listPage(
  { url }: StreamInput,
  request: MicrosoftRequest,
  { time, isState }: TimedResource,
  path: string,
  isNext: boolean,
): Promise<Listing | 'expired'> {
  const { host } = new URL(url);
  const response = await request(path);
  if (isNext && isExpiredLink(response)) return 'expired';
  assertGraphSuccess(response.status === 206 ? { ...response, status: 200 } : response, host);
  const { values, records, page } = parseJsonPage(response.body, 'value', host);
  const next = page['@odata.nextLink'];
  return {
    missing: readMissingPart(response),
    entries: toEntries(values, records, {
      getTime: (value) => value[time],
      ...(isState ? {} : { getId: (value) => value.id }),
    }),
    next: typeof next === 'string' ? readOwnPath(next, url) : null,
  };
}
