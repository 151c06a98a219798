import type { ReportContent } from '@tenantscope/contract';
import type { Json, JsonObject } from '@tenantscope/proof';
import { list, table } from './content.ts';
import type { Say, Words } from './language.ts';
import { questionTable } from './question-table.ts';
import { listAt, memberAt, numberAt, readSectionOf, type SectionRows, textAt } from './reading.ts';
import { spell } from './vocabulary.ts';
import type { ReportWriter } from './writer.ts';

export interface FriaPageFacts {
  readonly systems: SectionRows;
  readonly questions: SectionRows;
}

/** Systems on a page; the evidence pack has all of them. */
const systemsMax = 50;
/** Characters of a purpose: instructions may be long. */
const purposeMax = 240;

export const friaPrefill: ReportWriter<FriaPageFacts> = {
  id: 'fria-prefill',
  async read(reading) {
    return {
      systems: await readSectionOf(reading, 'fria_systems'),
      questions: await readSectionOf(reading, 'fria_summary'),
    };
  },
  write({ systems, questions }, { say }) {
    const rows = systems.rows.toSorted((left, right) => graveness(left) - graveness(right)).slice(0, systemsMax);
    return {
      sections: {
        systems: table(
          say,
          [
            ['system', ['System and class', 'System i klasa'], 'text'],
            ['a', ['(a) Purpose', 'a) Cel'], 'text'],
            ['b', ['(b) Use', 'b) Użycie'], 'text'],
            ['c', ['(c) People', 'c) Osoby'], 'text'],
            ['d', ['(d) Risks', 'd) Ryzyka'], 'text'],
            ['e', ['(e) Oversight', 'e) Nadzór'], 'text'],
            ['f', ['(f) Measures', 'f) Środki'], 'text'],
          ],
          {
            rows: rows.map((row) => [
              [textAt(row, 'agentName'), spell(say, 'riskClass', memberAt(row, 'riskClass'))]
                .filter(Boolean)
                .join(', '),
              purposeOf(row, say),
              useOf(row, say),
              peopleOf(row, say),
              risksOf(row, say),
              oversightOf(row, say),
              measuresOf(row, say),
            ]),
            truncated: systems.total > rows.length,
          },
        ),
        organisation: questionTable(say, questions.rows),
        missing: missingList(rows, say),
      },
      limitations: [
        [
          'This page is filled in from records. The risks of harm to people and what is to be done when they materialise must be written by the organisation.',
          'Tę stronę wypełniono na podstawie zapisów. Ryzyko szkody dla osób oraz postępowanie w razie jego urzeczywistnienia musi opisać organizacja.',
        ],
        [
          'Art. 27 applies to deployers that it names, for high-risk systems; the page shows every agent, so that none is overlooked.',
          'Art. 27 dotyczy wskazanych w nim podmiotów stosujących i systemów wysokiego ryzyka; strona pokazuje wszystkie agenty, aby żadnego nie pominąć.',
        ],
      ],
    };
  },
};

const gravest = ['prohibited', 'high', 'transparency', 'unclassified', 'minimal'];
const graveness = (row: JsonObject): number => gravest.indexOf(textAt(row, 'riskClass') ?? 'unclassified');

const unknown: Words = ['not known', 'nieznane'];

function purposeOf(row: JsonObject, say: Say): string {
  const told = textAt(row, 'purpose.text');
  if (told === null) return say(unknown);
  const short = told.length > purposeMax ? `${told.slice(0, purposeMax).toWellFormed()}…` : told;
  return `${short} (${spell(say, 'purposeSource', memberAt(row, 'purpose.source'))})`;
}

function useOf(row: JsonObject, say: Say): string {
  const perWeek = numberAt(row, 'period.eventsPerWeek');
  const days = numberAt(row, 'period.activeDays');
  if (perWeek === null) return say(unknown);
  return say([
    `${perWeek} interactions a week, on ${days ?? 0} days`,
    `Interakcje tygodniowo: ${perWeek}; dni użycia: ${days ?? 0}`,
  ]);
}

function peopleOf(row: JsonObject, say: Say): string {
  const [users, external] = [numberAt(row, 'affectedPersons.users'), numberAt(row, 'affectedPersons.externalUsers')];
  const departments = texts(listAt(row, 'affectedPersons.departments'));
  const groups = texts(listAt(row, 'affectedPersons.declaredGroups'));
  return [
    users === null ? say(unknown) : say([`Users: ${users}`, `Użytkownicy: ${users}`]),
    ...(external ? [say([`from outside: ${external}`, `z zewnątrz: ${external}`])] : []),
    ...(departments.length > 0 ? [departments.join(', ')] : []),
    ...(groups.length > 0 ? [say([`declared: ${groups.join(', ')}`, `zadeklarowane: ${groups.join(', ')}`])] : []),
  ].join('; ');
}

function risksOf(row: JsonObject, say: Say): string {
  const [files, sensitive] = [numberAt(row, 'reach.files'), numberAt(row, 'reach.sensitiveFiles')];
  const incidents = ['threatEvents', 'detections', 'alerts'].reduce(
    (sum, name) => sum + (numberAt(row, `incidents.${name}`) ?? 0),
    0,
  );
  return [
    files === null
      ? say(['data in reach not known', 'zasięg danych nieznany'])
      : say([
          `Files in reach: ${files}, sensitive: ${sensitive ?? '–'}`,
          `Pliki w zasięgu: ${files}, wrażliwe: ${sensitive ?? '–'}`,
        ]),
    say([
      `incidents: ${incidents}, open: ${numberAt(row, 'incidents.open') ?? 0}`,
      `incydenty: ${incidents}, otwarte: ${numberAt(row, 'incidents.open') ?? 0}`,
    ]),
  ].join('; ');
}

function oversightOf(row: JsonObject, say: Say): string {
  const person = textAt(row, 'oversight.accountable.name') ?? textAt(row, 'oversight.accountable.userId');
  const stop = spell(say, 'stopControl', memberAt(row, 'oversight.stopControl'));
  return [
    person ?? say(['Nobody is accountable', 'Nikt nie odpowiada']),
    ...(stop === null ? [] : [say([`stopped by: ${stop}`, `zatrzymanie: ${stop}`])]),
  ].join('; ');
}

function measuresOf(row: JsonObject, say: Say): string {
  const actions = numberAt(row, 'measures.remediationActions') ?? 0;
  const channel = textAt(row, 'measures.complaintChannel');
  return [
    say([`Remediation actions: ${actions}`, `Działania naprawcze: ${actions}`]),
    channel === null
      ? say(['no complaint channel recorded', 'brak zapisanego kanału skarg'])
      : say([`complaints: ${channel}`, `skargi: ${channel}`]),
  ].join('; ');
}

const texts = (values: readonly Json[]): string[] =>
  values.filter((value): value is string => typeof value === 'string' && value !== '');

const elements: Readonly<Record<string, Words>> = {
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
    '(f) what is done when risks materialise',
    'f) postępowanie w razie urzeczywistnienia się ryzyka',
  ],
  'Art. 27(1)(f): complaint mechanism': ['(f) complaint mechanism', 'f) mechanizm skarg'],
};

/** What of Art. 27(1) a person must add, element by element, with the systems that lack it. */
function missingList(rows: readonly JsonObject[], say: Say): ReportContent {
  const lacking = new Map<string, string[]>();
  for (const row of rows)
    for (const element of texts(listAt(row, 'missing')))
      lacking.set(element, [...(lacking.get(element) ?? []), textAt(row, 'agentName') ?? textAt(row, 'agentId') ?? '']);
  const items = Object.entries(elements).flatMap(([element, words]) => {
    const systems = lacking.get(element) ?? [];
    if (systems.length === 0) return [];
    const who = systems.length === rows.length ? say(['every system', 'wszystkie systemy']) : systems.join(', ');
    return [`${say(['Art. 27(1)', 'Art. 27 ust. 1 lit. '])}${say(words)}: ${who}`];
  });
  return list(items);
}
