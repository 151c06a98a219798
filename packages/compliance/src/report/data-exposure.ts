import type { ComplianceStatus, ReportContent } from '@tenantscope/contract';
import { type CopilotExposure, readCopilotExposure } from '@tenantscope/store';
import { type Figure, kpis, table } from './content.ts';
import { metricOf, statusOf } from './judgement.ts';
import { silentSources } from './limitation.ts';
import { memberAt, numberAt, readSectionOf, readStatusAtEnd, type SectionRows, textAt } from './reading.ts';
import { spell } from './vocabulary.ts';
import type { Page, ReportWriter } from './writer.ts';

export interface ExposureFacts {
  readonly status: ComplianceStatus;
  readonly exposure: CopilotExposure;
  readonly reach: SectionRows;
  readonly restrictions: SectionRows;
}

export const dataExposure: ReportWriter<ExposureFacts> = {
  id: 'data-exposure',
  async read(reading) {
    const { client, tenantId, toMs } = reading;
    const status = await readStatusAtEnd(reading);
    const exposure = await readCopilotExposure(client, { tenantId, nowMs: toMs, limit: 51 });
    return {
      status,
      exposure,
      reach: await readSectionOf(reading, 'ai_app_reach', 50),
      restrictions: await readSectionOf(reading, 'data_restrictions'),
    };
  },
  write(facts, page) {
    const { say } = page;
    const looked = facts.status.requirements.filter(({ key }) => key.startsWith('data.') || key.startsWith('ai.data.'));
    return {
      sections: {
        sensitive_types: table(
          say,
          [
            ['type', ['Kind of data', 'Rodzaj danych'], 'text'],
            ['files', ['Files within reach of AI', 'Pliki w zasięgu AI'], 'bar'],
            ['labelled', ['Of these labelled', 'Z tego z etykietą'], 'percent'],
            ['restriction', ['Declared restriction', 'Zadeklarowane ograniczenie'], 'text'],
          ],
          {
            rows: facts.exposure.types.map((type) => [
              type.name ?? type.id,
              type.filesInReach,
              type.filesInReach === 0 ? null : Math.floor((1000 * type.labeledFiles) / type.filesInReach) / 10,
              spell(say, 'restriction', type.restriction),
            ]),
          },
        ),
        sharing: sharingFigures(facts.status, page),
        ai_reach: reachTable(facts.reach, page),
        restrictions: restrictionTable(facts.restrictions, page),
      },
      limitations: [
        [
          'Sharing and labels are counted over the files and sites that the connected sources listed.',
          'Udostępnienia i etykiety policzono dla plików i witryn wykazanych przez podłączone źródła.',
        ],
        [
          'Where sensitive data lies is shown for what AI can reach; files outside of its reach count in the figures of sharing only.',
          'Położenie danych wrażliwych pokazano w zasięgu AI; pliki poza nim liczą się tylko we wskaźnikach udostępniania.',
        ],
        ...silentSources(looked),
      ],
    };
  },
};

function sharingFigures(status: ComplianceStatus, { say }: Page): ReportContent {
  const figure = (label: Figure[0], key: string, metric: string, unit: string): Figure => [
    label,
    metricOf(status, key, metric),
    unit,
    statusOf(status, key),
  ];
  return kpis(say, [
    [['Sensitive files', 'Pliki wrażliwe'], metricOf(status, 'data.labels.coverage', 'sensitiveFiles'), 'count'],
    figure(['Of these labelled', 'Z tego z etykietą'], 'data.labels.coverage', 'labeledPct', 'percent'),
    figure(
      ['Open to anyone with a link', 'Otwarte dla każdego z linkiem'],
      'data.links.anonymous',
      'anonymous',
      'count',
    ),
    figure(
      ['Shared outside the organisation', 'Udostępnione poza organizację'],
      'data.sharing.external',
      'external',
      'count',
    ),
    [
      ['People outside who can open them', 'Osoby z zewnątrz z dostępem'],
      metricOf(status, 'data.sharing.external', 'externalUsers'),
      'count',
    ],
    [
      ['Sites with sensitive content', 'Witryny z danymi wrażliwymi'],
      metricOf(status, 'data.sites.overshared', 'sensitiveSites'),
      'count',
    ],
    figure(
      ['Of these open to too many', 'Z tego nadmiernie udostępnione'],
      'data.sites.overshared',
      'overshared',
      'count',
    ),
    figure(
      ['Within reach of AI and unprotected', 'W zasięgu AI bez ochrony'],
      'ai.data.sensitive_reach_protected',
      'unprotected',
      'count',
    ),
  ]);
}

function reachTable({ rows, total }: SectionRows, { say }: Page): ReportContent {
  return table(
    say,
    [
      ['who', ['App or agent', 'Aplikacja lub agent'], 'text'],
      ['kind', ['Kind', 'Rodzaj'], 'text'],
      ['sensitive', ['Sensitive files', 'Pliki wrażliwe'], 'bar'],
      ['files', ['All files', 'Wszystkie pliki'], 'count'],
      ['protected', ['Protected', 'Chronione'], 'count'],
      ['sites', ['Sites', 'Witryny'], 'count'],
      ['basis', ['Known', 'Wiadomo'], 'text'],
      ['person', ['Accountable', 'Odpowiada'], 'text'],
    ],
    {
      rows: rows.map((row) => [
        textAt(row, 'subjectName') ?? textAt(row, 'subjectId'),
        spell(say, 'entity', memberAt(row, 'subjectType')),
        numberAt(row, 'sensitiveFiles'),
        numberAt(row, 'files'),
        numberAt(row, 'protectedFiles'),
        numberAt(row, 'sites'),
        spell(say, 'reach', memberAt(row, 'reachBasis')),
        textAt(row, 'accountable.name'),
      ]),
      truncated: total > rows.length,
    },
  );
}

function restrictionTable({ rows, total }: SectionRows, { say }: Page): ReportContent {
  return table(
    say,
    [
      ['type', ['Kind of data', 'Rodzaj danych'], 'text'],
      ['level', ['Restriction', 'Ograniczenie'], 'text'],
      ['by', ['Declared by', 'Zadeklarował'], 'text'],
      ['at', ['Since', 'Od'], 'date'],
      ['files', ['Files', 'Pliki'], 'count'],
      ['labelled', ['Labelled', 'Z etykietą'], 'percent'],
      ['reads', ['Reads since', 'Odczyty od tego czasu'], 'count'],
      ['ai', ['AI identities that read', 'Tożsamości AI z odczytem'], 'count'],
      ['last', ['Last read', 'Ostatni odczyt'], 'date'],
    ],
    {
      rows: rows.map((row) => [
        textAt(row, 'dataType.name') ?? textAt(row, 'dataType.id'),
        spell(say, 'restriction', memberAt(row, 'level')),
        textAt(row, 'declaredBy.name') ?? textAt(row, 'declaredBy.id'),
        textAt(row, 'declaredAt'),
        numberAt(row, 'exposure.files'),
        numberAt(row, 'labelCoveredPct'),
        numberAt(row, 'readsSinceDeclaration.total'),
        numberAt(row, 'readsSinceDeclaration.aiIdentities'),
        textAt(row, 'readsSinceDeclaration.lastReadAt'),
      ]),
      truncated: total > rows.length,
    },
  );
}
