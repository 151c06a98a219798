import type { ComplianceStatus, FrameworkStatus, ReportContent, RequirementStatus } from '@tenantscope/contract';
import type { JsonObject } from '@tenantscope/proof';
import { formatReference } from '../article-reference.ts';
import { type KpiPlan, kpis, table } from '../content.ts';
import { readStatusAtEnd } from '../end-status.ts';
import { listCountLimitations, listNoDataLimitations } from '../limitations.ts';
import { selectFrameworks } from '../report-frameworks.ts';
import { readLatestRows, readMember, readParts, readSection, readText, type SectionRows } from '../report-reading.ts';
import type { RenderContext, ReportWriter } from '../report-writer.ts';
import {
  explainReason,
  findRequirement,
  formatMeasuredValue,
  formatTarget,
  listRequirements,
  readMetric,
  readRequirementStatus,
  toArticleStatus,
  toDisplayStatus,
  translateTitle,
} from '../requirement-cells.ts';
import { buildAiIncidentTable } from '../tables/ai-incident-table.ts';
import { buildAttestationTable } from '../tables/attestation-table.ts';
import { buildCoverageTable, indicatorLimitation } from '../tables/coverage-table.ts';
import { listExceptionLimitations } from '../tables/exception-table.ts';
import { buildFriaTable } from '../tables/fria-table.ts';
import { planLawColumn } from '../tables/law-column.ts';
import { translateValue } from '../value-labels.ts';

export interface DeployerFacts {
  readonly status: ComplianceStatus;
  readonly systems: SectionRows;
  readonly friaSummary: SectionRows;
  readonly threats: SectionRows;
  readonly lifecycle: SectionRows;
}

export const aiActDeployer: ReportWriter<DeployerFacts> = {
  id: 'ai-act-deployer',
  statusSections: ['duties', 'logs', 'transparency', 'literacy'],
  read: (reading) =>
    readParts(reading, {
      status: readStatusAtEnd,
      systems: (one) => readSection(one, 'fria_systems'),
      friaSummary: (one) => readSection(one, 'fria_summary'),
      threats: (one) => readLatestRows(one, 'threat_events'),
      lifecycle: (one) => readLatestRows(one, 'lifecycle_events'),
    }),
  write(facts, context) {
    const { status, systems } = facts;
    const frameworks = selectFrameworks(status, context.frameworks);
    return {
      sections: {
        duties: buildDutyTable(context, frameworks),
        high_risk: buildHighRiskTable(context, systems),
        oversight: buildOversightKpis(facts, context),
        logs: buildLogKpis(status, context),
        transparency: buildRequirementTable(context, listCiting(status, ['EU-AI-Act-50', 'PL-AI-Act-transparency'])),
        literacy: buildAttestationTable(context, findRequirements(status, ['ai.attest.literacy'])),
        fria: buildFriaTable(context, facts.friaSummary.rows),
        incidents: buildAiIncidentTable(facts, context),
        coverage: buildCoverageTable(context, frameworks, ['Article', 'Artykuł']),
      },
      limitations: [
        [
          'The organisation declares whether a system is high-risk; this service does not classify systems.',
          'Organizacja deklaruje, czy system jest systemem wysokiego ryzyka; usługa nie klasyfikuje systemów.',
        ],
        [
          'For duties that do not apply yet, the status shows how well the organisation is prepared.',
          'W przypadku obowiązków, które jeszcze nie mają zastosowania, status pokazuje stopień przygotowania organizacji.',
        ],
        indicatorLimitation,
        ...listCountLimitations(systems),
        ...listExceptionLimitations(listRequirements(status, frameworks)),
        ...listNoDataLimitations(listRequirements(status, frameworks)),
      ],
    };
  },
};

function buildDutyTable({ translate, lang }: RenderContext, frameworks: readonly FrameworkStatus[]): ReportContent {
  const law = planLawColumn(frameworks, translate);
  return table(
    translate,
    [
      ...law.columns,
      ['ref', ['Article', 'Artykuł'], 'text'],
      ['title', ['Duty', 'Obowiązek'], 'text'],
      ['from', ['Applies from', 'Stosuje się od'], 'date'],
      ['inForce', ['Applies now', 'Już obowiązuje'], 'flag'],
      ['status', ['Status', 'Status'], 'status'],
      ['basis', ['Basis', 'Podstawa'], 'text'],
    ],
    {
      rows: frameworks.flatMap((framework) =>
        framework.controls.map((one) => [
          ...law.cells(framework),
          formatReference(one.ref, lang),
          translate([one.title, one.titlePl]),
          one.appliesFrom,
          one.inForce,
          toArticleStatus(one),
          translateValue(translate, 'evaluation', one.evaluation),
        ]),
      ),
    },
  );
}

const findRequirements = (status: ComplianceStatus, keys: readonly string[]): RequirementStatus[] =>
  keys.flatMap((key) => findRequirement(status, key) ?? []);

const listCiting = (status: ComplianceStatus, articles: readonly string[]): RequirementStatus[] =>
  status.requirements.filter((one) => one.articles.some(({ id }) => articles.includes(id)));

function buildRequirementTable(
  { translate, lang }: RenderContext,
  requirements: readonly RequirementStatus[],
): ReportContent {
  return table(
    translate,
    [
      ['requirement', ['Requirement', 'Wymaganie'], 'text'],
      ['status', ['Status', 'Status'], 'status'],
      ['value', ['Measured', 'Zmierzono'], 'text'],
      ['target', ['Target', 'Cel'], 'text'],
      ['why', ['Why', 'Dlaczego'], 'text'],
    ],
    {
      rows: requirements.map((one) => [
        translateTitle(translate, one),
        toDisplayStatus(one),
        formatMeasuredValue(one, lang),
        formatTarget(one, lang),
        one.status === 'met' && one.reason !== 'excepted' ? null : explainReason(one, translate),
      ]),
    },
  );
}

function buildHighRiskTable({ translate }: RenderContext, { rows, total }: SectionRows): ReportContent {
  const highRisk = rows.filter((row) => ['prohibited', 'high'].includes(readText(row, 'riskClass') ?? ''));
  return table(
    translate,
    [
      ['system', ['System', 'System'], 'text'],
      ['class', ['Class', 'Klasa'], 'text'],
      ['person', ['Overseen by', 'Nadzór sprawuje'], 'text'],
      ['stop', ['Stopped by', 'Sposób zatrzymania'], 'text'],
      ['users', ['Users', 'Użytkownicy'], 'count'],
      ['last', ['Last used', 'Ostatnie użycie'], 'date'],
    ],
    {
      rows: highRisk.map((row) => [
        readText(row, 'agentName'),
        translateValue(translate, 'riskClass', readMember(row, 'riskClass')),
        readText(row, 'oversight.accountable.name'),
        translateValue(translate, 'stopControl', readMember(row, 'oversight.stopControl')),
        readMember(row, 'affectedPersons.users') as number | null,
        readText(row, 'period.to'),
      ]),
      truncated: total > rows.length,
    },
  );
}

function buildOversightKpis(
  { status, systems: { rows, total } }: DeployerFacts,
  { translate }: RenderContext,
): ReportContent {
  const isActive = (row: JsonObject) => readMember(row, 'oversight.accountable.enabled') === true;
  const figure = (label: KpiPlan[0], key: string, metric: string): KpiPlan => [
    label,
    readMetric(status, key, metric),
    'percent',
    readRequirementStatus(status, key),
  ];
  return kpis(translate, [
    [['AI systems of the inventories in the period', 'Systemy AI w ewidencji w okresie'], total, 'count'],
    [
      ['Overseen by a person with an enabled account', 'Pod nadzorem osoby z aktywnym kontem'],
      rows.filter(isActive).length,
      'count',
    ],
    [
      ['With a control to stop them', 'Ze sposobem zatrzymania'],
      rows.filter((row) => readMember(row, 'oversight.canStop') === true).length,
      'count',
    ],
    figure(
      ['High-risk systems with assigned oversight', 'Systemy wysokiego ryzyka z wyznaczonym nadzorem'],
      'ai.oversight.high_risk_assigned',
      'oversightPct',
    ),
    figure(
      ['Published agents with an accountable person', 'Opublikowane agenty z osobą odpowiedzialną'],
      'ai.agents.accountable_person',
      'accountablePct',
    ),
    figure(
      ['Irreversible actions approved by a person', 'Nieodwracalne działania zatwierdzone przez człowieka'],
      'ops.remediation.human_approval',
      'approvedPct',
    ),
  ]);
}

function buildLogKpis(status: ComplianceStatus, { translate }: RenderContext): ReportContent {
  const retention = 'ai.logs.retention_183';
  return kpis(translate, [
    [
      ['Log retention', 'Okres przechowywania dziennika'],
      readMetric(status, retention, 'logHistoryDays'),
      'days',
      readRequirementStatus(status, retention),
    ],
    [['Target', 'Cel'], readMetric(status, retention, 'retentionTargetDays'), 'days'],
    [
      ['Longest gap', 'Najdłuższa luka'],
      readMetric(status, 'ai.logs.continuity', 'maxGapHours'),
      'hours',
      readRequirementStatus(status, 'ai.logs.continuity'),
    ],
    [
      ['AI activity attributed to agent and person', 'Aktywność AI przypisana do agenta i osoby'],
      readMetric(status, 'ai.logs.agent_activity_attributed', 'attributedPct'),
      'percent',
      readRequirementStatus(status, 'ai.logs.agent_activity_attributed'),
    ],
    [
      ['Licensed workloads that deliver logs', 'Licencjonowane usługi dostarczające dzienniki'],
      readMetric(status, 'ops.logs.workload_coverage', 'coveragePct'),
      'percent',
      readRequirementStatus(status, 'ops.logs.workload_coverage'),
    ],
  ]);
}
