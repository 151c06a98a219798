import type {
  ComplianceChange,
  ComplianceChanges,
  ComplianceStatus,
  ReportCell,
  RequirementStatus,
} from '@tenantscope/contract';
import { type OpenFinding, readOpenFindings, readSnapshotBefore } from '@tenantscope/store';
import { requirementCatalogue } from '../catalogue/requirement.ts';
import { changesBetween } from '../changes.ts';
import { baselineOf } from '../read-status.ts';
import { kpis, rowsMax, table } from './content.ts';
import { framesOf } from './frames.ts';
import {
  citationsOf,
  measuredValue,
  metricOf,
  requirementNamed,
  requirementsIn,
  statusOf,
  targetOf,
  titleOf,
} from './judgement.ts';
import type { Words } from './language.ts';
import { missingHistory, noneSelected, silentSources } from './limitation.ts';
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
const regressionsMax = 5;
const alertsMax = 20;
/** A board reads the gravest; the status has them all. */
const changesMax = 15;

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

interface Moved {
  readonly kind: 'improved' | 'regressed' | 'evaluatedNow' | 'lostEvidence';
  readonly change: ComplianceChange;
}

const kindsWorstFirst = ['regressed', 'lostEvidence', 'evaluatedNow', 'improved'] as const;

const kindWords: Readonly<Record<Moved['kind'], Words>> = {
  regressed: ['Worse', 'Gorzej'],
  lostEvidence: ['Evidence lost', 'Utracone dowody'],
  evaluatedNow: ['Evaluated now', 'Ocenione po raz pierwszy'],
  improved: ['Better', 'Lepiej'],
};

/** A requirement moves once, however many frameworks ask for it. */
function movedOnce(changes: readonly ComplianceChanges[]): Moved[] {
  const seen = new Set<string>();
  const moved = kindsWorstFirst.flatMap((kind) =>
    changes.flatMap((one) => one[kind]).map((change): Moved => ({ kind, change })),
  );
  return moved.filter(({ change }) => !seen.has(change.key) && seen.add(change.key));
}

function changesTable({ say }: Page, moved: readonly Moved[], status: ComplianceStatus) {
  return table(
    say,
    [
      ['requirement', ['Requirement', 'Wymaganie'], 'text'],
      ['change', ['Change', 'Zmiana'], 'text'],
      ['was', ['In the snapshot', 'W migawce'], 'status'],
      ['is', ['Now', 'Teraz'], 'status'],
    ],
    {
      rows: moved.slice(0, changesMax).flatMap(({ kind, change }): ReportCell[][] => {
        const requirement = requirementNamed(status, change.key);
        return requirement
          ? [[titleOf(say, requirement), say(kindWords[kind]), change.from.status, change.to.status]]
          : [];
      }),
      truncated: moved.length > changesMax,
    },
  );
}

const weights = new Map(requirementCatalogue.map(({ key, weight }) => [key, weight]));

/** What fell deepest, of these what weighs most, of these what most articles ask for. */
function regressionsTable(
  { say, lang }: Page,
  moved: readonly Moved[],
  status: ComplianceStatus,
  frameworks: string[],
) {
  const fallen = moved
    .filter(({ kind }) => kind === 'regressed')
    .flatMap(({ change }) => {
      const requirement = requirementNamed(status, change.key);
      return requirement ? [requirement] : [];
    })
    .toSorted((left, right) => gravityOf(right) - gravityOf(left) || (left.key < right.key ? -1 : 1));
  return table(
    say,
    [
      ['requirement', ['Requirement', 'Wymaganie'], 'text'],
      ['status', ['Now', 'Teraz'], 'status'],
      ['value', ['Measured', 'Zmierzono'], 'text'],
      ['target', ['Target', 'Cel'], 'text'],
      ['articles', ['Asked for by', 'Wymagają tego'], 'text'],
    ],
    {
      rows: fallen
        .slice(0, regressionsMax)
        .map((one) => [
          titleOf(say, one),
          one.status,
          measuredValue(one, lang),
          targetOf(one, lang),
          citedBy(one, frameworks, status, say),
        ]),
    },
  );
}

const gravityOf = ({ status, key, articles }: RequirementStatus): number =>
  (status === 'not_met' ? 10_000 : 0) + 1_000 * (weights.get(key) ?? 0) + articles.length;

function citedBy(one: RequirementStatus, frameworks: readonly string[], status: ComplianceStatus, say: Page['say']) {
  const named = status.frameworks.filter(({ key }) => frameworks.includes(key) && citationsOf(one, key) !== '');
  return named.map(({ name, namePl }) => say([name, namePl])).join(', ') || null;
}

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
