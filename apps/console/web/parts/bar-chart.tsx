const gap = 2;
const height = 20;

interface Bar {
  readonly label: string;
  readonly value: number;
}

interface Props {
  readonly bars: readonly Bar[];
  readonly label: string;
  readonly width?: number;
  /** The least value of full height, so that several charts can be compared. */
  readonly scale?: number;
}

/** A small bar chart of one measure over time; its text alternative lists the values. */
export function BarChart({ bars, label, width = 6, scale = 1 }: Props) {
  const max = Math.max(scale, ...bars.map(({ value }) => value));
  return (
    <svg
      className="bars"
      width={bars.length * (width + gap)}
      height={height}
      viewBox={`0 0 ${bars.length * (width + gap)} ${height}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={`${label}: ${bars.map(({ label }) => label).join(', ')}`}
    >
      {bars.map(({ label, value }, index) => {
        const barHeight = value === 0 ? 1 : Math.max(2, Math.round((value / max) * height));
        return (
          <rect
            key={label}
            className={value === 0 ? 'bar-empty' : 'bar'}
            x={index * (width + gap)}
            y={height - barHeight}
            width={width}
            height={barHeight}
          >
            <title>{label}</title>
          </rect>
        );
      })}
    </svg>
  );
}

/** Every day or hour of a period that ends now; null for those without usage. */
export function fillBuckets<Bucket extends { at: string }>(
  buckets: readonly Bucket[],
  count: number,
  stepMs: number,
  nowMs = Date.now(),
): { at: string; bucket: Bucket | null }[] {
  const last = Math.floor(nowMs / stepMs) * stepMs;
  const byStart = new Map(buckets.map((bucket) => [Date.parse(bucket.at), bucket]));
  return Array.from({ length: count }, (_, index) => {
    const ms = last - (count - 1 - index) * stepMs;
    return { at: new Date(ms).toISOString(), bucket: byStart.get(ms) ?? null };
  });
}
