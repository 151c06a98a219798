const width = 120;
const height = 24;
/** From here on a feed is late. */
const lateMs = 10_000;
const leastTopMs = 60_000;

/** Powers of ten are equally far apart: a tenth of a second and an hour are both told. */
const heightOf = (ms: number, topMs: number): number =>
  Math.round((height - 2) * (Math.log10(1 + ms / 100) / Math.log10(1 + topMs / 100)) * 10) / 10;

interface Given {
  readonly lagMs: readonly (number | null)[];
  /** The same in words. */
  readonly words: string;
}

/** How far behind a feed was, minute by minute. What nobody measured is a gap. */
export function LagLine({ lagMs, words }: Given) {
  const step = width / lagMs.length;
  const topMs = Math.max(leastTopMs, ...lagMs.map((lag) => lag ?? 0));
  const yOf = (ms: number) => height - 1 - heightOf(ms, topMs);
  const lateY = yOf(lateMs);
  return (
    <svg className="lag" width={width} height={height} viewBox={`0 0 ${width} ${height}`} role="img" aria-label={words}>
      <title>{words}</title>
      {lagMs.map((lag, index) =>
        lag === null ? (
          // biome-ignore lint/suspicious/noArrayIndexKey: a place in the hour is what it is
          <rect key={index} className="lag-gap" x={index * step} y={0} width={step} height={height} />
        ) : null,
      )}
      <line className="lag-late" x1={0} x2={width} y1={lateY} y2={lateY} />
      {stretches(lagMs).map(({ from, lags }) => (
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
          // biome-ignore lint/suspicious/noArrayIndexKey: a place in the hour is what it is
          <rect key={index} className="lag-much" x={index * step} y={yOf(lag) - 1} width={step} height={3} />
        ) : null,
      )}
    </svg>
  );
}

/** What was measured without a break. */
function stretches(lagMs: readonly (number | null)[]): { from: number; lags: number[] }[] {
  const found: { from: number; lags: number[] }[] = [];
  lagMs.forEach((lag, index) => {
    if (lag === null) return;
    const last = found.at(-1);
    if (last && last.from + last.lags.length === index) last.lags.push(lag);
    else found.push({ from: index, lags: [lag] });
  });
  return found;
}
