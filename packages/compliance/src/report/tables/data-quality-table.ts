import type { ComplianceStatus, ReportCell, ReportContent } from '@tenantscope/contract';
import type { SourceState, SourceStates } from '@tenantscope/store/compliance';
import { listReadModelStates } from '../../evaluation/needed-sources.ts';
import { isActive } from '../../evaluation/source-age.ts';
import { assessCoverage, type Coverage } from '../../evidence/source-coverage.ts';
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

/** The worst first: of several collectors of a source the worst one decides. */
const statusByCoverage: Readonly<Record<Coverage, string>> = {
  missing: 'missing',
  stale: 'stale',
  partial: 'gaps',
  unproven: 'unproven',
  complete: 'complete',
  notLicensed: 'off',
  disabled: 'off',
};
const worstFirst = Object.keys(statusByCoverage) as Coverage[];

/** Delay and completeness of the report's sources; gaps are those of the period. Lag is that of the activity log over the last seven days of the period. */
export function buildDataQualityTable(
  { translate, toMs, fromMs }: RenderContext,
  status: ComplianceStatus,
  sources: SourceStates,
): ReportContent {
  const lag = readMetric(status, 'ops.logs.ingestion_lag', 'p95LagMinutes');
  const isInPeriod = (gap: SourceState['gaps'][number]) => gap.toMs >= fromMs && gap.fromMs <= toMs;
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
        const states = listStates(source, sources).map((one) => ({ ...one, gaps: one.gaps.filter(isInPeriod) }));
        const newestMs = findNewest([sources[source], ...states]);
        return [
          translate(sourceLabels[source] ?? [source, source]),
          newestMs === null ? null : new Date(newestMs).toISOString(),
          newestMs === null ? null : Math.max(0, Math.floor((toMs - newestMs) / 360_000) / 10),
          source === 'logs' && lag !== null ? Math.ceil(lag / 6) / 10 : null,
          statusByCoverage[rateWorst(source, states, toMs)],
          states.length === 0 ? null : states.flatMap(({ gaps }) => gaps).length,
        ];
      }),
    },
  );
}

/** The collectors that report a part of a source, such as `users/entra`, or the source itself; disabled ones only where there is no other. */
function listStates(source: string, sources: SourceStates): SourceState[] {
  const states = listReadModelStates(source, sources);
  const active = states.filter(isActive);
  return active.length > 0 ? active : states;
}

function rateWorst(source: string, states: readonly SourceState[], toMs: number): Coverage {
  const rated = states.map((state) => assessCoverage(source, state, toMs).coverage);
  return worstFirst.find((coverage) => rated.includes(coverage)) ?? 'missing';
}

function findNewest(states: readonly (SourceState | undefined)[]): number | null {
  const stamps = states
    .flatMap((state) => [state?.newestMs, state?.lastCompleteImportMs])
    .filter((stamp) => stamp != null);
  return stamps.length === 0 ? null : Math.max(...stamps);
}

export const lagLimitation: LocalizedText = [
  'Completeness of a source depends on the reports of its collector; "unproven" means that rows arrived but no import was reported as complete.',
  'Kompletność źródła wynika z raportów jego kolektora; „niepotwierdzone” oznacza, że dane napływają, ale żadnego importu nie zgłoszono jako kompletnego.',
];
