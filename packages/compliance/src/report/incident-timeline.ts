import type { ReportCell, ReportContent } from '@tenantscope/contract';
import {
  type Incident,
  type IncidentAction,
  type IncidentNotification,
  readIncident,
  readIncidentActions,
  readIncidentNotifications,
} from '@tenantscope/store';
import { frameworkCatalogue } from '../catalogue/framework.ts';
import { toldTime } from '../evidence/told-value.ts';
import { clocks } from './clocks.ts';
import { kpis, rowsMax, table } from './content.ts';
import { type IncidentParts, partsOf } from './incident-parts.ts';
import { spell } from './vocabulary.ts';
import type { Page, ReportWriter, Written } from './writer.ts';

/** The tenant has no finding of the id that was asked for. */
export class UnknownIncident extends Error {}

export interface IncidentFacts {
  readonly incident: Incident;
  readonly parts: IncidentParts;
  readonly notifications: readonly IncidentNotification[];
  readonly actions: readonly IncidentAction[];
}

const hourMs = 3_600_000;

export const incidentTimeline: ReportWriter<IncidentFacts | null> = {
  id: 'incident-timeline',
  async read(reading) {
    const incident = await readIncident(reading, reading.incidentId);
    if (incident === null && reading.incidentId !== null) throw new UnknownIncident(reading.incidentId);
    if (incident === null) return null;
    const parts = partsOf(incident);
    const ids = [incident.id, ...parts.affected.map(({ id }) => id)];
    const fromMs = beginOf(incident, parts);
    return {
      incident,
      parts,
      notifications: await readIncidentNotifications(reading, incident.id, rowsMax),
      actions: await readIncidentActions(reading, { ids, fromMs, limit: rowsMax }),
    };
  },
  write(facts, page) {
    const sections = {
      detection_moment: kpis(page.say, facts ? momentOf(facts, page) : []),
      timeline: timelineTable(facts, page),
      affected: affectedTable(facts, page),
      actions: actionTable(facts, page),
      clocks: clockTable(facts, page),
    };
    if (facts === null) return { sections, limitations: [noIncident] };
    return { sections, limitations, periodMs: { from: beginOf(facts.incident, facts.parts), to: page.toMs } };
  },
};

const noIncident: Written['limitations'][number] = [
  'There is no detection or security alert of high or critical severity, and no incident was named: the page is empty for that reason.',
  'Nie ma wykrycia ani alertu o ważności wysokiej lub krytycznej i nie wskazano incydentu: dlatego strona jest pusta.',
];

const limitations: Written['limitations'] = [
  [
    'Clocks are counted from the moment of detection shown here. When the organisation became aware in the sense of the law, and whether the incident must be notified, people decide.',
    'Terminy liczone są od pokazanej tu chwili wykrycia. O tym, kiedy organizacja dowiedziała się o incydencie w rozumieniu prawa i czy należy go zgłosić, decydują ludzie.',
  ],
  [
    'Whether a notification was submitted to an authority is not recorded by this service. A later step is counted from the last moment at which the earlier one may be done.',
    'Usługa nie rejestruje, czy zgłoszenie przekazano organowi. Późniejszy krok liczony jest od ostatniej chwili, w której można wykonać wcześniejszy.',
  ],
  [
    'Actions are those on the incident and on whom it touched, from its first activity on.',
    'Działania to te, które dotyczą incydentu i dotkniętych nim obiektów, od pierwszej aktywności.',
  ],
];

const timeMs = (text: string | null): number | null => {
  const told = toldTime(text);
  return told === null ? null : Date.parse(told);
};

const beginOf = ({ createdMs }: Incident, { firstActivityAt }: IncidentParts): number =>
  Math.min(createdMs, timeMs(firstActivityAt) ?? createdMs);

/** When the service or its vendor knew: of an alert when it was raised, of a detection when it first reached us. */
const awareOf = ({ kind, createdMs, seenMs }: Incident): number =>
  kind === 'alert' ? createdMs : Math.max(createdMs, seenMs ?? createdMs);

function momentOf({ incident, parts }: IncidentFacts, { say }: Page) {
  const begin = beginOf(incident, parts);
  const aware = awareOf(incident);
  return [
    [['Incident', 'Incydent'], parts.title ?? incident.id, null],
    [['Kind', 'Rodzaj'], spell(say, 'finding', incident.kind), null],
    [['Severity', 'Ważność'], spell(say, 'severity', incident.severity), null],
    [['State', 'Stan'], spell(say, 'findingStatus', parts.status), null],
    [['First activity', 'Pierwsza aktywność'], iso(begin), 'instant'],
    [['Detected', 'Wykryto'], iso(aware), 'instant'],
    [
      ['From first activity to detection', 'Od pierwszej aktywności do wykrycia'],
      Math.round((10 * (aware - begin)) / hourMs) / 10,
      'hours',
    ],
    [['Id', 'Identyfikator'], incident.id, null],
  ] as const;
}

const iso = (ms: number): string => new Date(ms).toISOString();

interface Entry {
  readonly atMs: number;
  readonly what: string;
  readonly who: string | null;
}

function entriesOf({ incident, parts, notifications, actions }: IncidentFacts, { say }: Page): Entry[] {
  const isAlert = incident.kind === 'alert';
  const resolvedMs = timeMs(parts.resolvedAt);
  // Our stamp tells nothing of an alert that was over before it reached us.
  const handledMs = resolvedMs !== null && (incident.seenMs ?? 0) > resolvedMs ? null : incident.seenMs;
  const told: readonly (readonly [atMs: number | null, what: string])[] = [
    [timeMs(parts.firstActivityAt), say(['First activity', 'Pierwsza aktywność'])],
    [timeMs(parts.lastActivityAt), say(['Latest activity', 'Ostatnia aktywność'])],
    [isAlert ? incident.createdMs : null, say(['The vendor raised the alert', 'Dostawca zgłosił alert'])],
    [isAlert ? handledMs : null, say(['Somebody began to handle it', 'Rozpoczęto obsługę'])],
    [isAlert ? null : incident.seenMs, say(['It first reached this service', 'Po raz pierwszy dotarło do usługi'])],
    [resolvedMs, say(['Closed', 'Zamknięto'])],
  ];
  return [
    ...told.flatMap(([atMs, what]) => (atMs === null ? [] : [{ atMs, what, who: null }])),
    ...notifications.map(({ createdMs, decision, channel, recipients }) => ({
      atMs: createdMs,
      what: `${spell(say, 'decision', decision)} (${spell(say, 'channel', channel)})`,
      who: recipients === null ? null : say([`recipients: ${recipients}`, `odbiorcy: ${recipients}`]),
    })),
    ...actions.flatMap((action) => stepsOf(action, say)),
  ].toSorted((left, right) => left.atMs - right.atMs);
}

function stepsOf({ name, type, createdMs, rung, actorName, steps }: IncidentAction, say: Page['say']): Entry[] {
  const told = steps.flatMap((step) => {
    const atMs = typeof step.at === 'string' ? timeMs(step.at) : null;
    return atMs === null ? [] : [{ atMs, rung: step.rung }];
  });
  const known = told.length > 0 ? told : [{ atMs: createdMs, rung }];
  return known.map((step) => ({
    atMs: step.atMs,
    what: `${name ?? type}: ${spell(say, 'rung', step.rung)?.toLowerCase() ?? ''}`,
    who: actorName,
  }));
}

function timelineTable(facts: IncidentFacts | null, page: Page): ReportContent {
  return table(
    page.say,
    [
      ['at', ['When', 'Kiedy'], 'instant'],
      ['what', ['What happened', 'Co się stało'], 'text'],
      ['who', ['Who', 'Kto'], 'text'],
    ],
    { rows: facts ? entriesOf(facts, page).map(({ atMs, what, who }) => [iso(atMs), what, who]) : [] },
  );
}

function affectedTable(facts: IncidentFacts | null, { say }: Page): ReportContent {
  const seen = new Set<string>();
  const affected = (facts?.parts.affected ?? []).filter(({ type, id }) => {
    const key = `${type} ${id}`;
    return !seen.has(key) && seen.add(key);
  });
  return table(
    say,
    [
      ['name', ['Name', 'Nazwa'], 'text'],
      ['kind', ['Kind', 'Rodzaj'], 'text'],
      ['role', ['Part', 'Rola'], 'text'],
      ['verdict', ['Verdict', 'Ocena'], 'text'],
    ],
    {
      rows: affected.map(({ type, id, name, roles, verdict }) => [
        name ?? id,
        spell(say, 'entity', type),
        roles.map((role) => spell(say, 'alertRole', role)).join(', ') || null,
        spell(say, 'alertVerdict', verdict),
      ]),
    },
  );
}

function actionTable(facts: IncidentFacts | null, { say }: Page): ReportContent {
  return table(
    say,
    [
      ['action', ['Action', 'Działanie'], 'text'],
      ['on', ['On', 'Na czym'], 'text'],
      ['by', ['By', 'Kto'], 'text'],
      ['at', ['Staged', 'Przygotowano'], 'instant'],
      ['rung', ['Stage', 'Etap'], 'text'],
    ],
    {
      rows: (facts?.actions ?? []).map((one): ReportCell[] => [
        one.name ?? one.type,
        one.resourceName,
        one.actorName,
        iso(one.createdMs),
        spell(say, 'rung', one.rung),
      ]),
    },
  );
}

/** Each law of the template with its steps, and how each stands at the end of the page's period. */
function clockTable(facts: IncidentFacts | null, { say, toMs, frameworks }: Page): ReportContent {
  const awareMs = facts && awareOf(facts.incident);
  return table(
    say,
    [
      ['law', ['Law', 'Akt prawny'], 'text'],
      ['step', ['Step', 'Krok'], 'text'],
      ['basis', ['Basis', 'Podstawa'], 'text'],
      ['due', ['Due', 'Termin'], 'instant'],
      ['standing', ['Standing', 'Stan'], 'status'],
    ],
    {
      rows: clocks
        .filter(({ framework }) => frameworks.includes(framework))
        .map(({ framework, step, basis, dueMs }) => {
          const law = frameworkCatalogue.find(({ key }) => key === framework);
          const due = awareMs === null ? null : dueMs(awareMs);
          return [
            law ? say([law.name, law.namePl]) : framework,
            say(step),
            say(basis),
            due === null ? null : iso(due),
            due === null ? 'not_started' : due < toMs ? 'passed' : 'running',
          ];
        }),
    },
  );
}
