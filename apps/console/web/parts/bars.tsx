const gap = 2;
const height = 20;

interface Bar {
  readonly label: string;
  readonly value: number;
}

interface BarsGiven {
  readonly bars: readonly Bar[];
  readonly words: string;
  readonly width?: number;
  /** A value that fills the height at least, so that several can be compared. */
  readonly scale?: number;
}

/** Small bars of one measure over time. The same numbers are its text. */
export function Bars({ bars, words, width = 6, scale = 1 }: BarsGiven) {
  const most = Math.max(scale, ...bars.map(({ value }) => value));
  return (
    <svg
      className="bars"
      width={bars.length * (width + gap)}
      height={height}
      viewBox={`0 0 ${bars.length * (width + gap)} ${height}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={`${words}: ${bars.map(({ label }) => label).join(', ')}`}
    >
      {bars.map(({ label, value }, index) => {
        const tall = value === 0 ? 1 : Math.max(2, Math.round((value / most) * height));
        return (
          <rect
            key={label}
            className={value === 0 ? 'bar-none' : 'bar'}
            x={index * (width + gap)}
            y={height - tall}
            width={width}
            height={tall}
          >
            <title>{label}</title>
          </rect>
        );
      })}
    </svg>
  );
}

/** Every day or hour of a stretch that ends now, those without use among them. */
export function filled<Bucket extends { at: string }>(
  buckets: readonly Bucket[],
  count: number,
  stepMs: number,
  nowMs = Date.now(),
): { at: string; bucket: Bucket | null }[] {
  const last = Math.floor(nowMs / stepMs) * stepMs;
  const known = new Map(buckets.map((bucket) => [Date.parse(bucket.at), bucket]));
  return Array.from({ length: count }, (_, index) => {
    const ms = last - (count - 1 - index) * stepMs;
    return { at: new Date(ms).toISOString(), bucket: known.get(ms) ?? null };
  });
}
