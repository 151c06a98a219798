import { listLogs } from '@tenantscope/contract';
import { buildRecord, type Detection, detections, meetsAll } from '@tenantscope/docs';
import { formatLogRow, type LogRow, readActivity, toEventType } from '@tenantscope/intake';
import { describe, expect, test } from 'vitest';

const tenantId = '0f9d5a3e-6b1c-4d7e-8a2f-3c4b5d6e7f80';

function readRow(detection: Detection, kind: 'match' | 'other'): LogRow {
  const outcomes = readActivity(
    {
      key: null,
      value: Buffer.from(JSON.stringify(buildRecord(detection, kind))),
      headers: { ce_specversion: '1.0', ce_type: toEventType(detection.format), ce_tenantid: tenantId },
    },
    {
      findTenant: () => ({ azureTenantId: null }),
      nowMs: Date.UTC(2026, 10, 21),
      maxValueBytes: 1_048_576,
      onlyElement: null,
    },
  );
  const row = outcomes.find((outcome) => outcome.kind === 'log');
  if (row?.kind !== 'log') throw new Error(JSON.stringify(outcomes));
  return row.row;
}

/** The request on the columns that the API filters by, and the comparisons on the served row. */
function finds({ query, where }: Detection, row: LogRow): boolean {
  const isListed = Object.entries(query).every(([name, values]) => {
    const column = row.columns[name as keyof typeof row.columns];
    const listed = values.split(',');
    return (
      column !== null && (name === 'action' ? listed.map((each) => each.toLowerCase()) : listed).includes(`${column}`)
    );
  });
  return isListed && meetsAll(JSON.parse(formatLogRow(row)) as Record<string, unknown>, where);
}

describe.each(detections.map((detection) => [detection.id, detection] as const))('%s', (_, detection) => {
  test('finds its record and not the other', () => {
    const rows = { match: readRow(detection, 'match'), other: readRow(detection, 'other') };
    expect(finds(detection, rows.match), rows.match.memberLines).toBe(true);
    expect(finds(detection, rows.other), rows.other.memberLines).toBe(false);
  });
});

test('requests name an action and use filters of the audit log alone', () => {
  for (const { id, query } of detections) {
    for (const name of Object.keys(query)) expect(Object.keys(listLogs.filters), id).toContain(name);
    expect(query.action, id).toBeTruthy();
  }
});

test('ids and titles are unique, and every detection has a public reference and a reason', () => {
  expect(new Set(detections.map(({ id }) => id)).size).toBe(detections.length);
  expect(new Set(detections.map(({ title }) => title)).size).toBe(detections.length);
  for (const { id, reference, reason } of detections) {
    expect(reference, id).toMatch(/^https:\/\//);
    expect(reason, id).toMatch(/\.$/);
  }
});
