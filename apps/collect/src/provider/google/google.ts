import { parseJsonPage } from '../../http/json-page.ts';
import type { ProviderResponse } from '../../http/provider-request.ts';
import { type Provider, type StreamInput, withProviderClock } from '../provider.ts';
import { ProviderFailure } from '../provider-failure.ts';
import { type EntryMembers, toEntries } from '../window/entries.ts';
import { readWindows } from '../window/time-windows.ts';
import type { Listing, WindowSource } from '../window/window-source.ts';
import { assertGoogleSuccess, createGoogleRequest } from './google-request.ts';
import { activityTimes, alertTimes, applications } from './google-streams.ts';

/** Google Workspace: events of the Reports API by application, and alerts of the Alert Center. */
export const google: Provider = {
  completeAt: 'runStart',
  async *readPages(input) {
    const source = await (input.stream === 'alerts' ? createAlertSource(input) : createActivitySource(input));
    yield* readWindows(withProviderClock(input), source);
  },
};

async function createActivitySource(input: StreamInput): Promise<WindowSource> {
  const { stream, url } = input;
  const lag = Object.hasOwn(applications, stream) ? applications[stream] : undefined;
  if (lag === undefined) throw new ProviderFailure('invalid', `the Reports API has no application ${stream}`);
  const request = await createGoogleRequest(input, 'https://www.googleapis.com/auth/admin.reports.audit.readonly');
  const path = `/admin/reports/v1/activity/users/all/applications/${stream}`;
  return {
    ...activityTimes,
    ...lag,
    pageMax: 1_000,
    list: (fromMs, toMs, next, pageMax) =>
      listPage(request, createAddress(url, path, { ...createRange(fromMs, toMs), maxResults: `${pageMax}` }, next), {
        member: 'items',
        // Without events, Google sends the kind only.
        isEmpty: ({ kind }) => typeof kind === 'string',
        isNext: next !== null,
        getTime: ({ id }) => (id as { time?: unknown } | undefined)?.time,
        getId: ({ id }) => id,
      }),
  };
}

async function createAlertSource(input: StreamInput): Promise<WindowSource> {
  const request = await createGoogleRequest(input, 'https://www.googleapis.com/auth/apps.alerts');
  const { host } = new URL(input.url);
  const url = host === 'admin.googleapis.com' ? 'https://alertcenter.googleapis.com' : input.url;
  return {
    ...alertTimes,
    pageMax: 100,
    list(fromMs, toMs, next, pageMax) {
      const { startTime, endTime } = createRange(fromMs, toMs);
      const filter = `createTime >= "${startTime}" AND createTime <= "${endTime}"`;
      const address = createAddress(
        url,
        '/v1beta1/alerts',
        { filter, orderBy: 'createTime asc', pageSize: `${pageMax}` },
        next,
      );
      return listPage(request, address, {
        member: 'alerts',
        // Without alerts, Google sends an empty object.
        isEmpty: (page) => Object.keys(page).every((name) => name === 'nextPageToken'),
        isNext: next !== null,
        getTime: (value) => value.createTime,
      });
    },
  };
}

const createRange = (fromMs: number, toMs: number) => ({
  startTime: new Date(fromMs).toISOString(),
  endTime: new Date(toMs).toISOString(),
});

function createAddress(url: string, path: string, parameters: Record<string, string>, next: string | null): string {
  const address = new URL(path, url);
  address.search = new URLSearchParams({ ...parameters, ...(next === null ? {} : { pageToken: next }) }).toString();
  return address.href;
}

interface PageShape extends EntryMembers {
  readonly member: 'items' | 'alerts';
  readonly isNext: boolean;
  /** Whether a page without the list has no records. */
  readonly isEmpty: (page: Readonly<Record<string, unknown>>) => boolean;
}

/** A token of a page that is no longer valid is a 400. */
async function listPage(
  request: (url: string) => Promise<ProviderResponse>,
  address: string,
  { member, isNext, isEmpty, ...members }: PageShape,
): Promise<Listing | 'expired'> {
  const { host } = new URL(address);
  const response = await request(address);
  if (isNext && response.status === 400) return 'expired';
  assertGoogleSuccess(response, host);
  const { values, records, page } = parseJsonPage(response.body, member, host, isEmpty);
  const { nextPageToken: next } = page;
  return { entries: toEntries(values, records, members), next: typeof next === 'string' && next !== '' ? next : null };
}
