import {
  type ActivityFormatName,
  formatLogRow,
  type JsonObject,
  readActivity,
  splitActivity,
  toEventType,
} from '@tenantscope/intake';
import { listValues } from './member-values.ts';
import { indexServedValues } from './served-values.ts';
import type { SharedFile } from './shared-records.ts';

/** How many records have a member, and in how many of their rows its value occurs. */
export interface MemberCoverage {
  readonly path: string;
  readonly present: number;
  readonly served: number;
  /** The value of one record whose row does not show it. */
  readonly example: string | null;
}

export interface FormatCoverage {
  readonly format: ActivityFormatName;
  /** Records that became rows. */
  readonly records: number;
  /** Ordered by path. */
  readonly members: readonly MemberCoverage[];
}

/** Measures what rows show of the records' values, by format and member. Repeated lines count once. */
export function measureCoverage(files: readonly SharedFile[], names = false): readonly FormatCoverage[] {
  const formats = [...Map.groupBy(files, ({ format }) => format)];
  return formats.map(([format, own]) => {
    const lines = new Set(own.flatMap((file) => file.lines));
    const counts = new Map<string, Count>();
    let records = 0;
    for (const line of lines) {
      for (const [record, document] of pairRows(format, line)) {
        records++;
        countRecord(record, document, names, counts);
      }
    }
    const members = [...counts].map(([path, count]) => ({ path, ...count }));
    return { format, records, members: members.sort((a, b) => (a.path < b.path ? -1 : 1)) };
  });
}

interface Count {
  present: number;
  served: number;
  example: string | null;
}

/** A member with several values in a record is served if the row has all of them, or the first where limits cut the row. */
function countRecord(record: JsonObject, document: string, names: boolean, counts: Map<string, Count>): void {
  const served = indexServedValues(document);
  for (const [path, values] of Map.groupBy(listValues(record, names), (value) => value.path)) {
    const missing = values.find(({ text }) => !served.has(text));
    const isServed = missing === undefined || (served.isTruncated && served.has(values[0]?.text ?? ''));
    const count = counts.get(path) ?? { present: 0, served: 0, example: null };
    counts.set(path, count);
    count.present++;
    if (isServed) count.served++;
    else count.example ??= missing?.text ?? null;
  }
}

/** The records of a payload with their documents; rejected ones are left out. */
function pairRows(format: ActivityFormatName, payload: string): (readonly [JsonObject, string])[] {
  const value = Buffer.from(payload);
  const headers = { ce_specversion: '1.0', ce_type: toEventType(format), ce_tenantid: tenantId };
  const outcomes = readActivity({ key: null, value, headers }, readingContext);
  const records = splitActivity(format, value);
  return outcomes.flatMap((outcome) => {
    const record = records[outcome.element];
    return outcome.kind === 'log' && record ? [[record, formatLogRow(outcome.row)] as const] : [];
  });
}

const tenantId = '0f9d5a3e-6b1c-4d7e-8a2f-3c4b5d6e7f80';
const readingContext = {
  findTenant: () => ({ azureTenantId: null }),
  nowMs: Date.UTC(2030, 0, 1),
  maxValueBytes: 16_777_216,
  onlyElement: null,
};
