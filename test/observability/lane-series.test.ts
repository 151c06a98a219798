import { test } from 'vitest';
import { eventually } from '../installation/eventually.ts';
import { startInstallation } from '../installation/installation.ts';
import type { ProductProcess } from '../installation/processes.ts';

/** The lanes of a process by the metric that has a series for each. */
async function readSeries(ingest: ProductProcess): Promise<string[]> {
  const metrics = await (await fetch(`http://127.0.0.1:${ingest.healthPort}/metrics`)).text();
  return [...metrics.matchAll(/^tenantscope_ingest_lane_running\{(.*)\} \d+$/gm)].map(([, labels = '']) => labels);
}

test('the series of a lane are those of the process that reads it, and end when another one does', {
  timeout: 240_000,
}, async () => {
  await using installation = await startInstallation();
  await using first = await installation.startIngest();
  await eventually('the first process reads lanes', 40_000, async () => (await readSeries(first)).length > 0);

  const second = await installation.startIngest();
  let lanes: string[] = [];
  await eventually('both read lanes, each its own', 60_000, async () => {
    const series = await Promise.all([first, second].map(readSeries));
    lanes = series.flat();
    return series.every(({ length }) => length > 0) && new Set(lanes).size === lanes.length;
  });
  await second[Symbol.asyncDispose]();
  await eventually('the first one reads all again', 60_000, async () => {
    const series = new Set(await readSeries(first));
    return lanes.every((lane) => series.has(lane));
  });
});
