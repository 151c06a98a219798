import { type ComplianceStatus, dayMs, type ReportContent } from '@tenantscope/contract';
import type { JsonObject } from '@tenantscope/proof';
import { formatCell } from '@tenantscope/report';
import { type LogHistory, readLogHistory } from '@tenantscope/store/compliance';
import { retentionTargetDays } from '../../evidence/retention.ts';
import { kpis, table, text } from '../content.ts';
import { readStatusAtEnd } from '../end-status.ts';
import type { Translate } from '../language.ts';
import { listCountLimitations } from '../limitations.ts';
import {
  readLatestRows,
  readMember,
  readNumber,
  readParts,
  readSection,
  readText,
  type SectionRows,
} from '../report-reading.ts';
import type { RenderContext, ReportWriter } from '../report-writer.ts';
import { readMetric, readRequirementStatus } from '../requirement-cells.ts';
import { buildInstructionTable, buildLifecycleTable } from '../tables/agent-change-tables.ts';
import { buildThreatTable } from '../tables/threat-table.ts';
import { translateValue } from '../value-labels.ts';

export interface GovernanceFacts {
  readonly status: ComplianceStatus;
  readonly history: LogHistory;
  readonly inventory: SectionRows;
  readonly lifecycle: SectionRows;
  readonly instructions: SectionRows;
  readonly threats: SectionRows;
}

export const aiAgentGovernance: ReportWriter<GovernanceFacts> = {
  id: 'ai-agent-governance',
  read: (reading) =>
    readParts(reading, {
      status: readStatusAtEnd,
      history: (one) => readLogHistory(one.client, one.tenantId, one.storedThroughMs),
      inventory: (one) => readSection(one, 'inventory'),
      lifecycle: (one) => readLatestRows(one, 'lifecycle_events'),
      instructions: (one) => readLatestRows(one, 'instruction_changes'),
      threats: (one) => readLatestRows(one, 'threat_events'),
    }),
  write(facts, context) {
    const { translate } = context;
    const agents = facts.inventory.rows.filter((row) => readText(row, 'lifecycleStatus') !== 'deleted');
    const isPartial = facts.inventory.total > facts.inventory.rows.length;
    return {
      sections: {
        inventory: buildInventoryKpis(facts, agents, context),
        accountability: buildAccountabilityTable(translate, agents, isPartial),
        permissions: buildPermissionTable(translate, agents, isPartial),
        life_cycle: buildLifecycleTable(translate, facts.lifecycle),
        instruction_changes: buildInstructionTable(translate, facts.instructions),
        threat_events: buildThreatTable(translate, facts.threats),
        retention: buildRetentionText(translate, facts.history, context.toMs),
      },
      limitations: [
        [
          'Changes of sponsors leave no audit event: earlier accountable persons follow only from successive imports.',
          'Zmiany sponsorów nie pozostawiają zdarzenia w dzienniku: kto odpowiadał wcześniej, wiadomo tylko z kolejnych importów.',
        ],
        [
          'Texts of prompts and responses are not stored and not in this report.',
          'Treści poleceń i odpowiedzi nie są przechowywane i nie ma ich w tym raporcie.',
        ],
        ...listCountLimitations(facts.inventory),
      ],
    };
  },
};

function buildInventoryKpis(
  { status, inventory }: GovernanceFacts,
  agents: readonly JsonObject[],
  context: RenderContext,
) {
  const count = (is: (row: JsonObject) => boolean) => agents.filter(is).length;
  const countByStatus = (word: string) => count((row) => readText(row, 'lifecycleStatus') === word);
  return kpis(context.translate, [
    [['Agents', 'Agenty'], inventory.total - (inventory.rows.length - agents.length), 'count'],
    [
      ['Active in the period', 'Aktywne w okresie'],
      count((row) => Date.parse(readText(row, 'lastActivityAt') ?? '') >= context.fromMs),
      'count',
    ],
    [['Published', 'Opublikowane'], countByStatus('published') + countByStatus('deployed'), 'count'],
    [['Blocked', 'Zablokowane'], countByStatus('blocked'), 'count'],
    [
      ['From outside the organisation', 'Spoza organizacji'],
      count((row) => readText(row, 'origin') === 'external'),
      'count',
    ],
    [
      ['Open to everyone in the organisation', 'Dostępne dla całej organizacji'],
      count((row) => readText(row, 'availableTo') === 'all'),
      'count',
    ],
    [
      ['Of the published ones with an accountable person', 'Spośród opublikowanych z osobą odpowiedzialną'],
      readMetric(status, 'ai.agents.accountable_person', 'accountablePct'),
      'percent',
      readRequirementStatus(status, 'ai.agents.accountable_person'),
    ],
    [
      [
        'Of the published ones that have instructions, with captured ones',
        'Spośród opublikowanych, które mają instrukcje, z zapisanymi',
      ],
      readMetric(status, 'ai.agents.instructions_captured', 'capturedPct'),
      'percent',
      readRequirementStatus(status, 'ai.agents.instructions_captured'),
    ],
    [
      ['High risk or prohibited', 'Wysokie ryzyko lub zakazane'],
      count((row) => ['high', 'prohibited'].includes(readText(row, 'riskClass') ?? '')),
      'count',
    ],
    [
      ['Not classified by risk', 'Bez klasy ryzyka'],
      count((row) => readText(row, 'riskClass') === 'unclassified'),
      'count',
    ],
  ]);
}

/** Agents without an accountable person first, then those with a disabled account, then the others by name. */
function buildAccountabilityTable(
  translate: Translate,
  agents: readonly JsonObject[],
  truncated: boolean,
): ReportContent {
  const urgency = (row: JsonObject) =>
    readText(row, 'accountable.provenance') === 'none' ? 0 : readMember(row, 'accountable.enabled') === false ? 1 : 2;
  return table(
    translate,
    [
      ['agent', ['Agent', 'Agent'], 'text'],
      ['person', ['Accountable person', 'Osoba odpowiedzialna'], 'text'],
      ['source', ['As', 'Jako'], 'text'],
      ['enabled', ['Account enabled', 'Konto aktywne'], 'flag'],
      ['risk', ['Risk class', 'Klasa ryzyka'], 'text'],
      ['state', ['State', 'Stan'], 'text'],
      ['activity', ['Last activity', 'Ostatnia aktywność'], 'date'],
    ],
    {
      rows: agents
        .toSorted((left, right) => urgency(left) - urgency(right))
        .map((row) => [
          readText(row, 'name'),
          readText(row, 'accountable.name') ?? readText(row, 'accountable.userId'),
          translateValue(translate, 'accountableSource', readMember(row, 'accountable.provenance')),
          readMember(row, 'accountable.enabled') as boolean | null,
          translateValue(translate, 'riskClass', readMember(row, 'riskClass')),
          translateValue(translate, 'agentStatus', readMember(row, 'lifecycleStatus')),
          readText(row, 'lastActivityAt'),
        ]),
      truncated,
    },
  );
}

/** The agents with the widest permissions first. */
function buildPermissionTable(translate: Translate, agents: readonly JsonObject[], truncated: boolean): ReportContent {
  const readCount = (row: JsonObject, name: string) => readNumber(row, `permissionCounts.${name}`) ?? 0;
  return table(
    translate,
    [
      ['agent', ['Agent', 'Agent'], 'text'],
      ['total', ['Permissions', 'Uprawnienia'], 'bar'],
      ['direct', ['Direct', 'Bezpośrednie'], 'count'],
      ['inherited', ['Inherited', 'Odziedziczone'], 'count'],
      ['declared', ['Declared', 'Zadeklarowane'], 'count'],
      ['tenantWide', ['Tenant-wide', 'Cała organizacja'], 'count'],
      ['write', ['Write access', 'Z prawem zapisu'], 'count'],
      ['consented', ['Admin consent', 'Zgoda administratora'], 'count'],
    ],
    {
      rows: agents
        .filter((row) => readCount(row, 'total') > 0)
        .toSorted(
          (left, right) =>
            readCount(right, 'tenantWide') - readCount(left, 'tenantWide') ||
            readCount(right, 'write') - readCount(left, 'write') ||
            readCount(right, 'total') - readCount(left, 'total'),
        )
        .map((row) => [
          readText(row, 'name'),
          ...['total', 'direct', 'inherited', 'declared', 'tenantWide', 'write', 'adminConsented'].map((name) =>
            readCount(row, name),
          ),
        ]),
      truncated,
    },
  );
}

/** By the time this service wrote its rows: history imported today is not retention. */
function buildRetentionText(translate: Translate, { oldestMs }: LogHistory, toMs: number): ReportContent {
  if (oldestMs === null || oldestMs > toMs)
    return text(
      translate([
        'At the end of the period no log rows were stored for this organisation.',
        'Na koniec okresu raportu dla tej organizacji nie było żadnych wpisów dziennika.',
      ]),
    );
  const days = Math.floor((toMs - oldestMs) / dayMs);
  const oldest = new Date(oldestMs).toISOString();
  const [since, sincePl] = (['en', 'pl'] as const).map((lang) => formatCell(oldest, 'date', lang));
  const isMet = days >= retentionTargetDays;
  return text(
    translate([
      `Retention of the activity log at the end of the period: ${formatCell(days, 'days', 'en')} (since ${since}). The target of ${retentionTargetDays} days is ${isMet ? 'met' : 'not met yet'}.`,
      `Okres przechowywania dziennika aktywności na koniec okresu raportu: ${formatCell(days, 'days', 'pl')} (od ${sincePl}). Cel ${retentionTargetDays} dni ${isMet ? 'został osiągnięty' : 'nie został jeszcze osiągnięty'}.`,
    ]),
    translate([
      'Retention counts from the time this service stored its rows; history that was imported later does not count.',
      'Liczy się okres przechowywania wpisów przez tę usługę; historii zaimportowanej później nie wlicza się.',
    ]),
  );
}
