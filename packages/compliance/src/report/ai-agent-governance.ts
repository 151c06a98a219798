import type { ComplianceStatus, ReportContent } from '@tenantscope/contract';
import type { JsonObject } from '@tenantscope/proof';
import { type LogHistory, readLogHistory } from '@tenantscope/store';
import { retentionTargetDays } from '../evidence/retention.ts';
import { kpis, table, text } from './content.ts';
import { metricOf, statusOf } from './judgement.ts';
import type { Say } from './language.ts';
import {
  listAt,
  memberAt,
  numberAt,
  readLatestOf,
  readSectionOf,
  readStatusAtEnd,
  type SectionRows,
  textAt,
} from './reading.ts';
import { threatTable } from './threat-table.ts';
import { spell } from './vocabulary.ts';
import type { Page, ReportWriter } from './writer.ts';

export interface GovernanceFacts {
  readonly status: ComplianceStatus;
  readonly history: LogHistory;
  readonly inventory: SectionRows;
  readonly lifeCycle: SectionRows;
  readonly instructions: SectionRows;
  readonly threats: SectionRows;
}

const dayMs = 86_400_000;

export const aiAgentGovernance: ReportWriter<GovernanceFacts> = {
  id: 'ai-agent-governance',
  async read(reading) {
    return {
      status: await readStatusAtEnd(reading),
      history: await readLogHistory(reading.client, reading.tenantId, reading.knownThroughMs),
      inventory: await readSectionOf(reading, 'inventory'),
      lifeCycle: await readLatestOf(reading, 'lifecycle_events'),
      instructions: await readLatestOf(reading, 'instruction_changes'),
      threats: await readLatestOf(reading, 'threat_events'),
    };
  },
  write(facts, page) {
    const { say } = page;
    const agents = facts.inventory.rows.filter((row) => textAt(row, 'lifecycleStatus') !== 'deleted');
    return {
      sections: {
        inventory: inventoryFigures(facts, agents, page),
        accountability: accountabilityTable(say, agents),
        permissions: permissionTable(say, agents),
        life_cycle: lifeCycleTable(say, facts.lifeCycle),
        instruction_changes: instructionTable(say, facts.instructions),
        threat_events: threatTable(say, facts.threats),
        retention: retentionText(say, facts.history, page.toMs),
      },
      limitations: [
        [
          'Changes of sponsors leave no audit event: who was accountable earlier is known only from one import to the next.',
          'Zmiany sponsorów nie pozostawiają zdarzenia w dzienniku: kto odpowiadał wcześniej, wiadomo tylko z kolejnych importów.',
        ],
        [
          'Texts of prompts and answers are not kept and not in this report.',
          'Treści poleceń i odpowiedzi nie są przechowywane i nie ma ich w tym raporcie.',
        ],
      ],
    };
  },
};

function inventoryFigures({ status, inventory }: GovernanceFacts, agents: readonly JsonObject[], page: Page) {
  const count = (is: (row: JsonObject) => boolean) => agents.filter(is).length;
  const lifecycle = (word: string) => count((row) => textAt(row, 'lifecycleStatus') === word);
  return kpis(page.say, [
    [['Agents', 'Agenty'], inventory.total - (inventory.rows.length - agents.length), 'count'],
    [
      ['Active in the period', 'Aktywne w okresie'],
      count((row) => Date.parse(textAt(row, 'lastActivityAt') ?? '') >= page.fromMs),
      'count',
    ],
    [['Published', 'Opublikowane'], lifecycle('published') + lifecycle('deployed'), 'count'],
    [['Blocked', 'Zablokowane'], lifecycle('blocked'), 'count'],
    [
      ['From outside the organisation', 'Spoza organizacji'],
      count((row) => textAt(row, 'origin') === 'external'),
      'count',
    ],
    [
      ['Open to everyone in the organisation', 'Dostępne dla całej organizacji'],
      count((row) => textAt(row, 'availableTo') === 'all'),
      'count',
    ],
    [
      ['With an accountable person', 'Z osobą odpowiedzialną'],
      metricOf(status, 'ai.agents.accountable_person', 'accountablePct'),
      'percent',
      statusOf(status, 'ai.agents.accountable_person'),
    ],
    [
      ['Instructions captured', 'Z zapisanymi instrukcjami'],
      metricOf(status, 'ai.agents.instructions_captured', 'capturedPct'),
      'percent',
      statusOf(status, 'ai.agents.instructions_captured'),
    ],
    [
      ['High risk or prohibited', 'Wysokie ryzyko lub zakazane'],
      count((row) => ['high', 'prohibited'].includes(textAt(row, 'riskClass') ?? '')),
      'count',
    ],
    [
      ['Not classified by risk', 'Bez klasy ryzyka'],
      count((row) => textAt(row, 'riskClass') === 'unclassified'),
      'count',
    ],
  ]);
}

/** Nobody first, then those whose account is off, then the others by name. */
function accountabilityTable(say: Say, agents: readonly JsonObject[]): ReportContent {
  const urgency = (row: JsonObject) =>
    textAt(row, 'accountable.provenance') === 'none' ? 0 : memberAt(row, 'accountable.enabled') === false ? 1 : 2;
  return table(
    say,
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
          textAt(row, 'name'),
          textAt(row, 'accountable.name') ?? textAt(row, 'accountable.userId'),
          spell(say, 'accountableSource', memberAt(row, 'accountable.provenance')),
          memberAt(row, 'accountable.enabled') as boolean | null,
          spell(say, 'riskClass', memberAt(row, 'riskClass')),
          spell(say, 'agentStatus', memberAt(row, 'lifecycleStatus')),
          textAt(row, 'lastActivityAt'),
        ]),
    },
  );
}

/** What can reach most comes first. */
function permissionTable(say: Say, agents: readonly JsonObject[]): ReportContent {
  const of = (row: JsonObject, name: string) => numberAt(row, `permissionCounts.${name}`) ?? 0;
  return table(
    say,
    [
      ['agent', ['Agent', 'Agent'], 'text'],
      ['total', ['Permissions', 'Uprawnienia'], 'bar'],
      ['direct', ['Direct', 'Bezpośrednie'], 'count'],
      ['inherited', ['Inherited', 'Odziedziczone'], 'count'],
      ['declared', ['Declared', 'Zadeklarowane'], 'count'],
      ['tenantWide', ['Tenant-wide', 'Cała organizacja'], 'count'],
      ['write', ['May write', 'Z zapisem'], 'count'],
      ['consented', ['Admin consent', 'Zgoda administratora'], 'count'],
    ],
    {
      rows: agents
        .filter((row) => of(row, 'total') > 0)
        .toSorted(
          (left, right) =>
            of(right, 'tenantWide') - of(left, 'tenantWide') ||
            of(right, 'write') - of(left, 'write') ||
            of(right, 'total') - of(left, 'total'),
        )
        .map((row) => [
          textAt(row, 'name'),
          ...['total', 'direct', 'inherited', 'declared', 'tenantWide', 'write', 'adminConsented'].map((name) =>
            of(row, name),
          ),
        ]),
    },
  );
}

function lifeCycleTable(say: Say, { rows, total }: SectionRows): ReportContent {
  return table(
    say,
    [
      ['at', ['When', 'Kiedy'], 'instant'],
      ['agent', ['Agent', 'Agent'], 'text'],
      ['event', ['What happened', 'Zdarzenie'], 'text'],
      ['by', ['By', 'Kto'], 'text'],
      ['result', ['Result', 'Wynik'], 'text'],
    ],
    {
      rows: rows
        .toReversed()
        .map((row) => [
          textAt(row, 'occurredAt'),
          textAt(row, 'agentName'),
          spell(say, 'agentEvent', memberAt(row, 'event')),
          textAt(row, 'actor.name') ?? textAt(row, 'actor.id'),
          spell(say, 'result', memberAt(row, 'result')),
        ]),
      truncated: total > rows.length,
    },
  );
}

function instructionTable(say: Say, { rows, total }: SectionRows): ReportContent {
  return table(
    say,
    [
      ['at', ['Observed', 'Zauważono'], 'instant'],
      ['agent', ['Agent', 'Agent'], 'text'],
      ['kind', ['Change', 'Zmiana'], 'text'],
      ['added', ['Lines added', 'Dodane wiersze'], 'count'],
      ['removed', ['Lines removed', 'Usunięte wiersze'], 'count'],
      ['by', ['Published by', 'Opublikował'], 'text'],
      ['reviewed', ['Reviewed', 'Sprawdzono'], 'date'],
    ],
    {
      rows: rows
        .toReversed()
        .map((row) => [
          textAt(row, 'observedAt'),
          textAt(row, 'agentName'),
          spell(say, 'instructionChange', memberAt(row, 'changeKind')),
          numberAt(row, 'diffSummary.addedLines') ?? listAt(row, 'diffSummary.addedLines').length,
          numberAt(row, 'diffSummary.removedLines') ?? listAt(row, 'diffSummary.removedLines').length,
          textAt(row, 'publishedBy.name'),
          textAt(row, 'review.reviewedAt'),
        ]),
      truncated: total > rows.length,
    },
  );
}

/** By when this service wrote its rows: history imported today is not retention. */
function retentionText(say: Say, { oldestMs }: LogHistory, toMs: number): ReportContent {
  if (oldestMs === null)
    return text(
      say([
        'No log row is kept for this organisation.',
        'Dla tej organizacji nie jest przechowywany żaden wpis dziennika.',
      ]),
    );
  const days = Math.max(0, Math.floor((toMs - oldestMs) / dayMs));
  const since = new Date(oldestMs).toISOString().slice(0, 10);
  const isMet = days >= retentionTargetDays;
  return text(
    say([
      `At the end of the period the activity log had been kept for ${days} days (since ${since}). The target is ${retentionTargetDays} days: it is ${isMet ? 'met' : 'not met yet'}.`,
      `Na koniec okresu dziennik aktywności był przechowywany od ${days} dni (od ${since}). Cel to ${retentionTargetDays} dni: ${isMet ? 'jest spełniony' : 'nie jest jeszcze spełniony'}.`,
    ]),
    say([
      'What counts is how long this service has kept its rows; history that was imported later does not count as kept.',
      'Liczy się czas przechowywania wpisów przez tę usługę; później zaimportowana historia nie liczy się jako przechowywana.',
    ]),
  );
}
