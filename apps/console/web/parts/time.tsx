import { ago, useWords, utc } from '../words/words.tsx';

/** A moment of the past, as the data has it, and how long ago that is. */
export function Time({ at, isShort = false }: { at: string; isShort?: boolean }) {
  const words = useWords();
  return (
    <time dateTime={at} title={at} className="time">
      {isShort ? ago(words, at) : `${utc(at)} · ${ago(words, at)}`}
    </time>
  );
}
