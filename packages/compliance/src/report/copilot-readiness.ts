import type { ComplianceStatus, CopilotReadiness } from '@tenantscope/contract';
import { readCopilotExposure } from '@tenantscope/store';
import { readinessDimensions } from '../catalogue/readiness-dimension.ts';
import { readinessOf } from '../readiness.ts';
import { table } from './content.ts';
import { measuredValue, reasonOf, requirementNamed, requirementsIn, targetOf, titleOf } from './judgement.ts';
import { silentSources } from './limitation.ts';
import { readStatusAtEnd } from './reading.ts';
import type { Page, ReportWriter } from './writer.ts';

export interface ReadinessFacts {
  readonly status: ComplianceStatus;
  readonly readiness: CopilotReadiness;
}

const sitesMax = 20;

export const copilotReadinessPage: ReportWriter<ReadinessFacts> = {
  id: 'copilot-readiness',
  async read(reading) {
    const { client, tenantId, toMs } = reading;
    const status = await readStatusAtEnd(reading);
    const exposure = await readCopilotExposure(client, { tenantId, nowMs: toMs, limit: sitesMax });
    return { status, readiness: readinessOf(status, exposure) };
  },
  write({ status, readiness }, page) {
    const { say } = page;
    const looked = new Set(readiness.dimensions.flatMap(({ requirementKeys }) => requirementKeys));
    const inScope = requirementsIn(status, status.frameworks).filter(({ key }) => looked.has(key));
    return {
      sections: {
        dimensions: table(
          say,
          [
            ['dimension', ['Dimension', 'Wymiar'], 'text'],
            ['status', ['Standing', 'Stan'], 'status'],
            ['blocking', ['Can block alone', 'Może samodzielnie blokować'], 'flag'],
            ['findings', ['What stands in the way', 'Co stoi na przeszkodzie'], 'text'],
            ['asOf', ['Data until', 'Dane do'], 'date'],
          ],
          {
            rows: readiness.dimensions.map((one) => [
              say([one.title, one.titlePl]),
              one.status,
              one.blocking,
              one.findings.map((finding) => say([finding.title, finding.titlePl])).join('; ') || null,
              one.dataAsOf,
            ]),
          },
        ),
        top_sites: table(
          say,
          [
            ['site', ['Site', 'Witryna'], 'text'],
            ['sensitive', ['Sensitive files', 'Pliki wrażliwe'], 'bar'],
            ['anyone', ['Open to anyone', 'Dla każdego'], 'count'],
            ['organisation', ['Open to all inside', 'Dla całej organizacji'], 'count'],
            ['external', ['People outside', 'Osoby z zewnątrz'], 'count'],
            ['label', ['Label', 'Etykieta'], 'text'],
            ['restricted', ['Access restricted', 'Dostęp ograniczony'], 'flag'],
            ['hidden', ['Kept from AI', 'Ukryta przed AI'], 'flag'],
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
        actions: actionTable(page, status, readiness),
      },
      limitations: [
        [
          'Policies that keep an assistant from labelled content are not known: no source tells of them.',
          'Nie są znane zasady chroniące treści z etykietami przed asystentem: żadne źródło o nich nie informuje.',
        ],
        [
          'Sharing links and labels are counted over the files and sites that the connected sources listed.',
          'Linki i etykiety policzono dla plików i witryn wykazanych przez podłączone źródła.',
        ],
        ...silentSources(inScope),
      ],
    };
  },
};

function actionTable({ say, lang }: Page, status: ComplianceStatus, { dimensions, actions }: CopilotReadiness) {
  return table(
    say,
    [
      ['rank', ['No.', 'Nr'], 'count'],
      ['action', ['What to do', 'Co zrobić'], 'text'],
      ['dimension', ['Dimension', 'Wymiar'], 'text'],
      ['now', ['Now', 'Teraz'], 'text'],
      ['target', ['Target', 'Cel'], 'text'],
      ['meets', ['What it settles', 'Co to załatwia'], 'text'],
    ],
    {
      rows: actions.map((action) => {
        const dimension = dimensions.find(({ key }) => key === action.dimension);
        const step = readinessDimensions
          .find(({ key }) => key === action.dimension)
          ?.requirements.find((one) => one.action === action.title);
        const requirement = step ? requirementNamed(status, step.key) : null;
        return [
          action.rank,
          say([action.title, action.titlePl]),
          dimension ? say([dimension.title, dimension.titlePl]) : action.dimension,
          requirement && (measuredValue(requirement, lang) ?? reasonOf(requirement, say)),
          requirement && targetOf(requirement, lang),
          requirement && titleOf(say, requirement),
        ];
      }),
    },
  );
}
