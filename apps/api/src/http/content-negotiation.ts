import { acceptsGzip, parseQualityValues } from '@tenantscope/runtime';

/** The offered media type that an Accept header prefers, the first of equals; null if it allows none. A missing header allows everything. */
export function negotiateMediaType(accept: string | undefined, offered: readonly string[]): string | null {
  if (accept === undefined || accept.trim() === '') return offered[0] ?? null;
  const ranges = parseQualityValues(accept);
  let preferred: { readonly type: string; readonly quality: number } | null = null;
  for (const type of offered) {
    // The most specific matching range decides, so that "application/json;q=0, */*" means no.
    const quality = ranges.get(type) ?? ranges.get(`${type.split('/')[0]}/*`) ?? ranges.get('*/*') ?? 0;
    if (quality > (preferred?.quality ?? 0)) preferred = { type, quality };
  }
  return preferred?.type ?? null;
}

/** The content encoding of a response: zstd before gzip, if accepted. */
export function negotiateEncoding(acceptEncoding: string | undefined): 'zstd' | 'gzip' | null {
  if (acceptEncoding === undefined) return null;
  const codings = parseQualityValues(acceptEncoding);
  if ((codings.get('zstd') ?? 0) > 0) return 'zstd';
  return acceptsGzip(acceptEncoding) ? 'gzip' : null;
}
