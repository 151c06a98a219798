import type { ComplianceStatus, ReportContent } from '@tenantscope/contract';
import { type CopilotExposure, readCopilotExposure } from '@tenantscope/store/compliance';
import { toTexts } from '../../evidence/values/reported-value.ts';
import { type KpiPlan, kpis, table } from '../content.ts';
import { readStatusAtEnd } from '../end-status.ts';
import type { LocalizedText } from '../language.ts';
import { listNoDataLimitations } from '../limitations.ts';
import { readMember, readNumber, readParts, readSection, readText, type SectionRows } from '../report-reading.ts';
import type { RenderContext, ReportWriter } from '../report-writer.ts';
import { readMetric, readRequirementStatus } from '../requirement-cells.ts';
import { translateValue } from '../value-labels.ts';

export interface ExposureFacts {
  readonly status: ComplianceStatus;
  readonly exposure: CopilotExposure;
  readonly reach: SectionRows;
  readonly restrictions: SectionRows;
}

export const dataExposure: ReportWriter<ExposureFacts> = {
  id: 'data-exposure',
  statusSections: ['sharing'],
  presentSections: ['sensitive_types'],
  read: (reading) =>
    readParts(reading, {
      status: readStatusAtEnd,
      exposure: ({ client, tenantId, toMs }) => readCopilotExposure(client, { tenantId, nowMs: toMs, limit: 51 }),
      reach: (one) => readSection(one, 'ai_app_reach', 50),
      restrictions: (one) => readSection(one, 'data_restrictions'),
    }),
  write(facts, context) {
    const { translate } = context;
    const dataRequirements = facts.status.requirements.filter(
      ({ key }) => key.startsWith('data.') || key.startsWith('ai.data.'),
    );
    return {
      sections: {
        sensitive_types: table(
          translate,
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
              translateValue(translate, 'restriction', type.restriction),
            ]),
          },
        ),
        sharing: buildSharingKpis(facts.status, context),
        ai_reach: buildReachTable(facts.reach, context),
        restrictions: buildRestrictionTable(facts.restrictions, context),
      },
      limitations: [
        [
          'Sharing and labels are counted for the files and sites that the connected sources listed.',
          'Udostępnienia i etykiety policzono dla plików i witryn wykazanych przez podłączone źródła.',
        ],
        [
          'The location of sensitive data is shown for files within reach of AI; other files count in the sharing figures only.',
          'Położenie danych wrażliwych pokazano dla plików w zasięgu AI; pozostałe pliki uwzględniono tylko we wskaźnikach udostępniania.',
        ],
        ...listExemptionLimitations(facts.restrictions.rows),
        ...listNoDataLimitations(dataRequirements),
      ],
    };
  },
};

function buildSharingKpis(status: ComplianceStatus, { translate }: RenderContext): ReportContent {
  const figure = (label: KpiPlan[0], key: string, metric: string, unit: string): KpiPlan => [
    label,
    readMetric(status, key, metric),
    unit,
    readRequirementStatus(status, key),
  ];
  return kpis(translate, [
    [['Sensitive files', 'Pliki wrażliwe'], readMetric(status, 'data.labels.coverage', 'sensitiveFiles'), 'count'],
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
      ['External users with access', 'Osoby z zewnątrz z dostępem'],
      readMetric(status, 'data.sharing.external', 'externalUsers'),
      'count',
    ],
    [
      ['Sites with sensitive content', 'Witryny z danymi wrażliwymi'],
      readMetric(status, 'data.sites.overshared', 'sensitiveSites'),
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

function buildReachTable({ rows, total }: SectionRows, { translate }: RenderContext): ReportContent {
  return table(
    translate,
    [
      ['who', ['App or agent', 'Aplikacja lub agent'], 'text'],
      ['kind', ['Kind', 'Rodzaj'], 'text'],
      ['sensitive', ['Sensitive files', 'Pliki wrażliwe'], 'bar'],
      ['files', ['All files', 'Wszystkie pliki'], 'count'],
      ['protected', ['Protected', 'Chronione'], 'count'],
      ['sites', ['Sites', 'Witryny'], 'count'],
      ['basis', ['Basis', 'Podstawa'], 'text'],
      ['person', ['Accountable', 'Osoba odpowiedzialna'], 'text'],
    ],
    {
      rows: rows.map((row) => [
        readText(row, 'subjectName') ?? readText(row, 'subjectId'),
        translateValue(translate, 'entity', readMember(row, 'subjectType')),
        readNumber(row, 'sensitiveFiles'),
        readNumber(row, 'files'),
        readNumber(row, 'protectedFiles'),
        readNumber(row, 'sites'),
        translateValue(translate, 'reach', readMember(row, 'reachBasis')),
        readText(row, 'accountable.name'),
      ]),
      truncated: total > rows.length,
    },
  );
}

function buildRestrictionTable({ rows, total }: SectionRows, { translate }: RenderContext): ReportContent {
  return table(
    translate,
    [
      ['type', ['Kind of data', 'Rodzaj danych'], 'text'],
      ['level', ['Restriction', 'Ograniczenie'], 'text'],
      ['by', ['Declared by', 'Zadeklarował(a)'], 'text'],
      ['at', ['Since', 'Od'], 'date'],
      ['files', ['Files', 'Pliki'], 'count'],
      ['labelled', ['With a protecting label', 'Z etykietą ochronną'], 'percent'],
      ['reads', ['Reads since', 'Odczyty od tego czasu'], 'count'],
      ['ai', ['AI identities that read', 'Tożsamości AI z odczytem'], 'count'],
      ['last', ['Last read', 'Ostatni odczyt'], 'date'],
    ],
    {
      rows: rows.map((row) => [
        readText(row, 'dataType.name') ?? readText(row, 'dataType.id'),
        translateValue(translate, 'restriction', readMember(row, 'level')),
        readText(row, 'declaredBy.name') ?? readText(row, 'declaredBy.id'),
        readText(row, 'declaredAt'),
        readNumber(row, 'exposure.files'),
        readNumber(row, 'labelCoveredPct'),
        readNumber(row, 'readsSinceDeclaration.total'),
        readNumber(row, 'readsSinceDeclaration.aiIdentities'),
        readText(row, 'readsSinceDeclaration.lastReadAt'),
      ]),
      truncated: total > rows.length,
    },
  );
}

/** Accounts whose reads the rule on restricted data does not count. Empty where no restriction exempts any. */
function listExemptionLimitations(rows: SectionRows['rows']): LocalizedText[] {
  const exempt = new Set(
    rows.flatMap((row) => (readMember(row, 'level') === 'noAccess' ? toTexts(readMember(row, 'exemptIds')) : [])),
  );
  if (exempt.size === 0) return [];
  return [
    [
      `Accounts that are exempt from a restriction "No access": ${exempt.size}. Their reads do not count as violations; the evidence pack lists them with each restriction.`,
      `Konta zwolnione z ograniczenia „Bez dostępu”: ${exempt.size}. Ich odczyty nie liczą się jako naruszenia; pakiet dowodów wymienia je przy każdym ograniczeniu.`,
    ],
  ];
}
