import type { ReportCell, ReportContent } from '@tenantscope/contract';
import {
  type Incident,
  type IncidentAction,
  type IncidentNotification,
  readIncident,
  readIncidentActions,
  readIncidentNotifications,
} from '@tenantscope/store/compliance';
import { frameworkCatalogue } from '../../catalogue/framework.ts';
import { toIsoTime } from '../../evidence/values/reported-value.ts';
import { kpis, rowsMax, table } from '../content.ts';
import { type IncidentDetails, parseIncident } from '../incident-details.ts';
import type { RenderContext, ReportBody, ReportWriter } from '../report-writer.ts';
import { reportingDeadlines } from '../reporting-deadlines.ts';
import { translateValue } from '../value-labels.ts';

/** The tenant has no finding with the requested id. */
export class UnknownIncident extends Error {}

export interface IncidentFacts {
  readonly incident: Incident;
  readonly details: IncidentDetails;
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
    const details = parseIncident(incident);
    const ids = [incident.id, ...details.affected.map(({ id }) => id)];
    const fromMs = findStart(incident, details);
    return {
      incident,
      details,
      notifications: await readIncidentNotifications(reading, incident.id, rowsMax),
      actions: await readIncidentActions(reading, { ids, fromMs, limit: rowsMax }),
    };
  },
  write(facts, context) {
    const sections = {
      detection_moment: kpis(context.translate, facts ? buildDetectionKpis(facts, context) : []),
      timeline: buildTimelineTable(facts, context),
      affected: buildAffectedTable(facts, context),
      actions: buildActionTable(facts, context),
      clocks: buildDeadlineTable(facts, context),
    };
    if (facts === null) return { sections, limitations: [noIncident] };
    return { sections, limitations, periodMs: { from: findStart(facts.incident, facts.details), to: context.toMs } };
  },
};

const noIncident: ReportBody['limitations'][number] = [
  'The page is empty: there is no detection or security alert of high or critical severity, and no incident was given.',
  'Strona jest pusta: nie ma wykrycia ani alertu o ważności wysokiej lub krytycznej i nie wskazano incydentu.',
];

const limitations: ReportBody['limitations'] = [
  [
    'Deadlines are counted from the time of detection shown here. The organisation must determine when it became aware in the legal sense and whether the incident must be notified.',
    'Terminy liczone są od podanego tu czasu wykrycia. Organizacja musi ustalić, kiedy dowiedziała się o incydencie w rozumieniu prawa i czy należy go zgłosić.',
  ],
  [
    'Whether a notification was submitted to an authority is not recorded by this service. A later step is counted from the deadline of the earlier one.',
    'Usługa nie rejestruje, czy zgłoszenie przekazano organowi. Kolejny krok liczony jest od terminu poprzedniego.',
  ],
  [
    'Actions are those on the incident and on affected entities, from its first activity on.',
    'Ujęto działania dotyczące incydentu i objętych nim obiektów, od pierwszej aktywności.',
  ],
];

const parseTimeMs = (text: string | null): number | null => {
  const time = toIsoTime(text);
  return time === null ? null : Date.parse(time);
};

const findStart = ({ createdMs }: Incident, { firstActivityAt }: IncidentDetails): number =>
  Math.min(createdMs, parseTimeMs(firstActivityAt) ?? createdMs);

/** When the incident was detected: an alert when it was raised, a detection when it first reached this service. */
const findAwareness = ({ kind, createdMs, seenMs }: Incident): number =>
  kind === 'alert' ? createdMs : Math.max(createdMs, seenMs ?? createdMs);

function buildDetectionKpis({ incident, details }: IncidentFacts, { translate }: RenderContext) {
  const begin = findStart(incident, details);
  const aware = findAwareness(incident);
  return [
    [['Incident', 'Incydent'], details.title ?? incident.id, null],
    [['Kind', 'Rodzaj'], translateValue(translate, 'finding', incident.kind), null],
    [['Severity', 'Ważność'], translateValue(translate, 'severity', incident.severity), null],
    [['State', 'Stan'], translateValue(translate, 'findingStatus', details.status), null],
    [['First activity', 'Pierwsza aktywność'], toIso(begin), 'instant'],
    [['Detected', 'Wykryto'], toIso(aware), 'instant'],
    [
      ['From first activity to detection', 'Od pierwszej aktywności do wykrycia'],
      Math.round((10 * (aware - begin)) / hourMs) / 10,
      'hours',
    ],
    [['Id', 'Identyfikator'], incident.id, null],
  ] as const;
}

const toIso = (ms: number): string => new Date(ms).toISOString();

interface Entry {
  readonly atMs: number;
  readonly what: string;
  readonly who: string | null;
}

function listEntries(
  { incident, details, notifications, actions }: IncidentFacts,
  { translate }: RenderContext,
): Entry[] {
  const isAlert = incident.kind === 'alert';
  const resolvedMs = parseTimeMs(details.resolvedAt);
  // The stamp has no meaning for an alert that was resolved before it reached this service.
  const handledMs = resolvedMs !== null && (incident.seenMs ?? 0) > resolvedMs ? null : incident.seenMs;
  const milestones: readonly (readonly [atMs: number | null, what: string])[] = [
    [parseTimeMs(details.firstActivityAt), translate(['First activity', 'Pierwsza aktywność'])],
    [parseTimeMs(details.lastActivityAt), translate(['Latest activity', 'Ostatnia aktywność'])],
    [isAlert ? incident.createdMs : null, translate(['The vendor raised the alert', 'Dostawca zgłosił alert'])],
    [isAlert ? handledMs : null, translate(['Handling began', 'Rozpoczęto obsługę'])],
    [isAlert ? null : incident.seenMs, translate(['First received by this service', 'Wpłynęło do usługi'])],
    [resolvedMs, translate(['Closed', 'Zamknięto'])],
  ];
  return [
    ...milestones.flatMap(([atMs, what]) => (atMs === null ? [] : [{ atMs, what, who: null }])),
    ...notifications.map(({ createdMs, decision, channel, recipients }) => ({
      atMs: createdMs,
      what: `${translateValue(translate, 'decision', decision)} (${translateValue(translate, 'channel', channel)})`,
      who: recipients === null ? null : translate([`recipients: ${recipients}`, `odbiorcy: ${recipients}`]),
    })),
    ...actions.flatMap((action) => listSteps(action, translate)),
  ].toSorted((left, right) => left.atMs - right.atMs);
}

function listSteps(
  { name, type, createdMs, rung, actorName, steps }: IncidentAction,
  translate: RenderContext['translate'],
): Entry[] {
  const datedSteps = steps.flatMap((step) => {
    const atMs = typeof step.at === 'string' ? parseTimeMs(step.at) : null;
    return atMs === null ? [] : [{ atMs, rung: step.rung }];
  });
  const shownSteps = datedSteps.length > 0 ? datedSteps : [{ atMs: createdMs, rung }];
  return shownSteps.map((step) => ({
    atMs: step.atMs,
    what: `${name ?? type}: ${translateValue(translate, 'rung', step.rung)?.toLowerCase() ?? ''}`,
    who: actorName,
  }));
}

function buildTimelineTable(facts: IncidentFacts | null, context: RenderContext): ReportContent {
  return table(
    context.translate,
    [
      ['at', ['When', 'Kiedy'], 'instant'],
      ['what', ['Event', 'Zdarzenie'], 'text'],
      ['who', ['Who', 'Kto'], 'text'],
    ],
    { rows: facts ? listEntries(facts, context).map(({ atMs, what, who }) => [toIso(atMs), what, who]) : [] },
  );
}

function buildAffectedTable(facts: IncidentFacts | null, { translate }: RenderContext): ReportContent {
  const seen = new Set<string>();
  const affected = (facts?.details.affected ?? []).filter(({ type, id }) => {
    const key = `${type} ${id}`;
    return !seen.has(key) && seen.add(key);
  });
  return table(
    translate,
    [
      ['name', ['Name', 'Nazwa'], 'text'],
      ['kind', ['Kind', 'Rodzaj'], 'text'],
      ['role', ['Role', 'Rola'], 'text'],
      ['verdict', ['Verdict', 'Ocena'], 'text'],
    ],
    {
      rows: affected.map(({ type, id, name, roles, verdict }) => [
        name ?? id,
        translateValue(translate, 'entity', type),
        roles.map((role) => translateValue(translate, 'alertRole', role)).join(', ') || null,
        translateValue(translate, 'alertVerdict', verdict),
      ]),
    },
  );
}

function buildActionTable(facts: IncidentFacts | null, { translate }: RenderContext): ReportContent {
  return table(
    translate,
    [
      ['action', ['Action', 'Działanie'], 'text'],
      ['on', ['Resource', 'Obiekt'], 'text'],
      ['by', ['By', 'Kto'], 'text'],
      ['at', ['Staged', 'Przygotowano'], 'instant'],
      ['rung', ['Stage', 'Etap'], 'text'],
    ],
    {
      rows: (facts?.actions ?? []).map((one): ReportCell[] => [
        one.name ?? one.type,
        one.resourceName,
        one.actorName,
        toIso(one.createdMs),
        translateValue(translate, 'rung', one.rung),
      ]),
    },
  );
}

/** Each law of the template with its steps, and the state of each at the end of the report's period. */
function buildDeadlineTable(
  facts: IncidentFacts | null,
  { translate, toMs, frameworks }: RenderContext,
): ReportContent {
  const awareMs = facts && findAwareness(facts.incident);
  return table(
    translate,
    [
      ['law', ['Law', 'Akt prawny'], 'text'],
      ['step', ['Step', 'Krok'], 'text'],
      ['basis', ['Basis', 'Podstawa'], 'text'],
      ['due', ['Due', 'Termin'], 'instant'],
      ['standing', ['State', 'Stan'], 'status'],
    ],
    {
      rows: reportingDeadlines
        .filter(({ framework }) => frameworks.includes(framework))
        .map(({ framework, step, basis, dueMs }) => {
          const law = frameworkCatalogue.find(({ key }) => key === framework);
          const due = awareMs === null ? null : dueMs(awareMs);
          return [
            law ? translate([law.name, law.namePl]) : framework,
            translate(step),
            translate(basis),
            due === null ? null : toIso(due),
            due === null ? 'not_started' : due < toMs ? 'passed' : 'running',
          ];
        }),
    },
  );
}
