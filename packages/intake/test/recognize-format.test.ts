import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { recognizeFormat } from '../src/source/recognize-format.ts';
import { activityRecords, alertRecords } from './format-records.ts';

const folder = join(import.meta.dirname, '..', '..', '..', '..', '..', 'shared', 'real-data');
const indexPath = join(folder, 'index.json');
const hasRecords = existsSync(indexPath);

/** Formats that are names of one, or parts of it. */
const azureMonitor = /\.azuremonitor$/;
const recognize = (record: unknown) => recognizeFormat(Buffer.from(JSON.stringify(record)));

test.each(Object.entries({ ...activityRecords, ...alertRecords }))('a record of %s is recognized', (format, record) => {
  const names = azureMonitor.test(format) ? 'azure.monitor' : format;
  expect(recognize(record)).toBe(names);
});

test('a record is recognized in the wrappers that ingestion opens', () => {
  const record = activityRecords['okta.system-log'];
  for (const wrapped of [
    { records: [record] },
    { event: record },
    { message: JSON.stringify(record) },
    [record, 1],
    { _raw: JSON.stringify(record) },
  ])
    expect(recognize(wrapped)).toBe('okta.system-log');
  expect(recognizeFormat(gzipSync(JSON.stringify(record)))).toBe('okta.system-log');
});

test('what is no record of a provider is not recognized, whatever the bytes', () => {
  for (const text of ['', 'wrong line', '{}', '[]', '1', 'null', '{"id":"x"}', '{"a":', '[[[[]]]]'])
    expect(recognizeFormat(Buffer.from(text))).toBeNull();
  fc.assert(fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => recognizeFormat(Buffer.from(bytes)) === null));
});

test.skipIf(!hasRecords)(
  'more than 98.5 % of the published log records and alerts are recognized, and only two as another format',
  { tags: 'exhaustive' },
  () => {
    const index = JSON.parse(readFileSync(indexPath, 'utf8')) as { files: { path: string; format: string | null }[] };
    let recognized = 0;
    let total = 0;
    const wrong: string[] = [];
    for (const { path, format } of index.files) {
      if (format === null || /^dev\/entities/.test(path) || /loganalytics/.test(format)) continue;
      const name = azureMonitor.test(format) ? 'azure.monitor' : format.replace(/\.(?:split|flattened)$/, '');
      const file = join(folder, path.replace(/^dev\//, ''));
      for (const line of readFileSync(file, 'utf8')
        .split('\n')
        .filter((each) => each !== '')) {
        const found = recognizeFormat(Buffer.from(line));
        total += 1;
        if (found === name) recognized += 1;
        else if (found !== null) wrong.push(`${path}: ${found}`);
      }
    }
    expect(total).toBeGreaterThan(5_000);
    expect(recognized / total).toBeGreaterThan(0.985);
    // Rows of Log Analytics and of advanced hunting in files of other formats.
    expect(wrong).toEqual([
      'dev/alerts/elastic-integrations.defender-for-cloud.alert.ndjson: sentinel.security-alert',
      'dev/alerts/panther.graph.security.alert.ndjson: m365d.advanced-hunting',
    ]);
  },
);
