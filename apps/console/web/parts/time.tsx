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
