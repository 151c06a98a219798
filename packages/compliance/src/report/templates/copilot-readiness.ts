import type { ComplianceStatus, CopilotReadiness } from '@tenantscope/contract';
import { readCopilotExposure } from '@tenantscope/store/compliance';
import { readinessDimensions } from '../../catalogue/readiness-dimension.ts';
import { buildCopilotReadiness } from '../../readiness/copilot-readiness.ts';
import { table } from '../content.ts';
import { readStatusAtEnd } from '../end-status.ts';
import { listNoDataLimitations, listPercentLimitations } from '../limitations.ts';
import { readParts } from '../report-reading.ts';
import type { RenderContext, ReportWriter } from '../report-writer.ts';
import {
  explainReason,
  findRequirement,
  formatMeasuredValue,
  formatTarget,
  listRequirements,
  translateTitle,
} from '../requirement-cells.ts';

export interface ReadinessFacts {
  readonly status: ComplianceStatus;
  readonly readiness: CopilotReadiness;
}

const sitesMax = 20;

export const copilotReadinessPage: ReportWriter<ReadinessFacts> = {
  id: 'copilot-readiness',
  statusSections: ['dimensions', 'actions'],
  presentSections: ['top_sites'],
  async read(reading) {
    const { status, exposure } = await readParts(reading, {
      status: readStatusAtEnd,
      exposure: ({ client, tenantId, toMs }) => readCopilotExposure(client, { tenantId, nowMs: toMs, limit: sitesMax }),
    });
    return { status, readiness: buildCopilotReadiness(status, exposure) };
  },
  write({ status, readiness }, context) {
    const { translate } = context;
    const keys = new Set(readiness.dimensions.flatMap(({ requirementKeys }) => requirementKeys));
    const inScope = listRequirements(status, status.frameworks).filter(({ key }) => keys.has(key));
    return {
      sections: {
        dimensions: table(
          translate,
          [
            ['dimension', ['Dimension', 'Wymiar'], 'text'],
            ['status', ['State', 'Stan'], 'status'],
            ['statusWithout', ['Without exceptions', 'Bez odstępstw'], 'status'],
            ['blocking', ['Can block alone', 'Może samodzielnie blokować'], 'flag'],
            ['findings', ['Obstacles', 'Przeszkody'], 'text'],
            ['asOf', ['Data until', 'Dane do'], 'date'],
          ],
          {
            rows: readiness.dimensions.map((one) => [
              translate([one.title, one.titlePl]),
              one.status,
              one.statusWithoutExceptions,
              one.blocking,
              one.findings.map((finding) => translate([finding.title, finding.titlePl])).join('; ') || null,
              one.dataAsOf,
            ]),
          },
        ),
        top_sites: table(
          translate,
          [
            ['site', ['Site', 'Witryna'], 'text'],
            ['sensitive', ['Sensitive files', 'Pliki wrażliwe'], 'bar'],
            ['anyone', ['Open to anyone', 'Dla każdego'], 'count'],
            ['organisation', ['Open to all inside', 'Dla całej organizacji'], 'count'],
            ['external', ['External users', 'Osoby z zewnątrz'], 'count'],
            ['label', ['Label', 'Etykieta'], 'text'],
            ['restricted', ['Access restricted', 'Dostęp ograniczony'], 'flag'],
            ['hidden', ['Hidden from AI', 'Ukryta przed AI'], 'flag'],
          ],
          {
            rows: readiness.topSites.map((site) => [
              site.name ?? site.url ?? site.siteId,
              site.sensitiveFiles,
              site.anyoneLinks,
              site.orgLinks,
              site.externalUsers,
              site.sensitivityLabel,
              site.restrictedAccess,
              site.restrictedDiscovery,
            ]),
          },
        ),
        actions: buildActionTable(context, status, readiness),
      },
      limitations: [
        [
          'Policies that block an assistant from labelled content are unknown: no source reports them.',
          'Nie wiadomo, jakie zasady chronią treści z etykietami przed asystentem: żadne źródło ich nie podaje.',
        ],
        [
          'Sharing links and labels are counted for the files and sites that the connected sources listed.',
          'Linki i etykiety policzono dla plików i witryn wykazanych przez podłączone źródła.',
        ],
        ...listPercentLimitations(inScope),
        ...listNoDataLimitations(inScope),
      ],
    };
  },
};

function buildActionTable(
  { translate, lang }: RenderContext,
  status: ComplianceStatus,
  { dimensions, actions }: CopilotReadiness,
) {
  return table(
    translate,
    [
      ['rank', ['No.', 'Nr'], 'count'],
      ['action', ['Action', 'Działanie'], 'text'],
      ['dimension', ['Dimension', 'Wymiar'], 'text'],
      ['now', ['Now', 'Teraz'], 'text'],
      ['target', ['Target', 'Cel'], 'text'],
      ['meets', ['Requirement', 'Wymaganie'], 'text'],
    ],
    {
      rows: actions.map((action) => {
        const dimension = dimensions.find(({ key }) => key === action.dimension);
        const step = readinessDimensions
          .find(({ key }) => key === action.dimension)
          ?.requirements.find((one) => one.action === action.title);
        const requirement = step ? findRequirement(status, step.key) : null;
        return [
          action.rank,
          translate([action.title, action.titlePl]),
          dimension ? translate([dimension.title, dimension.titlePl]) : action.dimension,
          requirement && (formatMeasuredValue(requirement, lang) ?? explainReason(requirement, translate)),
          requirement && formatTarget(requirement, lang),
          requirement && translateTitle(translate, requirement),
        ];
      }),
    },
  );
}
