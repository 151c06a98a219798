const width = 120;
const height = 24;
/** A feed is late from this lag. */
const lateMs = 10_000;
const minScaleMs = 60_000;

/** A logarithmic scale, which shows both a tenth of a second and an hour. */
const scaleLag = (ms: number, topMs: number): number =>
  Math.round((height - 2) * (Math.log10(1 + ms / 100) / Math.log10(1 + topMs / 100)) * 10) / 10;

interface Props {
  readonly lagMs: readonly (number | null)[];
  /** The text alternative. */
  readonly label: string;
}

/** The lag of a feed per minute; minutes without a measurement are gaps. */
export function LagChart({ lagMs, label }: Props) {
  const step = width / lagMs.length;
  const topMs = Math.max(minScaleMs, ...lagMs.map((lag) => lag ?? 0));
  const yOf = (ms: number) => height - 1 - scaleLag(ms, topMs);
  const lateY = yOf(lateMs);
  return (
    <svg className="lag" width={width} height={height} viewBox={`0 0 ${width} ${height}`} role="img" aria-label={label}>
      <title>{label}</title>
      {lagMs.map((lag, index) =>
        lag === null ? (
          // biome-ignore lint/suspicious/noArrayIndexKey: the index is the minute of the hour
          <rect key={index} className="lag-gap" x={index * step} y={0} width={step} height={height} />
        ) : null,
      )}
      <line className="lag-late" x1={0} x2={width} y1={lateY} y2={lateY} />
      {findRuns(lagMs).map(({ from, lags }) => (
        <path
          key={from}
          className="lag-line"
          d={lags
            .map((lag, index) => `${index === 0 ? 'M' : 'L'}${(from + index) * step} ${yOf(lag)}h${step}`)
            .join('')}
        />
      ))}
      {lagMs.map((lag, index) =>
        lag !== null && lag >= lateMs ? (
          // biome-ignore lint/suspicious/noArrayIndexKey: the index is the minute of the hour
          <rect key={index} className="lag-late-value" x={index * step} y={yOf(lag) - 1} width={step} height={3} />
        ) : null,
      )}
    </svg>
  );
}

/** Runs of consecutive measurements. */
function findRuns(lagMs: readonly (number | null)[]): { from: number; lags: number[] }[] {
  const found: { from: number; lags: number[] }[] = [];
  lagMs.forEach((lag, index) => {
    if (lag === null) return;
    const last = found.at(-1);
    if (last && last.from + last.lags.length === index) last.lags.push(lag);
    else found.push({ from: index, lags: [lag] });
  });
  return found;
}
