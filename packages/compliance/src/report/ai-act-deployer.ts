import type { ComplianceStatus, ReportContent, RequirementStatus } from '@tenantscope/contract';
import type { JsonObject } from '@tenantscope/proof';
import { attestationTable } from './attestations.ts';
import { type Figure, kpis, table } from './content.ts';
import { framesOf } from './frames.ts';
import {
  measuredValue,
  metricOf,
  reasonOf,
  requirementNamed,
  requirementsIn,
  standing,
  statusOf,
  targetOf,
  titleOf,
} from './judgement.ts';
import { silentSources } from './limitation.ts';
import { questionTable } from './question-table.ts';
import { memberAt, readLatestOf, readSectionOf, readStatusAtEnd, type SectionRows, textAt } from './reading.ts';
import { spell } from './vocabulary.ts';
import type { Page, ReportWriter } from './writer.ts';

export interface DeployerFacts {
  readonly status: ComplianceStatus;
  readonly systems: SectionRows;
  readonly questions: SectionRows;
  readonly threats: SectionRows;
  readonly lifeCycle: SectionRows;
}

export const aiActDeployer: ReportWriter<DeployerFacts> = {
  id: 'ai-act-deployer',
  async read(reading) {
    return {
      status: await readStatusAtEnd(reading),
      systems: await readSectionOf(reading, 'fria_systems'),
      questions: await readSectionOf(reading, 'fria_summary'),
      threats: await readLatestOf(reading, 'threat_events'),
      lifeCycle: await readLatestOf(reading, 'lifecycle_events'),
    };
  },
  write(facts, page) {
    const { say } = page;
    const { status, systems } = facts;
    const frameworks = framesOf(status, page.frameworks);
    return {
      sections: {
        duties: table(
          say,
          [
            ['ref', ['Article', 'Artykuł'], 'text'],
            ['title', ['Duty', 'Obowiązek'], 'text'],
            ['from', ['Applies from', 'Stosuje się od'], 'date'],
            ['inForce', ['Applies now', 'Już obowiązuje'], 'flag'],
            ['status', ['Status', 'Status'], 'status'],
            ['basis', ['Rests on', 'Podstawa'], 'text'],
          ],
          {
            rows: frameworks.flatMap(({ controls }) =>
              controls.map((one) => [
                one.ref,
                say([one.title, one.titlePl]),
                one.appliesFrom,
                one.inForce,
                standing(one),
                spell(say, 'evaluation', one.evaluation),
              ]),
            ),
          },
        ),
        high_risk: highRiskTable(page, systems),
        oversight: oversightFigures(facts, page),
        logs: logFigures(status, page),
        transparency: requirementTable(page, citing(status, ['EU-AI-Act-50', 'PL-AI-Act-transparency'])),
        literacy: attestationTable(say, listed(status, ['ai.attest.literacy'])),
        fria: questionTable(say, facts.questions.rows),
        incidents: incidentTable(facts, page),
      },
      limitations: [
        [
          'Whether a system is high-risk is what the organisation declared; this service does not classify.',
          'O tym, czy system jest wysokiego ryzyka, decyduje deklaracja organizacji; usługa nie klasyfikuje systemów.',
        ],
        [
          'Duties that do not apply yet show how far the organisation is prepared.',
          'Obowiązki, które jeszcze się nie stosują, pokazują stopień przygotowania organizacji.',
        ],
        ...silentSources(requirementsIn(status, frameworks)),
      ],
    };
  },
};

const listed = (status: ComplianceStatus, keys: readonly string[]): RequirementStatus[] =>
  keys.flatMap((key) => requirementNamed(status, key) ?? []);

const citing = (status: ComplianceStatus, articles: readonly string[]): RequirementStatus[] =>
  status.requirements.filter((one) => one.articles.some(({ id }) => articles.includes(id)));

function requirementTable({ say, lang }: Page, requirements: readonly RequirementStatus[]): ReportContent {
  return table(
    say,
    [
      ['requirement', ['Requirement', 'Wymaganie'], 'text'],
      ['status', ['Status', 'Status'], 'status'],
      ['value', ['Measured', 'Zmierzono'], 'text'],
      ['target', ['Target', 'Cel'], 'text'],
      ['why', ['Why', 'Dlaczego'], 'text'],
    ],
    {
      rows: requirements.map((one) => [
        titleOf(say, one),
        standing(one),
        measuredValue(one, lang),
        targetOf(one, lang),
        one.status === 'met' ? null : reasonOf(one, say),
      ]),
    },
  );
}

function highRiskTable({ say }: Page, { rows }: SectionRows): ReportContent {
  const grave = rows.filter((row) => ['prohibited', 'high'].includes(textAt(row, 'riskClass') ?? ''));
  return table(
    say,
    [
      ['system', ['System', 'System'], 'text'],
      ['class', ['Class', 'Klasa'], 'text'],
      ['person', ['Overseen by', 'Nadzór sprawuje'], 'text'],
      ['stop', ['Stopped by', 'Sposób zatrzymania'], 'text'],
      ['users', ['Users', 'Użytkownicy'], 'count'],
      ['last', ['Last used', 'Ostatnie użycie'], 'date'],
    ],
    {
      rows: grave.map((row) => [
        textAt(row, 'agentName'),
        spell(say, 'riskClass', memberAt(row, 'riskClass')),
        textAt(row, 'oversight.accountable.name'),
        spell(say, 'stopControl', memberAt(row, 'oversight.stopControl')),
        memberAt(row, 'affectedPersons.users') as number | null,
        textAt(row, 'period.to'),
      ]),
    },
  );
}

function oversightFigures({ status, systems: { rows, total } }: DeployerFacts, { say }: Page): ReportContent {
  const isActive = (row: JsonObject) => memberAt(row, 'oversight.accountable.enabled') === true;
  const figure = (label: Figure[0], key: string, metric: string): Figure => [
    label,
    metricOf(status, key, metric),
    'percent',
    statusOf(status, key),
  ];
  return kpis(say, [
    [['AI systems', 'Systemy AI'], total, 'count'],
    [
      ['Overseen by a person with an enabled account', 'Pod nadzorem osoby z aktywnym kontem'],
      rows.filter(isActive).length,
      'count',
    ],
    [
      ['With a known control to stop them', 'Ze znanym sposobem zatrzymania'],
      rows.filter((row) => memberAt(row, 'oversight.canStop') === true).length,
      'count',
    ],
    figure(
      ['High-risk systems with assigned oversight', 'Systemy wysokiego ryzyka z wyznaczonym nadzorem'],
      'ai.oversight.high_risk_assigned',
      'oversightPct',
    ),
    figure(
      ['Active agents with an accountable person', 'Aktywne agenty z osobą odpowiedzialną'],
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

function logFigures(status: ComplianceStatus, { say }: Page): ReportContent {
  const retention = 'ai.logs.retention_183';
  return kpis(say, [
    [
      ['Log kept for', 'Dziennik przechowywany od'],
      metricOf(status, retention, 'logHistoryDays'),
      'days',
      statusOf(status, retention),
    ],
    [['Target', 'Cel'], metricOf(status, retention, 'retentionTargetDays'), 'days'],
    [
      ['Longest gap', 'Najdłuższa luka'],
      metricOf(status, 'ai.logs.continuity', 'maxGapHours'),
      'hours',
      statusOf(status, 'ai.logs.continuity'),
    ],
    [
      ['AI activity attributed to agent and person', 'Aktywność AI przypisana do agenta i osoby'],
      metricOf(status, 'ai.logs.agent_activity_attributed', 'attributedPct'),
      'percent',
      statusOf(status, 'ai.logs.agent_activity_attributed'),
    ],
    [
      ['Licensed workloads that deliver logs', 'Licencjonowane usługi dostarczające dzienniki'],
      metricOf(status, 'ops.logs.workload_coverage', 'coveragePct'),
      'percent',
      statusOf(status, 'ops.logs.workload_coverage'),
    ],
  ]);
}

/** What threatened a system, and when one was stopped or let go on. The newest first. */
function incidentTable({ threats, lifeCycle }: DeployerFacts, { say }: Page): ReportContent {
  const stops = lifeCycle.rows.filter((row) => ['block', 'unblock', 'undeploy'].includes(textAt(row, 'event') ?? ''));
  const rows = [
    ...threats.rows.map((row) => ({
      at: textAt(row, 'occurredAt'),
      cells: [
        textAt(row, 'agentName') ?? textAt(row, 'appHost'),
        spell(say, 'threat', memberAt(row, 'threatType')),
        spell(say, 'threatOutcome', memberAt(row, 'outcome')),
        textAt(row, 'followUp.handledAt'),
      ],
    })),
    ...stops.map((row) => ({
      at: textAt(row, 'occurredAt'),
      cells: [
        textAt(row, 'agentName'),
        spell(say, 'agentEvent', memberAt(row, 'event')),
        spell(say, 'result', memberAt(row, 'result')),
        null,
      ],
    })),
  ].toSorted((left, right) => ((left.at ?? '') < (right.at ?? '') ? 1 : -1));
  return table(
    say,
    [
      ['at', ['When', 'Kiedy'], 'instant'],
      ['system', ['System', 'System'], 'text'],
      ['what', ['What', 'Co'], 'text'],
      ['outcome', ['Outcome', 'Skutek'], 'text'],
      ['handled', ['Handled', 'Obsłużono'], 'instant'],
    ],
    {
      rows: rows.map(({ at, cells }) => [at, ...cells]),
      truncated: threats.total > threats.rows.length || lifeCycle.total > lifeCycle.rows.length,
    },
  );
}
