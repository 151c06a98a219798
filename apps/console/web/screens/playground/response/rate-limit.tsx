import { useEffect, useState } from 'react';
import type { RunSummary } from '../../../../api/playground.ts';
import { span } from '../../../labels/format.ts';
import { useLanguage } from '../../../labels/language.tsx';

const barWidth = 96;
const secondMs = 1_000;

/** The current time, updated each second until the given time. */
function useClockUntil(endMs: number): number {
  const [nowMs, setNow] = useState(Date.now);
  const isOver = nowMs >= endMs;
  useEffect(() => {
    if (isOver) return;
    const ticking = setInterval(() => setNow(Date.now()), secondMs);
    return () => clearInterval(ticking);
  }, [isOver]);
  return nowMs;
}

const numberIn = (headers: RunSummary['headers'], name: string): number => Number(headers[name] ?? Number.NaN);

/** What is left of the minute's requests, and when it is full again. */
export function RateLimit({ headers }: { headers: RunSummary['headers'] }) {
  const { labels, language } = useLanguage();
  const { playground } = labels;
  const [limit = 0, left = 0, reset = 0] = ['limit', 'remaining', 'reset'].map((name) =>
    numberIn(headers, `x-ratelimit-${name}`),
  );
  const resetMs = reset * secondMs;
  const nowMs = useClockUntil(resetMs);
  if (!(limit > 0) || Number.isNaN(left + reset)) return null;
  return (
    <span className="budget">
      <svg width={barWidth} height={8} aria-hidden="true">
        <rect width={barWidth} height={8} rx={2} />
        <rect className="budget-left" width={(barWidth * left) / limit} height={8} rx={2} />
      </svg>
      {playground.budget(left, limit)}
      <span className="muted">
        {nowMs < resetMs ? playground.resets(span(language, wholeSeconds(resetMs - nowMs))) : playground.fullAgain}
      </span>
    </span>
  );
}

const wholeSeconds = (ms: number): number => Math.ceil(ms / secondMs) * secondMs;

/** How long to wait after a refusal that says so. */
export function RetryCountdown({ headers }: { headers: RunSummary['headers'] }) {
  const { labels, language } = useLanguage();
  const [beganMs] = useState(Date.now);
  const waitMs = numberIn(headers, 'retry-after') * secondMs;
  const endMs = Number.isNaN(waitMs) ? beganMs : beganMs + waitMs;
  const nowMs = useClockUntil(endMs);
  if (Number.isNaN(waitMs)) return null;
  return (
    <p className="note note-warn" role="timer">
      {nowMs < endMs
        ? labels.playground.rateLimited(span(language, wholeSeconds(endMs - nowMs)))
        : labels.playground.rateLimitReset}
    </p>
  );
}
