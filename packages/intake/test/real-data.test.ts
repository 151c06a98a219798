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
  readonly expected?: string;
  readonly expectedFormat?: string;
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
        if (distinctWithTimeAndOperation !== undefined) expect(ids.size).toBe(distinctWithTimeAndOperation);
        const lines = linesOf(path);
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

    test.each(files.filter(({ expectedFormat }) => expectedFormat === 'elastic-ecs'))(
      "$name: rows agree with the expectations of the collector's authors",
      ({ path, expected, format, name }) => {
        const outcomes = readLines(format, linesOf(path));
        const differences = linesOf(expected as string).flatMap((line, position) => {
          const outcome = outcomes[position] as ActivityResult;
          const expected = readExpected(JSON.parse(line) as Ecs | null, format);
          if (outcome.kind === 'rejected')
            return expected.action === undefined ? [] : [`${position} ${outcome.reason}`];
          const document = JSON.parse(outcome.row.document) as Record<string, string | null>;
          return Object.entries(expected).flatMap(([member, value]) => {
            const ours = member === 'externalEventId' ? externalIdOf(document, format) : document[member];
            return value === undefined || value === ours ? [] : [`${position} ${member}: ${value}`];
          });
        });
        expect(differences).toEqual(expectedDifferences[name] ?? []);
      },
    );
  });

  test("records on which other products' rules of medium or high severity alert are at least medium", () => {
    const alerts = files
      .filter(({ expectedFormat }) => expectedFormat === 'panther-test')
      .flatMap(({ path, expected, format }) => {
        const outcomes = readLines(format, linesOf(path));
        return linesOf(expected as string).flatMap((line, position) => {
          const opinion = JSON.parse(line) as Opinion | null;
          const outcome = outcomes[position] as ActivityResult;
          // Rules of a lower severity alert on everyday events, to count them.
          if (!opinion?.shouldAlert || lowSeverities.has(opinion.severity) || outcome.kind === 'rejected') return [];
          return [{ rule: opinion.rule, severity: outcome.row.columns.severity }];
        });
      });
    const below = alerts.filter(({ severity }) => severity === 'informational' || severity === 'low');
    expect(Object.fromEntries(below.map(({ rule, severity }) => [rule, severity]))).toEqual(
      Object.fromEntries(ratedLower.map(([rule, severity]) => [rule, severity])),
    );
    expect(below).toHaveLength(ratedLower.length);
    expect(alerts.length).toBeGreaterThanOrEqual(54);
  });
});

interface Opinion {
  readonly rule: string;
  readonly severity: string;
  readonly shouldAlert: boolean;
}

const lowSeverities: ReadonlySet<string> = new Set(['Info', 'Low']);
/** Rules that alert on what one record does not show, and how we rate that record. */
const ratedLower: readonly [rule: string, severity: string, reason: string][] = [
  ['Microsoft365.Brute.Force.Login.by.User', 'low', 'alerts on ten failures; one of them is an everyday event'],
  ['Azure.Audit.GraphSessionMultipleIPs', 'informational', 'compares the addresses of several sign-ins of a session'],
  ['Okta.Identity.Provider.SignIn', 'informational', 'every sign-in of an organization with its own identity provider'],
];

interface Ecs {
  readonly '@timestamp': string;
  readonly event?: { readonly action?: string; readonly id?: string };
  readonly client?: { readonly ip?: string };
  readonly source?: { readonly ip?: string };
}

type Expected = Record<'occurredAt' | 'action' | 'externalEventId' | 'actorIp', string | undefined>;

/** Of Defender's tables others write the action in lower case or as a term of ECS. */
function readExpected(ecs: Ecs | null, format: ActivityFormatName): Expected {
  return {
    occurredAt: ecs?.['@timestamp'],
    action: format === 'm365d.advanced-hunting' ? undefined : ecs?.event?.action,
    externalEventId: ecs?.event?.id,
    actorIp: ecs?.client?.ip ?? ecs?.source?.ip,
  };
}

/** Others take Google's number of the envelope for the event's id; ours says which event of which envelope. */
function externalIdOf(document: Record<string, string | null>, format: ActivityFormatName): string | null | undefined {
  const id = document.externalEventId;
  return format === 'google.reports.activity' ? id?.split('/')[1] : id;
}

/** Where the expected output is not what the record says: two actions renamed into ECS terms, one trailing space kept. */
const expectedDifferences: Record<string, string[]> = {
  'elastic-integrations.o365.management-activity.ndjson': [
    '16 action: modified-user-account',
    '36 action: Update application – Certificates and secrets management ',
    '37 action: Update application – Certificates and secrets management ',
    '188 action: added-users-to-group',
  ],
  'elastic-integrations.m365d.advanced-hunting.ndjson': [
    // An inbound scan comes from the remote address; a mail has one sender, here the address of version 4.
    '20 actorIp: 89.160.20.112',
    '36 actorIp: 81.2.69.144,2a02:cf40::',
  ],
};
