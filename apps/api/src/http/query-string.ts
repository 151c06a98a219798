import type { RawParameter } from '@tenantscope/contract';

/** The query parameters of a URL in order, repeated ones included; a value that is not percent-encoded UTF-8 is null. */
export function parseQueryParameters(url: string): RawParameter[] {
  return queryPart(url)
    .split('&')
    .filter((part) => part !== '')
    .map((part) => {
      const at = part.indexOf('=');
      const name = at < 0 ? part : part.slice(0, at);
      return [decode(name) ?? name, at < 0 ? '' : decode(part.slice(at + 1))] as const;
    });
}

function queryPart(url: string): string {
  const at = url.indexOf('?');
  return at < 0 ? '' : url.slice(at + 1);
}

function decode(text: string): string | null {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return null;
  }
}
