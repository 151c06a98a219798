import type { ComplianceStatus, FrameworkStatus, ReportContent } from '@tenantscope/contract';
import { evidenceSections } from '../../catalogue/evidence.ts';
import { formatReference } from '../article-reference.ts';
import { table } from '../content.ts';
import { readStatusAtEnd } from '../end-status.ts';
import { listNoDataLimitations } from '../limitations.ts';
import { selectFrameworks } from '../report-frameworks.ts';
import type { RenderContext, ReportWriter } from '../report-writer.ts';
import { listRequirements, toArticleStatus, translateTitle } from '../requirement-cells.ts';
import { buildAttestationTable } from '../tables/attestation-table.ts';
import { buildCoverageTable, indicatorLimitation } from '../tables/coverage-table.ts';
import { buildExceptionTable, listExceptionLimitations } from '../tables/exception-table.ts';
import { translateValue } from '../value-labels.ts';

/** Articles with attested duties: management, documentation, reporting. */
const attestedArticles: ReadonlySet<string> = new Set([
  'KSC-management',
  'KSC-documentation',
  'KSC-incident-reporting',
]);

export const kscAuditPreparation: ReportWriter<ComplianceStatus> = {
  id: 'ksc-audit-preparation',
  statusSections: ['article_8', 'attestations', 'exceptions'],
  read: readStatusAtEnd,
  write(status, context) {
    const frameworks = selectFrameworks(status, context.frameworks);
    const requirements = listRequirements(status, frameworks);
    const attested = requirements.filter(({ articles }) => articles.some(({ id }) => attestedArticles.has(id)));
    return {
      sections: {
        article_8: buildArticleTable(context, frameworks),
        attestations: buildAttestationTable(
          context,
          attested.filter(({ thresholds }) => thresholds === null),
        ),
        exceptions: buildExceptionTable(context, requirements),
        evidence: buildEvidenceTable(context, frameworks, status),
        coverage: buildCoverageTable(context, frameworks, ['Article', 'Przepis']),
      },
      limitations: [
        [
          'Point (c) (physical security) and organisational documents are outside the scope of a cloud service; prepare them separately.',
          'Litera c (bezpieczeństwo fizyczne) oraz dokumenty organizacyjne są poza zasięgiem usługi chmurowej; należy je przygotować samodzielnie.',
        ],
        [
          'The amendment has been in force since 3 April 2026. An entity that met the criteria on that day has until 3 April 2027 to fulfil the duties of chapter 3; the first audit of an essential entity is due by 3 April 2028.',
          'Nowelizacja obowiązuje od 3 kwietnia 2026 r. Podmiot, który w tym dniu spełniał przesłanki, ma czas do 3 kwietnia 2027 r. na wdrożenie obowiązków z rozdziału 3; pierwszy audyt podmiotu kluczowego należy przeprowadzić do 3 kwietnia 2028 r.',
        ],
        [
          'Dates and citations of the law follow secondary sources; compare them with the Journal of Laws (2026, items 20 and 252).',
          'Daty i przywołania przepisów podano za źródłami wtórnymi; należy je porównać z Dziennikiem Ustaw (2026 r. poz. 20 i 252).',
        ],
        indicatorLimitation,
        ...listExceptionLimitations(requirements),
        ...listNoDataLimitations(requirements),
      ],
    };
  },
};

function buildArticleTable({ translate, lang }: RenderContext, frameworks: readonly FrameworkStatus[]): ReportContent {
  return table(
    translate,
    [
      ['ref', ['Article', 'Przepis'], 'text'],
      ['title', ['Subject', 'Czego dotyczy'], 'text'],
      ['status', ['Status', 'Status'], 'status'],
      ['basis', ['Basis', 'Podstawa'], 'text'],
      ['met', ['Requirements met', 'Spełnione wymagania'], 'count'],
      ['of', ['Of', 'Z'], 'count'],
    ],
    {
      rows: frameworks.flatMap(({ controls }) =>
        controls
          .filter(({ ref }) => ref.startsWith('art. 8 '))
          .map((control) => [
            formatReference(control.ref, lang),
            translate([control.title, control.titlePl]),
            toArticleStatus(control),
            translateValue(translate, 'evaluation', control.evaluation),
            control.metCount,
            control.totalCount,
          ]),
      ),
    },
  );
}

/** The evidence for each provision: rows of the evidence pack, attestations. */
function buildEvidenceTable(
  { translate, lang }: RenderContext,
  frameworks: readonly FrameworkStatus[],
  status: ComplianceStatus,
): ReportContent {
  return table(
    translate,
    [
      ['ref', ['Article', 'Przepis'], 'text'],
      ['measured', ['Measured by the service', 'Zmierzone przez usługę'], 'text'],
      ['attested', ['Attested', 'Poświadczane'], 'text'],
      ['sections', ['Rows in the evidence pack', 'Wiersze w pakiecie dowodów'], 'text'],
    ],
    {
      rows: frameworks.flatMap(({ controls }) =>
        controls.map(({ ref, requirementKeys }) => {
          const cited = status.requirements.filter(({ key }) => requirementKeys.includes(key));
          const listTitles = (isMeasured: boolean) =>
            cited
              .filter(({ thresholds }) => (thresholds !== null) === isMeasured)
              .map((one) => translateTitle(translate, one))
              .join('; ') || null;
          const keys = new Set(cited.flatMap((one) => one.evidenceSections));
          const sections = evidenceSections.filter(({ key }) => keys.has(key));
          return [
            formatReference(ref, lang),
            listTitles(true),
            listTitles(false),
            sections.map(({ label, labelPl }) => translate([label, labelPl])).join('; ') || null,
          ];
        }),
      ),
    },
  );
}
