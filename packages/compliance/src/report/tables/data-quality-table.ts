import type { ComplianceStatus, ReportCell, ReportContent } from '@tenantscope/contract';
import type { SourceState, SourceStates } from '@tenantscope/store/compliance';
import { assessCoverage } from '../../evidence/source-coverage.ts';
import { table } from '../content.ts';
import type { LocalizedText } from '../language.ts';
import type { RenderContext } from '../report-writer.ts';
import { readMetric } from '../requirement-cells.ts';
import { sourceLabels } from '../source-labels.ts';

/** The sources that the table lists, in its order. */
const listedSources = [
  'logs',
  'security_alerts',
  'detections',
  'notifications',
  'actions',
  'policy_scans',
  'users',
  'agents',
  'apps',
  'files',
  'devices',
] as const;

const statusByCoverage: Readonly<Record<string, string>> = {
  complete: 'complete',
  unproven: 'unproven',
  stale: 'stale',
  partial: 'gaps',
  missing: 'missing',
  notLicensed: 'off',
  disabled: 'off',
};

/** Delay and completeness of the report's sources. Lag is that of the activity log over the last seven days of the period. */
export function buildDataQualityTable(
  { translate, toMs, fromMs }: RenderContext,
  status: ComplianceStatus,
  sources: SourceStates,
): ReportContent {
  const lag = readMetric(status, 'ops.logs.ingestion_lag', 'p95LagMinutes');
  return table(
    translate,
    [
      ['source', ['Source', 'Źródło'], 'text'],
      ['newest', ['Newest', 'Najnowsze'], 'instant'],
      ['age', ['Age at the end', 'Wiek na koniec okresu'], 'hours'],
      ['lag', ['95 % arrive within', '95 % dociera w ciągu'], 'hours'],
      ['coverage', ['Coverage', 'Kompletność'], 'status'],
      ['gaps', ['Gaps in the period', 'Luki w okresie'], 'count'],
    ],
    {
      rows: listedSources.map((source): ReportCell[] => {
        const state = sources[source];
        const newestMs = findNewest(state);
        return [
          translate(sourceLabels[source] ?? [source, source]),
          newestMs === null ? null : new Date(newestMs).toISOString(),
          newestMs === null ? null : Math.max(0, Math.floor((toMs - newestMs) / 360_000) / 10),
          source === 'logs' && lag !== null ? Math.ceil(lag / 6) / 10 : null,
          statusByCoverage[assessCoverage(source, state, toMs).coverage] ?? null,
          state ? state.gaps.filter((gap) => gap.toMs >= fromMs && gap.fromMs <= toMs).length : null,
        ];
      }),
    },
  );
}

function findNewest(state: SourceState | undefined): number | null {
  const stamps = [state?.newestMs, state?.lastCompleteImportMs].filter((stamp) => stamp != null);
  return stamps.length === 0 ? null : Math.max(...stamps);
}

export const lagLimitation: LocalizedText = [
  'Completeness of a source depends on the reports of its collector; "unproven" means that rows arrived but no import was reported as complete.',
  'Kompletność źródła wynika z raportów jego kolektora; „niepotwierdzone” oznacza, że dane napływają, ale żadnego importu nie zgłoszono jako kompletnego.',
];
