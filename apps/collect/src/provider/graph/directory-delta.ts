import { parseJsonPage } from '../../http/json-page.ts';
import { readOwnPath } from '../../http/next-link.ts';
import { describeGap } from '../collection-gap.ts';
import type { MicrosoftRequest } from '../microsoft/microsoft-request.ts';
import type { Page, StreamInput } from '../provider.ts';
import { ProviderFailure } from '../provider-failure.ts';
import { assertGraphSuccess, isExpiredLink } from './graph-response.ts';
import type { DirectoryResource } from './graph-streams.ts';

interface DeltaPosition {
  /** Path and query of the next page or of the next delta; null: the first page of a full enumeration. */
  readonly link: string | null;
  /** Objects that were removed until then are reported, or are in a gap: the end of the last delta, or the begin of an enumeration that has not ended. In epoch ms. */
  readonly completedMs: number | null;
}

const resetReason =
  'Microsoft Graph discarded the state of the delta query: objects that were deleted then are not reported';

/**
 * A delta query of the directory: all objects, then what changed since. Changed objects have all selected properties, removed ones their id. Where a link is
 * refused, all objects are enumerated again.
 */
export async function* readDelta(
  input: StreamInput,
  request: MicrosoftRequest,
  { path, select }: DirectoryResource,
): AsyncGenerator<Page> {
  const { host } = new URL(input.url);
  let position = readPosition(input.position);
  let isReset = false;
  // Where Graph refuses each of its links, each run has the first page of an enumeration again: that is no progress.
  let isProgress = position.link !== null || position.completedMs === null;
  for (const read = new Set<string>(); ; ) {
    const address = position.link ?? `${path}?$select=${select.join(',')}`;
    if (read.has(address)) throw new ProviderFailure('invalid', `${host} repeats a page of a delta query`);
    read.add(address);
    const response = await request(address);
    if (position.link !== null && !isReset && isExpiredLink(response)) {
      isReset = true;
      isProgress = false;
      read.clear();
      const { completedMs } = position;
      position = { link: null, completedMs: input.nowMs };
      const gaps = completedMs === null ? [] : [describeGap(completedMs, input.nowMs, resetReason)];
      yield { records: [], position, gaps, isProgress };
      continue;
    }
    assertGraphSuccess(response, host);
    const { values, records, page } = parseJsonPage(response.body, 'value', host);
    const [next, delta] = [page['@odata.nextLink'], page['@odata.deltaLink']];
    const link = typeof next === 'string' ? next : delta;
    if (typeof link !== 'string')
      throw new ProviderFailure('invalid', `${host} sent a page without a link to the next`);
    const isFirst = position.link === null && position.completedMs === null;
    const completedMs = isFirst || typeof next !== 'string' ? input.nowMs : position.completedMs;
    position = { link: readOwnPath(link, input.url), completedMs };
    yield { records: selectLast(values, records), position, isProgress };
    isProgress = true;
    if (typeof next !== 'string') return;
  }
}

/** An object that changed twice may be twice in a page. Its records are published with the same time, so that only the last is. */
function selectLast(values: readonly unknown[], records: readonly Buffer[]): Buffer[] {
  const last = new Map<unknown, number>();
  values.forEach((value, index) => void last.set((value as { id?: unknown } | null)?.id ?? index, index));
  return [...last.values()].toSorted((a, b) => a - b).flatMap((index) => records[index] ?? []);
}

function readPosition(stored: unknown): DeltaPosition {
  const { link, completedMs } = (stored ?? {}) as Partial<Record<keyof DeltaPosition, unknown>>;
  return {
    link: typeof link === 'string' ? link : null,
    completedMs: typeof completedMs === 'number' ? completedMs : null,
  };
}
