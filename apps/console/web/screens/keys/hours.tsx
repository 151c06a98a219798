import type { KeyDetail } from '../../asked.ts';
import { useOfMs } from '../../of.ts';
import { Bars, filled } from '../../parts/bars.tsx';
import { number, useLanguage } from '../../words/words.tsx';

const hourMs = 3_600_000;

interface Given {
  readonly of: KeyDetail['key'];
  readonly words: string;
  readonly scale?: number;
}

/** Two days of a key, hour by hour. */
export function Hours({ of: { hours }, words, scale = 1 }: Given) {
  const { words: all, language } = useLanguage();
  const bars = filled(hours, 48, hourMs, useOfMs()).map(({ at, bucket }) => ({
    label: all.keys.day(`${at.slice(0, 10)} ${at.slice(11, 16)}`, number(language, bucket?.requests ?? 0)),
    value: bucket?.requests ?? 0,
  }));
  return <Bars bars={bars} words={words} width={5} scale={scale} />;
}
