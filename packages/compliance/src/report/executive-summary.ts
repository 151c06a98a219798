import type { ComplianceChanges, ComplianceStatus, ReportCell, RequirementStatus } from '@tenantscope/contract';
import { type OpenFinding, readOpenFindings, readSnapshotBefore } from '@tenantscope/store';
import { changesBetween } from '../changes.ts';
import { baselineOf } from '../read-status.ts';
import { kpis, rowsMax, table } from './content.ts';
import { framesOf } from './frames.ts';
import { metricOf, requirementsIn, statusOf, titleOf } from './judgement.ts';
import { missingHistory, noneSelected, silentSources } from './limitation.ts';
import { changesTable, movedOnce, regressionsTable } from './moved.ts';
import { numberAt, readSectionOf, readStatusAtEnd, type SectionRows, textAt } from './reading.ts';
import { spell } from './vocabulary.ts';
import type { Page, ReportWriter } from './writer.ts';

export interface ExecutiveFacts {
  readonly status: ComplianceStatus;
  /** Against the last snapshot of the period's end; null before the first. */
  readonly changes: readonly ComplianceChanges[] | null;
  readonly alerts: { readonly rows: readonly OpenFinding[]; readonly total: number };
  readonly agents: SectionRows;
  readonly threats: number;
}

const dayMs = 86_400_000;
const renewalDays = 60;
const alertsMax = 20;

export const executiveSummary: ReportWriter<ExecutiveFacts> = {
  id: 'executive-summary',
  async read(reading) {
    const alerts = await readOpenFindings(reading, { severities: ['critical', 'high'], limit: alertsMax });
    const status = await readStatusAtEnd(reading);
    const baseline = baselineOf(await readSnapshotBefore(reading));
    return {
      status,
      changes: baseline?.status ? changesBetween(baseline, status) : null,
      alerts,
      agents: await readSectionOf(reading, 'inventory'),
      threats: (await readSectionOf(reading, 'threat_events', 1)).total,
    };
  },
  write(facts, page) {
    const { status, changes, alerts } = facts;
    const { say } = page;
    const frameworks = framesOf(status, page.frameworks);
    const requirements = requirementsIn(status, frameworks);
    const mine = new Set(frameworks.map(({ key }) => key));
    const moved = movedOnce((changes ?? []).filter(({ framework }) => mine.has(framework)));
    return {
      sections: {
        readiness: table(
          say,
          [
            ['framework', ['Framework', 'Ramy'], 'text'],
            ['readiness', ['Readiness', 'Gotowość'], 'percent'],
            ['change', ['Since the snapshot, points', 'Od migawki, punkty'], 'points'],
            ['coverage', ['Evidenced', 'Poparte dowodami'], 'percent'],
            ['met', ['Met', 'Spełnione'], 'count'],
            ['atRisk', ['At risk', 'Zagrożone'], 'count'],
            ['notMet', ['Not met', 'Niespełnione'], 'count'],
            ['notEvaluated', ['Not evaluated', 'Nieocenione'], 'count'],
          ],
          {
            rows: frameworks.map((one) => [
              say([one.name, one.namePl]),
              one.readinessPercent,
              changes?.find(({ framework }) => framework === one.key)?.delta ?? null,
              one.coveragePercent,
              one.metCount,
              one.atRiskCount,
              one.notMetCount,
              one.notEvaluatedCount,
            ]),
          },
        ),
        changes: changesTable(page, moved, status),
        regressions: regressionsTable(page, moved, status, [...mine]),
        open_alerts: table(
          say,
          [
            ['title', ['What', 'Co'], 'text'],
            ['kind', ['Kind', 'Rodzaj'], 'text'],
            ['severity', ['Severity', 'Ważność'], 'text'],
            ['about', ['About', 'Dotyczy'], 'text'],
            ['since', ['Since', 'Od'], 'date'],
            ['age', ['Open for', 'Otwarte od'], 'days'],
          ],
          {
            rows: alerts.rows.map((one) => [
              one.title,
              spell(say, 'finding', one.kind),
              spell(say, 'severity', one.severity),
              one.entityName,
              new Date(one.createdMs).toISOString(),
              Math.floor((page.toMs - one.createdMs) / dayMs),
            ]),
            truncated: alerts.total > alerts.rows.length,
          },
        ),
        ai_agents: agentFigures(facts, page),
        attestations: expiringTable(page, requirements),
      },
      limitations: [
        ...(changes === null ? [missingHistory] : []),
        ...noneSelected(status),
        ...silentSources(requirements),
      ],
    };
  },
};

function agentFigures({ status, agents, threats }: ExecutiveFacts, { say, fromMs }: Page) {
  const present = agents.rows.filter((row) => textAt(row, 'lifecycleStatus') !== 'deleted');
  const count = (is: (row: (typeof present)[number]) => boolean) => present.filter(is).length;
  return kpis(say, [
    [['AI agents', 'Agenty AI'], agents.total - (agents.rows.length - present.length), 'count'],
    [
      ['Active in the period', 'Aktywne w okresie'],
      count((row) => Date.parse(textAt(row, 'lastActivityAt') ?? '') >= fromMs),
      'count',
    ],
    [
      ['With an accountable person', 'Z osobą odpowiedzialną'],
      metricOf(status, 'ai.agents.accountable_person', 'accountablePct'),
      'percent',
      statusOf(status, 'ai.agents.accountable_person'),
    ],
    [
      ['Classified as high risk', 'Sklasyfikowane jako wysokiego ryzyka'],
      count((row) => textAt(row, 'riskClass') === 'high'),
      'count',
    ],
    [
      ['Not classified by risk', 'Bez klasy ryzyka'],
      count((row) => textAt(row, 'riskClass') === 'unclassified'),
      'count',
    ],
    [
      ['With tenant-wide permissions', 'Z uprawnieniami do całej organizacji'],
      count((row) => (numberAt(row, 'permissionCounts.tenantWide') ?? 0) > 0),
      'count',
    ],
    [['Threat events in the period', 'Zdarzenia zagrożeń w okresie'], threats, 'count'],
  ]);
}

function expiringTable({ say, toMs }: Page, requirements: readonly RequirementStatus[]) {
  const rows = requirements.flatMap((one): { until: string; row: ReportCell[] }[] => {
    const until = one.attestation?.validUntil;
    if (!until || Date.parse(until) > toMs + renewalDays * dayMs) return [];
    const days = Math.floor((Date.parse(until) - toMs) / dayMs);
    return [{ until, row: [titleOf(say, one), one.attestation?.attestedBy ?? null, until, days] }];
  });
  return table(
    say,
    [
      ['duty', ['Duty', 'Obowiązek'], 'text'],
      ['by', ['Attested by', 'Poświadcza'], 'text'],
      ['until', ['Valid until', 'Ważne do'], 'date'],
      ['left', ['Left (negative: expired)', 'Pozostało (ujemne: wygasło)'], 'days'],
    ],
    {
      rows: rows
        .toSorted((left, right) => (left.until < right.until ? -1 : 1))
        .map(({ row }) => row)
        .slice(0, rowsMax),
      truncated: rows.length > rowsMax,
    },
  );
}
