import { useNow } from '../now.ts';
import { ago, useWords, utc } from '../words/words.tsx';

/** A moment of the past, as the data has it, and how long ago that is. */
export function Time({ at, isShort = false }: { at: string; isShort?: boolean }) {
  const words = useWords();
  const past = useNow((nowMs) => ago(words, at, nowMs));
  return (
    <time dateTime={at} title={at} className="time">
      {isShort ? past : `${utc(at)} · ${past}`}
    </time>
  );
}

/** How long ago that is, and nothing else. */
export function Ago({ at }: { at: string }) {
  const words = useWords();
  return useNow((nowMs) => ago(words, at, nowMs));
}

/** How long ago something was, for a sentence; said anew as time goes by. */
export function useAgo(): (time: string) => string {
  const words = useWords();
  const nowMs = useNow((ms) => Math.floor(ms / 1_000) * 1_000);
  return (time) => ago(words, time, nowMs);
}
