import type { ReportContent } from '@tenantscope/contract';
import type { JsonObject } from '@tenantscope/proof';
import { type FindingsPage, findRequirement, readFindings } from '../../findings/read-findings.ts';
import { table, text } from '../content.ts';
import type { LocalizedText } from '../language.ts';
import {
  maxCountedRows,
  type ReportReading,
  readMember,
  readNumber,
  readParts,
  readSection,
  readText,
  type SectionRows,
} from '../report-reading.ts';
import type { RenderContext, ReportWriter } from '../report-writer.ts';
import { translateValue } from '../value-labels.ts';

export interface AppFacts {
  readonly apps: SectionRows;
  readonly unused: FindingsPage;
}

export const thirdPartyApps: ReportWriter<AppFacts> = {
  id: 'third-party-apps',
  presentSections: ['unused'],
  read: (reading) =>
    readParts(reading, { apps: (one) => readSection(one, 'third_party_apps'), unused: readUnusedApps }),
  write({ apps: { rows, total }, unused }, context) {
    const { translate } = context;
    const truncated = total > rows.length;
    const byReach = rows.toSorted((left, right) => rankReach(right) - rankReach(left));
    return {
      sections: {
        apps: table(
          translate,
          [
            ['app', ['App', 'Aplikacja'], 'text'],
            ['publisher', ['Publisher', 'Wydawca'], 'text'],
            ['ai', ['AI', 'AI'], 'text'],
            ['permissions', ['Permissions', 'Uprawnienia'], 'bar'],
            ['tenantWide', ['Tenant-wide', 'Cała organizacja'], 'flag'],
            ['write', ['Write access', 'Z prawem zapisu'], 'flag'],
            ['users', ['Users', 'Użytkownicy'], 'count'],
            ['used', ['Last sign-in', 'Ostatnie logowanie'], 'date'],
            ['person', ['Accountable', 'Osoba odpowiedzialna'], 'text'],
          ],
          {
            rows: byReach.map((row) => [
              readName(row),
              readText(row, 'publisher.name'),
              translateValue(translate, 'aiKind', readMember(row, 'aiClassification')),
              readNumber(row, 'permissionCount'),
              readFlag(row, 'tenantWide'),
              readFlag(row, 'writeAccess'),
              readNumber(row, 'usersWithAccess'),
              readText(row, 'lastUsedAt'),
              readText(row, 'accountable.name'),
            ]),
            truncated,
          },
        ),
        publishers: buildPublisherTable(rows, context, truncated),
        unmatched: buildUnmatchedTable(rows, context, truncated),
        unused: buildUnusedTable(unused, rows, context),
      },
      limitations: [
        [
          'This page supports the register of information but is not the register: service, contract and provider are shown where recorded.',
          'Strona wspiera prowadzenie rejestru informacji, ale nim nie jest: usługę, umowę i dostawcę podano tam, gdzie je odnotowano.',
        ],
        [
          'Apps of suppliers without access to the tenant are not included.',
          'Nie ujęto aplikacji dostawców bez dostępu do organizacji.',
        ],
      ],
    };
  },
};

const readName = (row: JsonObject): string | null => readText(row, 'appName') ?? readText(row, 'appId');
const readFlag = (row: JsonObject, path: string): boolean | null => {
  const value = readMember(row, path);
  return typeof value === 'boolean' ? value : null;
};
const rankReach = (row: JsonObject): number =>
  (readFlag(row, 'tenantWide') ? 2_000_000 : 0) +
  (readFlag(row, 'writeAccess') ? 1_000_000 : 0) +
  (readNumber(row, 'permissionCount') ?? 0);

function buildPublisherTable(
  rows: readonly JsonObject[],
  { translate }: RenderContext,
  truncated: boolean,
): ReportContent {
  const noPublisher = translate(['Publisher not reported', 'Nie podano wydawcy']);
  const groups = Map.groupBy(rows, (row) => readText(row, 'publisher.name') ?? noPublisher);
  return table(
    translate,
    [
      ['publisher', ['Publisher', 'Wydawca'], 'text'],
      ['apps', ['Apps', 'Aplikacje'], 'bar'],
      ['verified', ['Verified', 'Zweryfikowane'], 'count'],
      ['tenantWide', ['Tenant-wide', 'Cała organizacja'], 'count'],
      ['decided', ['With a decision', 'Z decyzją'], 'count'],
    ],
    {
      rows: [...groups]
        .toSorted(([left, some], [right, others]) => others.length - some.length || (left < right ? -1 : 1))
        .map(([publisher, apps]) => [
          publisher,
          apps.length,
          apps.filter((row) => readFlag(row, 'publisher.verified')).length,
          apps.filter((row) => readFlag(row, 'tenantWide')).length,
          apps.filter((row) => readText(row, 'decision.outcome') !== null).length,
        ]),
      truncated,
    },
  );
}

const registerFields: readonly (readonly [path: string, label: LocalizedText])[] = [
  ['ictServiceType', ['kind of ICT service', 'typ usługi ICT']],
  ['contractRef', ['contract', 'umowa']],
  ['providerCode', ['provider code', 'kod dostawcy']],
];

/** Apps that lack members of the register of information. */
function buildUnmatchedTable(
  rows: readonly JsonObject[],
  { translate }: RenderContext,
  truncated: boolean,
): ReportContent {
  const incomplete = rows.flatMap((row) => {
    const missing = registerFields.filter(([path]) => readMember(row, path) === null);
    return missing.length === 0 ? [] : [{ row, missing }];
  });
  return table(
    translate,
    [
      ['app', ['App', 'Aplikacja'], 'text'],
      ['publisher', ['Publisher', 'Wydawca'], 'text'],
      ['missing', ['Not recorded', 'Nie odnotowano'], 'text'],
      ['person', ['Accountable', 'Osoba odpowiedzialna'], 'text'],
    ],
    {
      rows: incomplete
        .toSorted((left, right) => right.missing.length - left.missing.length)
        .map(({ row, missing }) => [
          readName(row),
          readText(row, 'publisher.name'),
          missing.map(([, label]) => translate(label)).join(', '),
          readText(row, 'accountable.name'),
        ]),
      truncated,
    },
  );
}

/** As `iam.apps.unused_grants` counts them: used neither by sign-ins nor by the log, and granted 90 days ago or earlier. */
function readUnusedApps({ client, tenantId, connectedAtMs, toMs }: ReportReading): Promise<FindingsPage> {
  const requirement = findRequirement('iam.apps.unused_grants');
  if (requirement === null) throw new TypeError('the catalogue has no requirement about unused apps');
  return readFindings(client, {
    tenantId,
    connectedAtMs,
    nowMs: toMs,
    requirement,
    states: ['failing', 'excepted'],
    after: null,
    limit: maxCountedRows,
  });
}

function buildUnusedTable(
  { findings, hasMore, note }: FindingsPage,
  rows: readonly JsonObject[],
  { translate }: RenderContext,
): ReportContent {
  if (note !== null)
    return text(
      translate([
        'Unknown: the apps or the activity log are missing, incomplete or out of date.',
        'Nie wiadomo: brakuje danych o aplikacjach lub dziennika aktywności albo są one niekompletne lub nieaktualne.',
      ]),
    );
  const byId = new Map(rows.map((row) => [readText(row, 'appId'), row]));
  const unused = findings.map(({ subjectId, subjectName, since }) => {
    const row = byId.get(subjectId) ?? {};
    return { row, name: readName(row) ?? subjectName ?? subjectId, since };
  });
  return table(
    translate,
    [
      ['app', ['App', 'Aplikacja'], 'text'],
      ['permissions', ['Permissions', 'Uprawnienia'], 'bar'],
      ['tenantWide', ['Tenant-wide', 'Cała organizacja'], 'flag'],
      ['used', ['Last used (– : never seen)', 'Ostatnie użycie (– : nigdy)'], 'date'],
      ['person', ['Accountable', 'Osoba odpowiedzialna'], 'text'],
    ],
    {
      rows: unused
        .toSorted((left, right) => rankReach(right.row) - rankReach(left.row))
        .map(({ row, name, since }) => [
          name,
          readNumber(row, 'permissionCount'),
          readFlag(row, 'tenantWide'),
          since,
          readText(row, 'accountable.name'),
        ]),
      truncated: hasMore,
    },
  );
}
