import type { ReportContent } from '@tenantscope/contract';
import type { Json, JsonObject } from '@tenantscope/proof';
import { formatCell } from '@tenantscope/report';
import { translateMasks } from '../../evidence/personal-data/mask-personal-data.ts';
import { list, table } from '../content.ts';
import type { LocalizedText, Translate } from '../language.ts';
import { listCountLimitations } from '../limitations.ts';
import {
  readList,
  readMember,
  readNumber,
  readParts,
  readSection,
  readText,
  type SectionRows,
} from '../report-reading.ts';
import type { ReportWriter } from '../report-writer.ts';
import { buildFriaTable } from '../tables/fria-table.ts';
import { translateValue } from '../value-labels.ts';

export interface FriaPageFacts {
  readonly systems: SectionRows;
  readonly friaSummary: SectionRows;
  readonly inventory: SectionRows;
}

/** Maximum number of systems on a page; the evidence pack has all of them. */
const systemsMax = 50;
/** Maximum number of characters of a purpose: instructions may be long. */
const purposeMax = 240;

export const friaPrefill: ReportWriter<FriaPageFacts> = {
  id: 'fria-prefill',
  read: (reading) =>
    readParts(reading, {
      systems: (one) => readSection(one, 'fria_systems'),
      friaSummary: (one) => readSection(one, 'fria_summary'),
      inventory: (one) => readSection(one, 'inventory'),
    }),
  write({ systems, friaSummary, inventory }, context) {
    const { translate } = context;
    const worstFirst = systems.rows.toSorted((left, right) => rankRisk(left) - rankRisk(right));
    const rows = worstFirst.slice(0, systemsMax);
    return {
      sections: {
        systems: table(
          translate,
          [
            ['system', ['System and class', 'System i klasa'], 'text'],
            ['a', ['(a) Purpose', 'a) Cel'], 'text'],
            ['b', ['(b) Use', 'b) Użycie'], 'text'],
            ['c', ['(c) Persons', 'c) Osoby'], 'text'],
            ['d', ['(d) Risks', 'd) Ryzyka'], 'text'],
            ['e', ['(e) Oversight', 'e) Nadzór'], 'text'],
            ['f', ['(f) Measures', 'f) Środki'], 'text'],
          ],
          {
            rows: rows.map((row) => [
              [readText(row, 'agentName'), translateValue(translate, 'riskClass', readMember(row, 'riskClass'))]
                .filter(Boolean)
                .join(', '),
              describePurpose(row, translate),
              describeUse(row, translate),
              describePersons(row, translate),
              describeRisks(row, translate),
              describeOversight(row, translate),
              describeMeasures(row, translate),
            ]),
            truncated: systems.total > rows.length,
          },
        ),
        organisation: buildFriaTable(context, friaSummary.rows),
        missing: listMissingElements(worstFirst, translate),
      },
      limitations: [
        [
          'This page is filled in from records. The organisation must describe the risks of harm to persons and the measures to take when they materialise.',
          'Tę stronę wypełniono na podstawie zapisów. Ryzyko szkody dla osób oraz środki na wypadek jego urzeczywistnienia musi opisać organizacja.',
        ],
        [
          'Art. 27 applies to the deployers that it names, for high-risk systems; the page shows every agent of the inventories, whatever its class.',
          'Art. 27 dotyczy wskazanych w nim podmiotów stosujących i systemów wysokiego ryzyka; strona pokazuje wszystkie agenty z ewidencji, niezależnie od klasy.',
        ],
        ...listUnreportedAgents(inventory),
        // A system is an agent of the inventory: the longer of both lists is named.
        ...listCountLimitations(inventory.total > systems.total ? inventory : systems),
      ],
    };
  },
};

/** Nothing but its use is known of an agent that no inventory reports, so that it cannot be assessed here. */
function listUnreportedAgents({ rows }: SectionRows): LocalizedText[] {
  const count = rows.filter((row) => readText(row, 'evidence') === 'auditOnly').length;
  if (count === 0) return [];
  return [
    [
      `Agents that only the activity log names are not on this page: ${count}. The report on AI agent governance lists them.`,
      `Na tej stronie nie ma agentów, które występują tylko w dzienniku aktywności: ${count}. Wymienia je raport o nadzorze nad agentami AI.`,
    ],
  ];
}

const classesWorstFirst = ['prohibited', 'high', 'transparency', 'unclassified', 'minimal'];
const rankRisk = (row: JsonObject): number => classesWorstFirst.indexOf(readText(row, 'riskClass') ?? 'unclassified');

const unknownText: LocalizedText = ['unknown', 'nieznane'];

function describePurpose(row: JsonObject, translate: Translate): string {
  const masked = readText(row, 'purpose.text');
  if (masked === null) return translate(unknownText);
  const purpose = translate([masked, translateMasks(masked)]);
  const short = purpose.length > purposeMax ? `${purpose.slice(0, purposeMax).toWellFormed()}…` : purpose;
  return `${short} (${translateValue(translate, 'purposeSource', readMember(row, 'purpose.source'))})`;
}

function describeUse(row: JsonObject, translate: Translate): string {
  const perWeek = readNumber(row, 'period.eventsPerWeek');
  const days = readNumber(row, 'period.activeDays');
  if (perWeek === null) return translate(unknownText);
  const [english, polish] = (['en', 'pl'] as const).map((lang) => formatCell(perWeek, 'count', lang));
  return translate([
    `Interactions a week: ${english}; days of use: ${days ?? 0}`,
    `Interakcje tygodniowo: ${polish}; dni użycia: ${days ?? 0}`,
  ]);
}

function describePersons(row: JsonObject, translate: Translate): string {
  const [users, external] = [
    readNumber(row, 'affectedPersons.users'),
    readNumber(row, 'affectedPersons.externalUsers'),
  ];
  const departments = filterTexts(readList(row, 'affectedPersons.departments'));
  const groups = filterTexts(readList(row, 'affectedPersons.declaredGroups'));
  return [
    users === null ? translate(unknownText) : translate([`Users: ${users}`, `Użytkownicy: ${users}`]),
    ...(external ? [translate([`from outside: ${external}`, `z zewnątrz: ${external}`])] : []),
    ...(departments.length > 0 ? [departments.join(', ')] : []),
    ...(groups.length > 0
      ? [translate([`declared: ${groups.join(', ')}`, `zadeklarowane: ${groups.join(', ')}`])]
      : []),
  ].join('; ');
}

function describeRisks(row: JsonObject, translate: Translate): string {
  const [files, sensitive] = [readNumber(row, 'reach.files'), readNumber(row, 'reach.sensitiveFiles')];
  const incidents = ['threatEvents', 'detections', 'alerts'].reduce(
    (sum, name) => sum + (readNumber(row, `incidents.${name}`) ?? 0),
    0,
  );
  return [
    files === null
      ? translate(['data in reach unknown', 'zasięg danych nieznany'])
      : translate([
          `Files in reach: ${files}, sensitive: ${sensitive ?? '–'}`,
          `Pliki w zasięgu: ${files}, wrażliwe: ${sensitive ?? '–'}`,
        ]),
    translate([
      `incidents: ${incidents}, open: ${readNumber(row, 'incidents.open') ?? 0}`,
      `incydenty: ${incidents}, otwarte: ${readNumber(row, 'incidents.open') ?? 0}`,
    ]),
  ].join('; ');
}

function describeOversight(row: JsonObject, translate: Translate): string {
  const person = readText(row, 'oversight.accountable.name') ?? readText(row, 'oversight.accountable.userId');
  const stop = translateValue(translate, 'stopControl', readMember(row, 'oversight.stopControl'));
  return [
    person ?? translate(['No accountable person', 'Brak osoby odpowiedzialnej']),
    ...(stop === null ? [] : [translate([`stopped by: ${stop}`, `zatrzymanie: ${stop}`])]),
  ].join('; ');
}

function describeMeasures(row: JsonObject, translate: Translate): string {
  const actions = readNumber(row, 'measures.remediationActions') ?? 0;
  const channel = readText(row, 'measures.complaintChannel');
  return [
    translate([`Remediation actions: ${actions}`, `Działania naprawcze: ${actions}`]),
    channel === null
      ? translate(['no complaint channel recorded', 'nie odnotowano kanału zgłaszania skarg'])
      : translate([`complaints: ${channel}`, `skargi: ${channel}`]),
  ].join('; ');
}

const filterTexts = (values: readonly Json[]): string[] =>
  values.filter((value): value is string => typeof value === 'string' && value !== '');

const elements: Readonly<Record<string, LocalizedText>> = {
  'Art. 27(1)(a): purpose and process': ['(a) purpose and process', 'a) cel i proces'],
  'Art. 27(1)(b): period and frequency of use': ['(b) period and frequency of use', 'b) okres i częstotliwość użycia'],
  'Art. 27(1)(c): affected third persons and groups': [
    '(c) affected persons and groups',
    'c) osoby i grupy, na które system wpływa',
  ],
  'Art. 27(1)(d): data within reach': ['(d) data within reach', 'd) dane w zasięgu'],
  'Art. 27(1)(d): specific risks of harm': ['(d) specific risks of harm', 'd) konkretne ryzyka szkody'],
  'Art. 27(1)(e): accountable person': ['(e) accountable person', 'e) osoba odpowiedzialna'],
  'Art. 27(1)(e): stop control': ['(e) a way to stop it', 'e) sposób zatrzymania'],
  'Art. 27(1)(f): governance when risks materialise': [
    '(f) measures when risks materialise',
    'f) postępowanie w razie urzeczywistnienia się ryzyka',
  ],
  'Art. 27(1)(f): complaint mechanism': ['(f) complaint mechanism', 'f) mechanizm skarg'],
};

/** Maximum number of systems that are named with an element. */
const namedMax = 20;

/** The elements of Art. 27(1) that the organisation must add, each with the systems that lack it. */
function listMissingElements(rows: readonly JsonObject[], translate: Translate): ReportContent {
  const lacking = new Map<string, string[]>();
  for (const row of rows)
    for (const element of filterTexts(readList(row, 'missing')))
      lacking.set(element, [
        ...(lacking.get(element) ?? []),
        readText(row, 'agentName') ?? readText(row, 'agentId') ?? '',
      ]);
  const items = Object.entries(elements).flatMap(([element, label]) => {
    const systems = lacking.get(element) ?? [];
    if (systems.length === 0) return [];
    const who =
      systems.length === rows.length ? translate(['every system', 'wszystkie systemy']) : listNames(systems, translate);
    return [`${translate(['Art. 27(1)', 'Art. 27 ust. 1 lit. '])}${translate(label)}: ${who}`];
  });
  return list(items);
}

function listNames(names: readonly string[], translate: Translate): string {
  const more = names.length - namedMax;
  const shown = names.slice(0, namedMax).join(', ');
  return more > 0 ? `${shown} ${translate([`and others: ${more}`, `oraz inne: ${more}`])}` : shown;
}
