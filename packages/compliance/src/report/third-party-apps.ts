import type { ReportContent } from '@tenantscope/contract';
import type { JsonObject } from '@tenantscope/proof';
import { table } from './content.ts';
import type { Words } from './language.ts';
import { memberAt, numberAt, readSectionOf, type SectionRows, textAt } from './reading.ts';
import { spell } from './vocabulary.ts';
import type { Page, ReportWriter } from './writer.ts';

const dayMs = 86_400_000;
/** An app that nobody used for so long does not need its access. */
const unusedDays = 90;

export const thirdPartyApps: ReportWriter<SectionRows> = {
  id: 'third-party-apps',
  read: (reading) => readSectionOf(reading, 'third_party_apps'),
  write({ rows, total }, page) {
    const { say } = page;
    const truncated = total > rows.length;
    const byReach = rows.toSorted((left, right) => powerOf(right) - powerOf(left));
    return {
      sections: {
        apps: table(
          say,
          [
            ['app', ['App', 'Aplikacja'], 'text'],
            ['publisher', ['Publisher', 'Wydawca'], 'text'],
            ['ai', ['AI', 'AI'], 'text'],
            ['permissions', ['Permissions', 'Uprawnienia'], 'bar'],
            ['tenantWide', ['Tenant-wide', 'Cała organizacja'], 'flag'],
            ['write', ['May write', 'Z zapisem'], 'flag'],
            ['users', ['Users', 'Użytkownicy'], 'count'],
            ['used', ['Last used', 'Ostatnie użycie'], 'date'],
            ['person', ['Accountable', 'Odpowiada'], 'text'],
          ],
          {
            rows: byReach.map((row) => [
              nameOf(row),
              textAt(row, 'publisher.name'),
              spell(say, 'aiKind', memberAt(row, 'aiClassification')),
              numberAt(row, 'permissionCount'),
              flagAt(row, 'tenantWide'),
              flagAt(row, 'writeAccess'),
              numberAt(row, 'usersWithAccess'),
              textAt(row, 'lastUsedAt'),
              textAt(row, 'accountable.name'),
            ]),
            truncated,
          },
        ),
        publishers: publisherTable(rows, page, truncated),
        unmatched: unmatchedTable(rows, page, truncated),
        unused: unusedTable(rows, page, truncated),
      },
      limitations: [
        [
          'This page supports the register of information and is not the register: service, contract and provider are shown where they were recorded.',
          'Strona wspiera prowadzenie rejestru informacji i nim nie jest: usługę, umowę i dostawcę podano tam, gdzie je odnotowano.',
        ],
        [
          'Apps of suppliers that hold no access to the tenant are not seen here.',
          'Aplikacje dostawców bez dostępu do organizacji nie są tu widoczne.',
        ],
      ],
    };
  },
};

const nameOf = (row: JsonObject): string | null => textAt(row, 'appName') ?? textAt(row, 'appId');
const flagAt = (row: JsonObject, path: string): boolean | null => {
  const value = memberAt(row, path);
  return typeof value === 'boolean' ? value : null;
};
const powerOf = (row: JsonObject): number =>
  (flagAt(row, 'tenantWide') ? 2_000_000 : 0) +
  (flagAt(row, 'writeAccess') ? 1_000_000 : 0) +
  (numberAt(row, 'permissionCount') ?? 0);

function publisherTable(rows: readonly JsonObject[], { say }: Page, truncated: boolean): ReportContent {
  const nobody = say(['Publisher not told', 'Nie podano wydawcy']);
  const groups = Map.groupBy(rows, (row) => textAt(row, 'publisher.name') ?? nobody);
  return table(
    say,
    [
      ['publisher', ['Publisher', 'Wydawca'], 'text'],
      ['apps', ['Apps', 'Aplikacje'], 'bar'],
      ['verified', ['Verified', 'Zweryfikowane'], 'count'],
      ['tenantWide', ['Tenant-wide', 'Cała organizacja'], 'count'],
      ['decided', ['Approved or blocked', 'Zatwierdzone lub zablokowane'], 'count'],
    ],
    {
      rows: [...groups]
        .toSorted(([left, some], [right, others]) => others.length - some.length || (left < right ? -1 : 1))
        .map(([publisher, apps]) => [
          publisher,
          apps.length,
          apps.filter((row) => flagAt(row, 'publisher.verified')).length,
          apps.filter((row) => flagAt(row, 'tenantWide')).length,
          apps.filter((row) => textAt(row, 'decision.outcome') !== null).length,
        ]),
      truncated,
    },
  );
}

const wanted: readonly (readonly [path: string, words: Words])[] = [
  ['ictServiceType', ['kind of ICT service', 'typ usługi ICT']],
  ['contractRef', ['contract', 'umowa']],
  ['providerCode', ['provider code', 'kod dostawcy']],
];

/** What the register of information would need to know. */
function unmatchedTable(rows: readonly JsonObject[], { say }: Page, truncated: boolean): ReportContent {
  const lacking = rows.flatMap((row) => {
    const missing = wanted.filter(([path]) => memberAt(row, path) === null);
    return missing.length === 0 ? [] : [{ row, missing }];
  });
  return table(
    say,
    [
      ['app', ['App', 'Aplikacja'], 'text'],
      ['publisher', ['Publisher', 'Wydawca'], 'text'],
      ['missing', ['Not recorded', 'Nie odnotowano'], 'text'],
      ['person', ['Accountable', 'Odpowiada'], 'text'],
    ],
    {
      rows: lacking
        .toSorted((left, right) => right.missing.length - left.missing.length)
        .map(({ row, missing }) => [
          nameOf(row),
          textAt(row, 'publisher.name'),
          missing.map(([, words]) => say(words)).join(', '),
          textAt(row, 'accountable.name'),
        ]),
      truncated,
    },
  );
}

function unusedTable(rows: readonly JsonObject[], { say, toMs }: Page, truncated: boolean): ReportContent {
  const unused = rows.filter(
    (row) => Date.parse(textAt(row, 'lastUsedAt') ?? '1970-01-01') < toMs - unusedDays * dayMs,
  );
  return table(
    say,
    [
      ['app', ['App', 'Aplikacja'], 'text'],
      ['permissions', ['Permissions', 'Uprawnienia'], 'bar'],
      ['tenantWide', ['Tenant-wide', 'Cała organizacja'], 'flag'],
      ['used', ['Last used (– : never seen)', 'Ostatnie użycie (– : nigdy)'], 'date'],
      ['person', ['Accountable', 'Odpowiada'], 'text'],
    ],
    {
      rows: unused
        .toSorted((left, right) => powerOf(right) - powerOf(left))
        .map((row) => [
          nameOf(row),
          numberAt(row, 'permissionCount'),
          flagAt(row, 'tenantWide'),
          textAt(row, 'lastUsedAt'),
          textAt(row, 'accountable.name'),
        ]),
      truncated,
    },
  );
}
