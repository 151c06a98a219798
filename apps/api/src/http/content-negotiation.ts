/** Whether an Accept header allows a JSON response; a missing header allows everything. */
export function acceptsJson(accept: string | undefined): boolean {
  if (accept === undefined || accept.trim() === '') return true;
  const ranges = parseQualityValues(accept);
  // The most specific matching range decides, so that "application/json;q=0, */*" means no.
  const quality = ranges.get('application/json') ?? ranges.get('application/*') ?? ranges.get('*/*') ?? 0;
  return quality > 0;
}

/** The content encoding of a response: zstd before gzip, if accepted. */
export function negotiateEncoding(acceptEncoding: string | undefined): 'zstd' | 'gzip' | null {
  if (acceptEncoding === undefined) return null;
  const codings = parseQualityValues(acceptEncoding);
  const accepted = (coding: string) => (codings.get(coding) ?? codings.get('*') ?? 0) > 0;
  if (codings.has('zstd') && accepted('zstd')) return 'zstd';
  return accepted('gzip') ? 'gzip' : null;
}

/** Parses "a;q=0.5, b" into qualities by name; parameters other than q are ignored. */
function parseQualityValues(header: string): Map<string, number> {
  return new Map(
    header.split(',').map((part) => {
      const [name = '', ...parameters] = part.split(';').map((text) => text.trim().toLowerCase());
      const quality = parameters.find((text) => text.startsWith('q='));
      return [name, quality === undefined ? 1 : Number(quality.slice(2)) || 0] as const;
    }),
  );
}
