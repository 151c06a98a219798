import { useEffect, useState } from 'react';
import { span, useLanguage } from '../../words/words.tsx';
import type { Told } from './page.ts';

const barWidth = 96;
const secondMs = 1_000;

/** Now, each second anew until then. */
function useNowUntil(endMs: number): number {
  const [nowMs, setNow] = useState(Date.now);
  const isOver = nowMs >= endMs;
  useEffect(() => {
    if (isOver) return;
    const ticking = setInterval(() => setNow(Date.now()), secondMs);
    return () => clearInterval(ticking);
  }, [isOver]);
  return nowMs;
}

const numberIn = (headers: Told['headers'], name: string): number => Number(headers[name] ?? Number.NaN);

/** What is left of the minute's requests, and when it is full again. */
export function Budget({ headers }: { headers: Told['headers'] }) {
  const { words, language } = useLanguage();
  const { playground } = words;
  const [limit = 0, left = 0, reset = 0] = ['limit', 'remaining', 'reset'].map((name) =>
    numberIn(headers, `x-ratelimit-${name}`),
  );
  const resetMs = reset * secondMs;
  const nowMs = useNowUntil(resetMs);
  if (!(limit > 0) || Number.isNaN(left + reset)) return null;
  return (
    <span className="budget">
      <svg width={barWidth} height={8} aria-hidden="true">
        <rect width={barWidth} height={8} rx={2} />
        <rect className="budget-left" width={(barWidth * left) / limit} height={8} rx={2} />
      </svg>
      {playground.budget(left, limit)}
      <span className="muted">
        {nowMs < resetMs ? playground.resets(span(language, wholeSeconds(resetMs - nowMs))) : playground.isFull}
      </span>
    </span>
  );
}

const wholeSeconds = (ms: number): number => Math.ceil(ms / secondMs) * secondMs;

/** How long to wait after a refusal that says so. */
export function Wait({ headers }: { headers: Told['headers'] }) {
  const { words, language } = useLanguage();
  const [beganMs] = useState(Date.now);
  const waitMs = numberIn(headers, 'retry-after') * secondMs;
  const endMs = Number.isNaN(waitMs) ? beganMs : beganMs + waitMs;
  const nowMs = useNowUntil(endMs);
  if (Number.isNaN(waitMs)) return null;
  return (
    <p className="note note-warn" role="timer">
      {nowMs < endMs ? words.playground.waits(span(language, wholeSeconds(endMs - nowMs))) : words.playground.goesOn}
    </p>
  );
}
