import { ProviderFailure } from '../provider/provider-failure.ts';

const linkPattern = /<([^<>]*)>((?:[^,"]|"[^"]*")*)/g;

/** Path and query of the link with relation `next` in a `Link` header (RFC 8288); null if there is none. */
export function readNextLink(header: string | null, url: string): string | null {
  for (const [, target = '', parameters = ''] of (header ?? '').matchAll(linkPattern)) {
    if (/;\s*rel\s*=\s*(?:"(?:[^"]*\s)?next(?:\s[^"]*)?"|next\s*(?:;|$))/i.test(parameters))
      return readOwnPath(target, url);
  }
  return null;
}

/** Path and query of an address of the provider. Any other address is refused: requests to it would disclose the credentials. */
export function readOwnPath(target: string, url: string): string {
  const own = new URL(url);
  const parsed = URL.parse(target, own.href);
  const path = parsed === null ? '' : parsed.pathname + parsed.search;
  // A path that begins with two slashes names another host where it is resolved.
  if (parsed?.origin !== own.origin || URL.parse(path, own.href)?.href !== own.origin + path)
    throw new ProviderFailure('invalid', `${own.host} names a next page that is not at its own address`);
  return path;
}
