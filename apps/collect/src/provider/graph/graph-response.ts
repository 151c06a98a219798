import { readErrorCode, readErrorText } from '../../http/error-text.ts';
import { assertSuccess, type ProviderResponse } from '../../http/provider-request.ts';
import { ProviderFailure } from '../provider-failure.ts';

/** Whether a link to a next page, or of a delta, is no longer valid: its request begins again without the link. */
export function isExpiredLink(response: ProviderResponse): boolean {
  const { status } = response;
  if (status === 410) return true;
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

const unlicensed: ReadonlySet<string> = new Set(['Authentication_RequestFromNonPremiumTenantOrB2CTenant']);
