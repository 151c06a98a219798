/** Parses "a;q=0.5, b" into qualities by name; parameters other than q are ignored. */
export function parseQualityValues(header: string): Map<string, number> {
  return new Map(
    header.split(',').map((part) => {
      const [name = '', ...parameters] = part.split(';').map((text) => text.trim().toLowerCase());
      const quality = parameters.find((text) => text.startsWith('q='));
      return [name, quality === undefined ? 1 : Number(quality.slice(2)) || 0] as const;
    }),
  );
}

export function acceptsGzip(acceptEncoding: string | undefined): boolean {
  if (acceptEncoding === undefined) return false;
  const codings = parseQualityValues(acceptEncoding);
  return (codings.get('gzip') ?? codings.get('*') ?? 0) > 0;
}
