import { ago, utc } from '../labels/format.ts';
import { useLabels } from '../labels/language.tsx';
import { useNow } from '../now.ts';

/** A time of the past, absolute and relative. */
export function Timestamp({ at, isShort = false }: { at: string; isShort?: boolean }) {
  const labels = useLabels();
  const past = useNow((nowMs) => ago(labels, at, nowMs));
  return (
    <time dateTime={at} title={at} className="time">
      {isShort ? past : `${utc(at)} · ${past}`}
    </time>
  );
}

/** A time of the past, relative only. */
export function RelativeTime({ at }: { at: string }) {
  const labels = useLabels();
  return useNow((nowMs) => ago(labels, at, nowMs));
}

/** Formats relative times for a sentence; updated every second. */
export function useRelativeTime(): (time: string) => string {
  const labels = useLabels();
  const nowMs = useNow((ms) => Math.floor(ms / 1_000) * 1_000);
  return (time) => ago(labels, time, nowMs);
}
