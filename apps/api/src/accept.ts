/** Whether an Accept header lets us answer with JSON; without one, anything goes. */
export function acceptsJson(accept: string | undefined): boolean {
  if (accept === undefined || accept.trim() === '') return true;
  const ranges = weigh(accept);
  // The most specific range that fits decides, so that «application/json;q=0, */*» means no.
  const quality = ranges.get('application/json') ?? ranges.get('application/*') ?? ranges.get('*/*') ?? 0;
  return quality > 0;
}

/** The coding of a body: zstd before gzip, by what is accepted at all. */
export function codingFor(acceptEncoding: string | undefined): 'zstd' | 'gzip' | null {
  if (acceptEncoding === undefined) return null;
  const codings = weigh(acceptEncoding);
  const accepted = (coding: string) => (codings.get(coding) ?? codings.get('*') ?? 0) > 0;
  if (codings.has('zstd') && accepted('zstd')) return 'zstd';
  return accepted('gzip') ? 'gzip' : null;
}

/** «a;q=0.5, b» by name; parameters other than q do not matter here. */
function weigh(header: string): Map<string, number> {
  return new Map(
    header.split(',').map((part) => {
      const [name = '', ...parameters] = part.split(';').map((text) => text.trim().toLowerCase());
      const quality = parameters.find((text) => text.startsWith('q='));
      return [name, quality === undefined ? 1 : Number(quality.slice(2)) || 0] as const;
    }),
  );
}
