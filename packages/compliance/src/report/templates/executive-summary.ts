import {
  type ComplianceChanges,
  type ComplianceStatus,
  dayMs,
  type ReportCell,
  type RequirementStatus,
} from '@tenantscope/contract';
import { type OpenFinding, readOpenFindings, readSnapshotBefore } from '@tenantscope/store/compliance';
import { findAttestationEnd } from '../../status/attestation-status.ts';
import { toBaseline } from '../../status/read-status.ts';
import { compareStatus } from '../../status/status-changes.ts';
import { kpis, rowsMax, table } from '../content.ts';
import { readStatusAtEnd } from '../end-status.ts';
import {
  listComparisonLimitations,
  listCountLimitations,
  listNoDataLimitations,
  listSelectionLimitations,
  noSnapshotLimitation,
} from '../limitations.ts';
import { selectFrameworks } from '../report-frameworks.ts';
import { readNumber, readParts, readSection, readText, type SectionRows } from '../report-reading.ts';
import type { RenderContext, ReportWriter } from '../report-writer.ts';
import { isExempt, listRequirements, readMetric, readRequirementStatus, translateTitle } from '../requirement-cells.ts';
import { buildChangesTable, buildRegressionsTable, deduplicateChanges } from '../tables/changes-table.ts';
import { listExceptionLimitations } from '../tables/exception-table.ts';
import { translateValue } from '../value-labels.ts';

export interface ExecutiveFacts {
  readonly status: ComplianceStatus;
  /** Compared with the last snapshot before the period's end; null before the first. */
  readonly changes: readonly ComplianceChanges[] | null;
  readonly alerts: { readonly rows: readonly OpenFinding[]; readonly total: number };
  readonly agents: SectionRows;
  readonly threats: number;
}

const renewalDays = 60;
const alertsMax = 20;

export const executiveSummary: ReportWriter<ExecutiveFacts> = {
  id: 'executive-summary',
  statusSections: ['readiness', 'changes', 'regressions', 'attestations'],
  async read(reading) {
    const { status, snapshot, alerts, agents, threats } = await readParts(reading, {
      status: readStatusAtEnd,
      snapshot: readSnapshotBefore,
      alerts: (one) => readOpenFindings(one, { severities: ['critical', 'high'], limit: alertsMax }),
      agents: (one) => readSection(one, 'inventory'),
      threats: (one) => readSection(one, 'threat_events', 0),
    });
    // A snapshot contains its own comparison with the one before it.
    const baseline = reading.end.kind === 'current' ? toBaseline(snapshot) : null;
    const changes = reading.end.kind === 'snapshot' ? readChanges(status) : null;
    return {
      status,
      changes: baseline?.status ? compareStatus(baseline, status) : changes,
      alerts,
      agents,
      threats: threats.total,
    };
  },
  write(facts, context) {
    const { status, changes, alerts } = facts;
    const { translate } = context;
    const frameworks = selectFrameworks(status, context.frameworks);
    const requirements = listRequirements(status, frameworks);
    const frameworkKeys = new Set(frameworks.map(({ key }) => key));
    const ofFrameworks = (changes ?? []).filter(({ framework }) => frameworkKeys.has(framework));
    const comparable = ofFrameworks.filter((one) => one.comparable);
    const changedRequirements = deduplicateChanges(comparable);
    return {
      sections: {
        readiness: table(
          translate,
          [
            ['framework', ['Framework', 'Regulacja lub standard'], 'text'],
            ['readiness', ['Readiness', 'Gotowość'], 'percent'],
            ['change', ['Since the snapshot, points', 'Od migawki, punkty'], 'points'],
            ['coverage', ['Evidenced', 'Poparte dowodami'], 'percent'],
            ['met', ['Requirements met', 'Spełnione wymagania'], 'count'],
            ['withExceptions', ['Of these only with exceptions', 'W tym tylko dzięki odstępstwom'], 'count'],
            ['atRisk', ['At risk', 'Zagrożone'], 'count'],
            ['notMet', ['Not met', 'Niespełnione'], 'count'],
            ['notEvaluated', ['Not evaluated', 'Nieocenione'], 'count'],
          ],
          {
            rows: frameworks.map((one) => [
              translate([one.name, one.namePl]),
              one.readinessPercent,
              comparable.find(({ framework }) => framework === one.key)?.delta ?? null,
              one.coveragePercent,
              one.metCount,
              one.metWithExceptionsCount,
              one.atRiskCount,
              one.notMetCount,
              one.notEvaluatedCount,
            ]),
          },
        ),
        changes: buildChangesTable(context, changedRequirements, status),
        regressions: buildRegressionsTable(context, changedRequirements, status, [...frameworkKeys]),
        open_alerts: table(
          translate,
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
              translateValue(translate, 'finding', one.kind),
              translateValue(translate, 'severity', one.severity),
              one.entityName,
              new Date(one.createdMs).toISOString(),
              Math.floor((context.toMs - one.createdMs) / dayMs),
            ]),
            truncated: alerts.total > alerts.rows.length,
          },
        ),
        ai_agents: buildAgentKpis(facts, context),
        attestations: buildExpiringTable(context, requirements),
      },
      limitations: [
        ...(changes === null ? [noSnapshotLimitation] : []),
        ...listComparisonLimitations(frameworks, ofFrameworks),
        ...listCountLimitations(facts.agents),
        ...listSelectionLimitations(status),
        ...listExceptionLimitations(requirements),
        ...listNoDataLimitations(requirements),
      ],
    };
  },
};

/** Null for the first snapshot, which was compared with none. */
const readChanges = ({ changes }: ComplianceStatus): readonly ComplianceChanges[] | null =>
  changes.some(({ baseline }) => baseline !== null) ? changes : null;

function buildAgentKpis({ status, agents, threats }: ExecutiveFacts, { translate, fromMs }: RenderContext) {
  const present = agents.rows.filter((row) => readText(row, 'lifecycleStatus') !== 'deleted');
  const count = (is: (row: (typeof present)[number]) => boolean) => present.filter(is).length;
  return kpis(translate, [
    [['AI agents', 'Agenty AI'], agents.total - (agents.rows.length - present.length), 'count'],
    [
      ['Active in the period', 'Aktywne w okresie'],
      count((row) => Date.parse(readText(row, 'lastActivityAt') ?? '') >= fromMs),
      'count',
    ],
    [
      ['Of the published ones with an accountable person', 'Spośród opublikowanych z osobą odpowiedzialną'],
      readMetric(status, 'ai.agents.accountable_person', 'accountablePct'),
      'percent',
      readRequirementStatus(status, 'ai.agents.accountable_person'),
    ],
    [
      ['Classified as high risk', 'Sklasyfikowane jako wysokiego ryzyka'],
      count((row) => readText(row, 'riskClass') === 'high'),
      'count',
    ],
    [
      ['Not classified by risk', 'Bez klasy ryzyka'],
      count((row) => readText(row, 'riskClass') === 'unclassified'),
      'count',
    ],
    [
      ['With tenant-wide permissions', 'Z uprawnieniami do całej organizacji'],
      count((row) => (readNumber(row, 'permissionCounts.tenantWide') ?? 0) > 0),
      'count',
    ],
    [['Threat events in the period', 'Zdarzenia zagrożeń w okresie'], threats, 'count'],
  ]);
}

/** The end of an attestation, which may be a planned withdrawal. Null where there is none, it was withdrawn, or the duty does not apply. */
function findEnd(requirement: RequirementStatus, toMs: number): string | null {
  if (requirement.attestation === null || isExempt(requirement)) return null;
  const { withdrawnAt } = requirement.attestation;
  return withdrawnAt !== null && Date.parse(withdrawnAt) <= toMs ? null : findAttestationEnd(requirement.attestation);
}

function buildExpiringTable({ translate, toMs }: RenderContext, requirements: readonly RequirementStatus[]) {
  const rows = requirements.flatMap((one): { until: string; row: ReportCell[] }[] => {
    const until = findEnd(one, toMs);
    if (until === null || Date.parse(until) > toMs + renewalDays * dayMs) return [];
    const days = Math.floor((Date.parse(until) - toMs) / dayMs);
    return [{ until, row: [translateTitle(translate, one), one.attestation?.attestedBy ?? null, until, days] }];
  });
  return table(
    translate,
    [
      ['duty', ['Duty', 'Obowiązek'], 'text'],
      ['by', ['Attested by', 'Poświadcza'], 'text'],
      ['until', ['Valid until', 'Ważne do'], 'date'],
      ['left', ['Remaining (negative: expired)', 'Pozostało (wartość ujemna: wygasło)'], 'days'],
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
