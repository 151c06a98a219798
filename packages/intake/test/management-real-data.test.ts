// @module-tag exhaustive
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { formatLogRow, readActivity, splitActivity } from '@tenantscope/intake';
import { beforeAll, describe, expect, test } from 'vitest';
import { format } from './management-record.ts';
import { context, message } from './message.ts';

/** Published records of others, which stay outside the repository. */
const folder = new URL('../../../../shared/real-data/o365/', import.meta.url);
const isThere = existsSync(folder);
const title = isThere ? 'on published records' : 'SKIPPED: ../shared/real-data is missing beside the checkout';

type Members = Readonly<Record<string, unknown>>;

/** Every value that the data model keeps internally, and the members of a record that have it. */
const internalValues: readonly [name: string, read: (record: Members) => readonly unknown[]][] = [
  ['record type', ({ RecordType }) => [RecordType]],
  ['result status', ({ ResultStatus }) => [ResultStatus]],
  ['user type', ({ UserType }) => [UserType]],
  [
    'address with its port',
    ({ ClientIP, ClientIPAddress, ActorIpAddress }) => [ClientIP, ClientIPAddress, ActorIpAddress],
  ],
  ['organization', ({ OrganizationId }) => [OrganizationId]],
  ['correlation ids', ({ CorrelationId, InterSystemsId }) => [CorrelationId, InterSystemsId]],
  [
    'session and token',
    ({ SessionId, AppAccessContext }) => {
      const access = (AppAccessContext ?? {}) as Members;
      return [SessionId, access.AADSessionId, access.UniqueTokenId, access.CorrelationId];
    },
  ],
];

function pairRows(): (readonly [Members, string])[] {
  const names = readdirSync(folder).filter((name) => /management-activity\.ndjson$|^invictus/.test(name));
  const lines = names.flatMap((name) => readFileSync(new URL(name, folder), 'utf8').split('\n'));
  const anyTenant = { ...context, findTenant: () => ({ azureTenantId: null }) };
  return [...new Set(lines)].flatMap((line) => {
    const given = message(format, line);
    const records = splitActivity(format, given.value as Buffer);
    return readActivity(given, anyTenant).flatMap((outcome) => {
      const record = records[outcome.element] as Members | null | undefined;
      return outcome.kind === 'log' && record ? [[record, formatLogRow(outcome.row)] as const] : [];
    });
  });
}

/** All texts, numbers and truth values of a row, in lower case. */
function listTexts(value: unknown): string[] {
  if (value === null || value === undefined) return [];
  if (typeof value === 'object') return Object.values(value).flatMap(listTexts);
  return [String(value).toLowerCase()];
}

const listLower = (details: unknown) =>
  Object.entries(details as Members)
    .map(([name, value]) => [name.toLowerCase(), value])
    .sort();

describe.skipIf(!isThere)(title, { tags: ['shared-records'] }, () => {
  let rows: readonly { readonly record: Members; readonly row: Members }[] = [];
  beforeAll(() => {
    rows = pairRows().map(([record, document]) => ({ record, row: JSON.parse(document) as Members }));
  });

  test.each(internalValues)('the %s of every record is served', (_, read) => {
    const missing = rows.flatMap(({ record, row }) => {
      const texts = new Set(listTexts(row));
      const expected = read(record).map((value) =>
        String(value ?? '')
          .trim()
          .toLowerCase(),
      );
      return expected.filter((text) => text !== '' && !texts.has(text)).map((text) => `${String(record.Id)}: ${text}`);
    });
    expect(rows.length).toBeGreaterThan(2_500);
    expect(missing).toEqual([]);
  });

  test('a record with names in lower case is the same row, or one of equal values where a name is not listed', () => {
    const anyTenant = { ...context, findTenant: () => ({ azureTenantId: null }) };
    const differing = rows.flatMap(({ record, row }) => {
      const renamed = Object.fromEntries(Object.entries(record).map(([name, value]) => [name.toLowerCase(), value]));
      const [outcome] = readActivity(message(format, JSON.stringify(renamed)), anyTenant);
      const document = outcome?.kind === 'log' ? (JSON.parse(formatLogRow(outcome.row)) as Members) : {};
      return [{ row, document }].filter(() => JSON.stringify(document) !== JSON.stringify(row));
    });
    expect(differing.length).toBeLessThan(0.05 * rows.length);
    for (const { row, document } of differing)
      expect({ ...document, id: row.id, details: null }).toEqual({ ...row, details: null });
    for (const { row, document } of differing) expect(listLower(document.details)).toEqual(listLower(row.details));
  });

  test('what failed does not read as done', () => {
    for (const { row } of rows) {
      if (row.outcome === 'failure') expect(row.description).toMatch(/ failed to /);
      if (row.outcome === 'partial') expect(row.description).toMatch(/ tried to .*, which succeeded in part\.$/);
    }
  });
});
