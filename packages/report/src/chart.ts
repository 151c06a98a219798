import type { Language, Point } from './document.ts';
import { escapeText as text } from './escape.ts';
import { formatCell, formatTime } from './format.ts';
import { labels } from './labels.ts';
import { renderEmpty, renderTable } from './table.ts';

const size = { width: 680, height: 190, left: 44, right: 56, top: 14, bottom: 26 };

/**
 * A line chart over time, with the same numbers as a visually hidden table for screen readers. Points without a value leave
 * a gap.
 */
export function renderLineChart(points: readonly Point[], title: string, lang: Language): string {
  const measured = points.flatMap(({ t, v }) => (v === null ? [] : [{ ms: Date.parse(t), v }]));
  if (measured.length === 0) return renderEmpty(labels.noData[lang]);
  const times = points.map(({ t }) => Date.parse(t));
  const [first, last] = [Math.min(...times), Math.max(...times)];
  const ticks = computeTicks(Math.max(...measured.map(({ v }) => v)));
  const top = ticks.at(-1) ?? 1;
  const x = (ms: number) =>
    round(size.left + ((ms - first) / Math.max(1, last - first)) * (size.width - size.left - size.right));
  const y = (v: number) => round(size.height - size.bottom - (v / top) * (size.height - size.top - size.bottom));
  const newest = measured.at(-1);
  return [
    `<figure class="report-figure"><svg class="report-chart" viewBox="0 0 ${size.width} ${size.height}" role="img" aria-label="${text(title)}">`,
    ...ticks.map(
      (tick) =>
        `<line class="report-grid" x1="${size.left}" x2="${size.width - size.right}" y1="${y(tick)}" y2="${y(tick)}"/>` +
        `<text class="report-tick" x="${size.left - 8}" y="${y(tick) + 4}" text-anchor="end">${text(formatCell(tick, null, lang))}</text>`,
    ),
    ...splitRuns(points).map(
      (line) =>
        `<polyline class="report-line" points="${line.map(({ t, v }) => `${x(Date.parse(t))},${y(v)}`).join(' ')}"/>`,
    ),
    ...(measured.length > 40
      ? []
      : measured.map(({ ms, v }) => `<circle class="report-dot" cx="${x(ms)}" cy="${y(v)}" r="2.5"/>`)),
    ...(newest
      ? [
          `<text class="report-newest" x="${x(newest.ms) + 8}" y="${y(newest.v) + 4}">${text(formatCell(newest.v, null, lang))}</text>`,
        ]
      : []),
    ...listLabels(first, last, lang).map(
      ({ ms, anchor, label }) =>
        `<text class="report-tick" x="${x(ms)}" y="${size.height - 6}" text-anchor="${anchor}">${text(label)}</text>`,
    ),
    '</svg>',
    `<div class="report-visually-hidden">${renderTable(
      {
        columns: [
          { key: 't', label: labels.when[lang], kind: 'date' },
          { key: 'v', label: labels.value[lang], kind: 'count' },
        ],
        rows: points.map(({ t, v }) => [t, v]),
        truncated: false,
      },
      title,
      lang,
    )}</div></figure>`,
  ].join('\n');
}

const round = (value: number): number => Math.round(value * 10) / 10;

/** The days at both ends and in the middle; one label where all points are within a day. */
function listLabels(first: number, last: number, lang: Language): { ms: number; anchor: string; label: string }[] {
  const labels = [
    { ms: first, anchor: 'start' },
    { ms: (first + last) / 2, anchor: 'middle' },
    { ms: last, anchor: 'end' },
  ].map((one) => ({ ...one, label: formatTime(new Date(one.ms).toISOString(), 'date', lang) }));
  return labels.filter(({ label }, index) => labels.findIndex((one) => one.label === label) === index);
}

/** Runs of points with a value. */
function splitRuns(points: readonly Point[]): { t: string; v: number }[][] {
  const runs: { t: string; v: number }[][] = [[]];
  for (const { t, v } of points) {
    if (v === null) runs.push([]);
    else runs.at(-1)?.push({ t, v });
  }
  return runs.filter((run) => run.length > 1);
}

/** Ticks from 0 to a round number above all values, in three to five steps of 1, 2 or 5 times a power of ten. */
export function computeTicks(greatest: number): number[] {
  const raw = Math.max(greatest, 1) / 4;
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = Math.max(1, [1, 2, 5, 10].map((factor) => factor * power).find((one) => one >= raw) ?? 10 * power);
  return Array.from({ length: Math.max(2, Math.ceil(greatest / step) + 1) }, (_, index) => index * step);
}
