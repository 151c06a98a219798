// @module-tag exhaustive
import { existsSync, readFileSync } from 'node:fs';
import { type ActivityFormatName, activityFormats, type LogRow, type Outcome, readActivity } from '@tenantscope/intake';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { context, message } from './message.ts';

/** Published records of others, which stay outside the repository. */
const folder = new URL('../../../../shared/real-data/', import.meta.url);
const isThere = existsSync(new URL('index.json', folder));
const title = isThere ? 'on published records' : 'SKIPPED: ../shared/real-data is missing beside the checkout';

interface IndexedFile {
  readonly path: string;
  readonly format: string;
  readonly records: number;
  readonly distinctRecords: number;
  readonly distinctWithTimeAndOperation?: number;
}

/** Formats of the collection that raw.activity does not carry, and why. */
const leftOut: readonly [pattern: RegExp, reason: string][] = [
  [
    /^graph\.(?!aiInteraction)|^pnp\.|^elastic\.entityanalytics/,
    'entities and alerts, which come on topics of their own',
  ],
  [/alert|incident/, 'alerts, which come on a topic of their own'],
  [/loganalytics$/, 'tables of Log Analytics, no records of the Management Activity API'],
];

function formatOf(file: IndexedFile): ActivityFormatName | null {
  const name = file.format.replace(/\.(?:split|flattened)$/, '');
  return activityFormats.find((format) => format === name) ?? null;
}

function linesOf(path: string): string[] {
  return readFileSync(new URL(path.replace(/^dev\//, ''), folder), 'utf8')
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
}

/** A page without records: a payload of its own, never an element of a list. */
const isEmptyPage = (line: string) => line.endsWith('"value":[]}');

const anyTenant = { ...context, findTenant: () => ({ azureTenantId: null }) };

/** A row or a rejection. Alerts that some records also give have a separate test. */
type ActivityResult = Exclude<Outcome, { kind: 'state' }>;

function listResults(outcomes: readonly Outcome[]): ActivityResult[] {
  return outcomes.filter((outcome) => outcome.kind !== 'state');
}

function readLines(format: ActivityFormatName, lines: readonly string[]): ActivityResult[] {
  return lines.map((line) => {
    const [result, ...others] = listResults(readActivity(message(format, line), anyTenant));
    if (result === undefined || others.length > 0) throw new Error('a record must end as exactly one row or rejection');
    return result;
  });
}

function rowsOf(outcomes: readonly ActivityResult[]): LogRow[] {
  return outcomes.flatMap((outcome) => (outcome.kind === 'log' ? [outcome.row] : []));
}

/** Numbers that change when a parser writes them again. */
const withExactNumbers = (line: string) => line.replace(/\}$/, ', "zzNumbers": [9007199254740993, 1.0, 1e5, -0]}');

const deliveries: readonly [name: string, deliver: (lines: readonly string[]) => readonly string[]][] = [
  ['alone', (lines) => lines],
  ['in one list', (lines) => [`[ ${lines.join(' ,\n')} ]`]],
];

function readRawData({ source: { text, frame } }: LogRow): string {
  return Buffer.concat([frame?.before ?? Buffer.of(), text, frame?.after ?? Buffer.of()]).toString();
}

describe.skipIf(!isThere)(title, { tags: ['shared-records'] }, () => {
  const index = isThere
    ? (JSON.parse(readFileSync(new URL('index.json', folder), 'utf8')) as { files: IndexedFile[] })
    : { files: [] };
  const files = index.files.flatMap((file) => {
    const format = formatOf(file);
    return format === null ? [] : [{ ...file, format, name: file.path.slice(file.path.lastIndexOf('/') + 1) }];
  });

  test('every format is read or excluded for a reason', () => {
    for (const file of index.files) {
      const reason = leftOut.find(([pattern]) => pattern.test(file.format))?.[1];
      expect(formatOf(file) !== null || reason !== undefined, file.format).toBe(true);
    }
    expect(files.length).toBeGreaterThanOrEqual(22);
  });

  describe.each(deliveries)('when records arrive %s', (_, deliver) => {
    test.each(files)('$name: rawData of every row is the text of its record', ({ path, format }) => {
      const lines = linesOf(path)
        .filter((line) => !isEmptyPage(line))
        .map(withExactNumbers);
      const accepted = lines.filter((line) => rowsOf(readLines(format, [line])).length > 0);
      const rows = deliver(lines).flatMap((value) =>
        rowsOf(listResults(readActivity(message(format, value), { ...anyTenant, maxValueBytes: 16_777_216 }))),
      );
      expect(rows.map(readRawData)).toEqual(accepted);
    });
  });

  describe.each(['UTC', 'America/New_York'])('with the process in %s', (zone) => {
    const zoneOfTheProcess = process.env.TZ;
    beforeAll(() => {
      process.env.TZ = zone;
      expect(new Date(2021, 0, 1).getTimezoneOffset()).toBe(zone === 'UTC' ? 0 : 300);
    });
    afterAll(() => {
      if (zoneOfTheProcess === undefined) delete process.env.TZ;
      else process.env.TZ = zoneOfTheProcess;
    });

    test.each(files)(
      '$name: each record gives one row or one rejection',
      ({ path, format, records, distinctWithTimeAndOperation }) => {
        const outcomes = readLines(format, linesOf(path));
        expect(outcomes).toHaveLength(records);
        const ids = new Set(rowsOf(outcomes).map(({ id }) => id));
        const lines = linesOf(path);
        // Records with names in lower case, which the index does not count.
        const inLowerCase = new Set(lines.filter((line) => line.includes('"creationtime":')));
        if (distinctWithTimeAndOperation !== undefined)
          expect(ids.size).toBe(distinctWithTimeAndOperation + inLowerCase.size);
        for (const [position, outcome] of outcomes.entries()) {
          const accepted = isEmptyPage(lines[position] as string)
            ? ['EMPTY_PAYLOAD']
            : ['MISSING_ACTION', 'MISSING_TIMESTAMP', 'INVALID_TIMESTAMP'];
          if (outcome.kind === 'rejected') expect(accepted).toContain(outcome.reason);
        }
      },
    );

    test.each(files)('$name: one message of all records gives the same rows', ({ path, format }) => {
      const lines = linesOf(path).filter((line) => !isEmptyPage(line));
      const apart = readLines(format, lines);
      const whole = message(format, `[\n${lines.join('\n,')}]`);
      const together = listResults(readActivity(whole, { ...anyTenant, maxValueBytes: 16_777_216 }));
      expect(together).toEqual(apart.map((outcome, element) => ({ ...outcome, element })));
    });
  });
});
