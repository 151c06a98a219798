import { expect, test } from 'vitest';
import { explainPage } from '../src/records/page-note.ts';

const nowMs = Date.parse('2026-11-27T12:00:00Z');
const page = {
  rowCount: 0,
  window: { fromMs: null, toMs: null },
  nowMs,
  retainedFromMs: nowMs - 1_000,
  ignored: [],
  unknown: [],
  missingFlags: [],
};

test('an empty page without a reason in its window has no note', () => {
  expect(explainPage(page)).toBeNull();
  expect(explainPage({ ...page, window: { fromMs: nowMs, toMs: nowMs } })).toBeNull();
  expect(explainPage({ ...page, retainedFromMs: null, window: { fromMs: null, toMs: 0 } })).toBeNull();
});

test('an empty page names a window in the future and one before the stored history, a page with rows does not', () => {
  const future = { ...page, window: { fromMs: nowMs + 1, toMs: null } };
  expect(explainPage(future)).toBe('The window begins at 2026-11-27T12:00:00.001Z, which is in the future.');
  const past = { ...page, window: { fromMs: null, toMs: nowMs - 1_001 } };
  expect(explainPage(past)).toBe('The window ends before 2026-11-27T11:59:59.000Z, where the stored history begins.');
  expect(explainPage({ ...past, window: { fromMs: null, toMs: nowMs - 1_000 } })).toBeNull();
  for (const empty of [future, past]) expect(explainPage({ ...empty, rowCount: 1 })).toBeNull();
});

test('an empty page names the flags without which its rows are left out', () => {
  expect(explainPage({ ...page, missingFlags: ['includeDeleted'] })).toBe(
    'Rows that match are left out by default: add includeDeleted=true.',
  );
});

test('parameters that a cursor replaces are named, on pages with and without rows', () => {
  for (const rowCount of [0, 5])
    expect(explainPage({ ...page, rowCount, ignored: ['action', 'sort'] })).toBe(
      'Not applied, because the cursor contains the request: action, sort. Omit the cursor to apply them.',
    );
});

test('values that do not occur are named in full or by their beginning, within the length that OpenAPI states', () => {
  const unknown = [{ parameter: 'workload', value: 'Sharepoint', near: ['SharePoint', 'PowerPoint'] }];
  expect(explainPage({ ...page, unknown })).toBe(
    'workload=Sharepoint does not occur in the stored records. Similar values that do: SharePoint, PowerPoint.',
  );
  const long = { parameter: 'classification', value: 'x'.repeat(1_024), near: Array(3).fill('y'.repeat(1_024)) };
  const note = explainPage({ ...page, window: { fromMs: nowMs + 1, toMs: null }, unknown: [long, long, long] });
  expect(note).toContain(`classification=${'x'.repeat(48)}… does not occur`);
  expect(note?.length).toBeLessThanOrEqual(1_000);
});
