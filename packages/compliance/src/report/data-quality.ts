import type { ComplianceStatus, ReportCell, ReportContent } from '@tenantscope/contract';
import type { SourceState, SourceStates } from '@tenantscope/store';
import { coverageOf } from '../evidence/source-coverage.ts';
import { table } from './content.ts';
import { metricOf } from './judgement.ts';
import type { Words } from './language.ts';
import type { Page } from './writer.ts';

const names: Readonly<Record<string, Words>> = {
  logs: ['Activity log', 'Dziennik aktywności'],
  security_alerts: ['Security alerts', 'Alerty bezpieczeństwa'],
  detections: ['Detections', 'Wykrycia'],
  notifications: ['Notifications', 'Powiadomienia'],
  actions: ['Remediation', 'Działania naprawcze'],
  policy_scans: ['Policy scans', 'Skany zasad'],
  users: ['Users', 'Użytkownicy'],
  agents: ['AI agents', 'Agenty AI'],
  apps: ['Apps', 'Aplikacje'],
  files: ['Files', 'Pliki'],
  devices: ['Devices', 'Urządzenia'],
};

const standings: Readonly<Record<string, string>> = {
  complete: 'complete',
  unproven: 'unproven',
  partial: 'gaps',
  missing: 'missing',
  notLicensed: 'off',
  disabled: 'off',
};

/** How late and how completely what this page counts arrived. Lag is of the activity log, over the last seven days of the period. */
export function dataQualityTable(
  { say, toMs, fromMs }: Page,
  status: ComplianceStatus,
  sources: SourceStates,
): ReportContent {
  const lag = metricOf(status, 'ops.logs.ingestion_lag', 'p95LagMinutes');
  return table(
    say,
    [
      ['source', ['Source', 'Źródło'], 'text'],
      ['newest', ['Newest', 'Najnowsze'], 'instant'],
      ['age', ['Behind the end', 'Do końca okresu'], 'hours'],
      ['lag', ['95 % arrive within', '95 % dociera w ciągu'], 'hours'],
      ['coverage', ['Coverage', 'Kompletność'], 'status'],
      ['gaps', ['Gaps in the period', 'Luki w okresie'], 'count'],
    ],
    {
      rows: Object.entries(names).map(([source, words]): ReportCell[] => {
        const state = sources[source];
        const newestMs = newestOf(state);
        return [
          say(words),
          newestMs === null ? null : new Date(newestMs).toISOString(),
          newestMs === null ? null : Math.max(0, Math.floor((toMs - newestMs) / 360_000) / 10),
          source === 'logs' && lag !== null ? Math.ceil(lag / 6) / 10 : null,
          standings[coverageOf(source, state).coverage] ?? null,
          state ? state.gaps.filter((gap) => gap.toMs >= fromMs && gap.fromMs <= toMs).length : null,
        ];
      }),
    },
  );
}

function newestOf(state: SourceState | undefined): number | null {
  const stamps = [state?.newestMs, state?.lastCompleteImportMs].filter((stamp) => stamp != null);
  return stamps.length === 0 ? null : Math.max(...stamps);
}

export const lagLimitation: Words = [
  'How complete a source is rests on what its collector reports; «unproven» means rows arrived and no import was said to be complete.',
  'Kompletność źródła wynika z raportów jego kolektora; „niepotwierdzone” oznacza, że dane napływają, ale żadnego importu nie zgłoszono jako kompletnego.',
];
