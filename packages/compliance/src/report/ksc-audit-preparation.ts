import type { ComplianceStatus, FrameworkStatus, ReportContent } from '@tenantscope/contract';
import { evidenceSections } from '../catalogue/evidence.ts';
import { attestationTable } from './attestations.ts';
import { table } from './content.ts';
import { framesOf } from './frames.ts';
import { requirementsIn, standing, titleOf } from './judgement.ts';
import { silentSources } from './limitation.ts';
import { readStatusAtEnd } from './reading.ts';
import { spell } from './vocabulary.ts';
import type { Page, ReportWriter } from './writer.ts';

/** Articles whose duties people attest: management, documentation, reporting. */
const attestedArticles: ReadonlySet<string> = new Set([
  'KSC-management',
  'KSC-documentation',
  'KSC-incident-reporting',
]);

export const kscAuditPreparation: ReportWriter<ComplianceStatus> = {
  id: 'ksc-audit-preparation',
  read: readStatusAtEnd,
  write(status, page) {
    const { say } = page;
    const frameworks = framesOf(status, page.frameworks);
    const requirements = requirementsIn(status, frameworks);
    const attested = requirements.filter(({ articles }) => articles.some(({ id }) => attestedArticles.has(id)));
    return {
      sections: {
        article_8: articleTable(page, frameworks),
        attestations: attestationTable(
          say,
          attested.filter(({ thresholds }) => thresholds === null),
        ),
        evidence: evidenceTable(page, frameworks, status),
      },
      limitations: [
        [
          'Letter c (physical security) and organisational documents are outside of what a cloud service sees; bring them yourself.',
          'Litera c (bezpieczeństwo fizyczne) oraz dokumenty organizacyjne są poza zasięgiem usługi chmurowej; należy je przygotować samodzielnie.',
        ],
        ...silentSources(requirements),
      ],
    };
  },
};

function articleTable({ say }: Page, frameworks: readonly FrameworkStatus[]): ReportContent {
  return table(
    say,
    [
      ['ref', ['Article', 'Przepis'], 'text'],
      ['title', ['What it asks for', 'Czego dotyczy'], 'text'],
      ['status', ['Status', 'Status'], 'status'],
      ['basis', ['Rests on', 'Podstawa'], 'text'],
      ['met', ['Met', 'Spełnione'], 'count'],
      ['of', ['Of', 'Z'], 'count'],
    ],
    {
      rows: frameworks.flatMap(({ controls }) =>
        controls
          .filter(({ ref }) => ref.startsWith('art. 8 '))
          .map((control) => [
            control.ref,
            say([control.title, control.titlePl]),
            standing(control),
            spell(say, 'evaluation', control.evaluation),
            control.metCount,
            control.totalCount,
          ]),
      ),
    },
  );
}

/** For each provision what can be put on the table: rows of the evidence pack, statements of people. */
function evidenceTable({ say }: Page, frameworks: readonly FrameworkStatus[], status: ComplianceStatus): ReportContent {
  return table(
    say,
    [
      ['ref', ['Article', 'Przepis'], 'text'],
      ['measured', ['Measured by the service', 'Zmierzone przez usługę'], 'text'],
      ['attested', ['Attested by people', 'Poświadczane przez osoby'], 'text'],
      ['sections', ['Rows in the evidence pack', 'Wiersze w pakiecie dowodów'], 'text'],
    ],
    {
      rows: frameworks.flatMap(({ controls }) =>
        controls.map(({ ref, requirementKeys }) => {
          const cited = status.requirements.filter(({ key }) => requirementKeys.includes(key));
          const named = (isMeasured: boolean) =>
            cited
              .filter(({ thresholds }) => (thresholds !== null) === isMeasured)
              .map((one) => titleOf(say, one))
              .join('; ') || null;
          const keys = new Set(cited.flatMap((one) => one.evidenceSections));
          const sections = evidenceSections.filter(({ key }) => keys.has(key));
          return [
            ref,
            named(true),
            named(false),
            sections.map(({ label, labelPl }) => say([label, labelPl])).join('; ') || null,
          ];
        }),
      ),
    },
  );
}
