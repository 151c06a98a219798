import { readErrorCode, readErrorText } from '../../http/error-text.ts';
import { assertSuccess, type ProviderResponse } from '../../http/provider-request.ts';
import { ProviderFailure } from '../provider-failure.ts';

/**
 * Whether a link to a next page, or of a delta, is no longer valid: its request begins again without the link. Links are Graph's own, so that any 400 is of the
 * link. That of a delta that was not used for 30 days has the code of a query that is not supported, `Request_UnsupportedQuery`.
 */
export function isExpiredLink(response: ProviderResponse): boolean {
  const { status } = response;
  if (status === 400 || status === 410) return true;
  return status >= 400 && status < 500 && expiredLinks.has((readErrorCode(response.body) ?? '').toLowerCase());
}

const expiredLinks: ReadonlySet<string> = new Set([
  'syncstatenotfound',
  'syncstateinvalid',
  'resyncrequired',
  'directory_expiredpagetoken',
  'expiredpagetoken',
]);

/** Without a licence, some resources are refused whatever the application may read. */
export function assertGraphSuccess(response: ProviderResponse, host: string): void {
  if (response.status === 403 && unlicensed.has(readErrorCode(response.body) ?? ''))
    throw new ProviderFailure('unlicensed', `${host} responds with status 403: ${readErrorText(response.body)}`);
  assertSuccess(response, host);
}

/**
 * Why a response with status 206 has not all records: Graph joins lists of several services, and names those that failed in `Warning`, as `199 - "Vendor/Service/504/10000"` with status
 * and milliseconds. Null: nothing is missing. A service that the customer has not licensed (403) or that has no such records (404) is always named, and lacks nothing.
 */
export function readMissingPart({ status, headers }: ProviderResponse): string | null {
  if (status !== 206) return null;
  const warning = headers.get('warning') ?? '';
  const statuses = [...warning.matchAll(/\/(\d{3})\/\d+"/g)].map(([, of]) => of);
  const isComplete = statuses.length > 0 && statuses.every((of) => of === '403' || of === '404');
  return isComplete ? null : `a part of the records is missing (status ${statuses.join(', ') || status})`;
}

const unlicensed: ReadonlySet<string> = new Set(['Authentication_RequestFromNonPremiumTenantOrB2CTenant']);
