import { hourMs, type ReportCell, type ReportContent } from '@tenantscope/contract';
import {
  type Incident,
  readAwarenessStatement,
  readIncident,
  readIncidentActions,
  readIncidentNotifications,
  readUserNames,
} from '@tenantscope/store/compliance';
import { frameworkCatalogue } from '../../catalogue/framework.ts';
import { kpis, rowsMax, table, toIso } from '../content.ts';
import { findAwareness, type IncidentFacts, parseTimeMs } from '../incident-awareness.ts';
import { type IncidentDetails, parseIncident } from '../incident-details.ts';
import type { RenderContext, ReportBody, ReportWriter } from '../report-writer.ts';
import { reportingDeadlines } from '../reporting-deadlines.ts';
import { buildTimelineTable } from '../tables/incident-timeline-table.ts';
import { translateValue } from '../value-labels.ts';

/** The tenant has no finding with the requested id. */
export class UnknownIncident extends Error {}

/** One more than a table shows, so that it is marked as truncated. */
const readMax = rowsMax + 1;

export const incidentTimeline: ReportWriter<IncidentFacts | null> = {
  id: 'incident-timeline',
  async read(reading) {
    const incident = await readIncident(reading, reading.incidentId);
    if (incident === null && reading.incidentId !== null) throw new UnknownIncident(reading.incidentId);
    if (incident === null) return null;
    const details = parseIncident(incident);
    const ids = [incident.id, ...details.affected.map(({ id }) => id)];
    const fromMs = findStart(incident, details);
    const actions = await readIncidentActions(reading, { ids, fromMs, limit: readMax });
    const userIds = actions.flatMap(({ steps }) => steps.flatMap(({ by }) => (typeof by === 'string' ? [by] : [])));
    return {
      incident,
      details,
      notifications: await readIncidentNotifications(reading, incident.id, readMax),
      actions,
      statement: await readAwarenessStatement(reading, incident.id),
      names: await readUserNames(reading, userIds),
    };
  },
  write(facts, context) {
    const sections = {
      detection_moment: kpis(context.translate, facts ? buildDetectionKpis(facts, context) : []),
      timeline: buildTimelineTable(facts, context.translate),
      affected: buildAffectedTable(facts, context),
      actions: buildActionTable(facts, context),
      clocks: buildDeadlineTable(facts, context),
    };
    if (facts === null) return { sections, limitations: [noIncident] };
    const from = Math.min(findStart(facts.incident, facts.details), findAwareness(facts).atMs);
    return { sections, limitations, periodMs: { from, to: context.toMs } };
  },
};

const noIncident: ReportBody['limitations'][number] = [
  'The page is empty: there is no detection or security alert of high or critical severity, and no incident was given.',
  'Strona jest pusta: nie ma wykrycia ani alertu o ważności wysokiej lub krytycznej i nie wskazano incydentu.',
];

const limitations: ReportBody['limitations'] = [
  [
    'Deadlines are counted from the earliest of: creation by the vendor, first notification sent, first step of a person, arrival of the record. Where the organisation was aware earlier, record that with "tenantscope incident aware". Whether the incident must be notified is for the organisation to determine.',
    'Terminy liczone są od najwcześniejszego ze zdarzeń: utworzenia u dostawcy, pierwszego wysłanego powiadomienia, pierwszego działania człowieka, wpływu zapisu do usługi. Jeżeli organizacja wiedziała o incydencie wcześniej, należy to odnotować poleceniem „tenantscope incident aware”. Czy incydent podlega zgłoszeniu, ocenia organizacja.',
  ],
  [
    'Whether a notification was submitted to an authority is not recorded by this service. A later step is counted from the deadline of the earlier one. Months are counted in the time zone of the organisation.',
    'Usługa nie rejestruje, czy zgłoszenie przekazano organowi. Kolejny krok liczony jest od terminu poprzedniego. Miesiące liczone są w strefie czasowej organizacji.',
  ],
  [
    'Weekends and public holidays extend no deadline here. Some laws allow the next working day: under DORA noon of that day, except for certain entities (Delegated Regulation (EU) 2025/301, Art. 5(4)–(5)). DORA also requires the initial notification within four hours of the classification as major, which this service does not record.',
    'Weekendy i święta nie przedłużają tu terminów. Niektóre przepisy dopuszczają następny dzień roboczy: według DORA do południa tego dnia, z wyjątkiem niektórych podmiotów (art. 5 ust. 4 i 5 rozporządzenia delegowanego (UE) 2025/301). DORA wymaga też wstępnego powiadomienia w ciągu czterech godzin od uznania incydentu za poważny; tej chwili usługa nie rejestruje.',
  ],
  [
    'Actions are those on the incident and on affected entities, from its first activity on.',
    'Ujęto działania dotyczące incydentu i objętych nim obiektów, od pierwszej aktywności.',
  ],
];

const findStart = ({ createdMs }: Incident, { firstActivityAt }: IncidentDetails): number =>
  Math.min(createdMs, parseTimeMs(firstActivityAt) ?? createdMs);

function buildDetectionKpis(facts: IncidentFacts, { translate }: RenderContext) {
  const { incident, details } = facts;
  const begin = findStart(incident, details);
  const { atMs: aware, basis } = findAwareness(facts);
  return [
    [['Incident', 'Incydent'], details.title ?? incident.id, null],
    [['Kind', 'Rodzaj'], translateValue(translate, 'finding', incident.kind), null],
    [['Severity', 'Ważność'], translateValue(translate, 'severity', incident.severity), null],
    [['State', 'Stan'], translateValue(translate, 'findingStatus', details.status), null],
    [['First activity', 'Pierwsza aktywność'], toIso(begin), 'instant'],
    [['Clocks start', 'Początek biegu terminów'], toIso(aware), 'instant'],
    [['Because', 'Podstawa'], translate(basis), null],
    [
      ['From first activity to the start of the clocks', 'Od pierwszej aktywności do początku biegu terminów'],
      Math.round((10 * Math.max(0, aware - begin)) / hourMs) / 10,
      'hours',
    ],
    [['Id', 'Identyfikator'], incident.id, null],
  ] as const;
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
  { translate, toMs, timeZone, frameworks }: RenderContext,
): ReportContent {
  const awareMs = facts && findAwareness(facts).atMs;
  return table(
    translate,
    [
      ['law', ['Law', 'Akt prawny'], 'text'],
      ['step', ['Step', 'Krok'], 'text'],
      ['basis', ['Basis', 'Podstawa'], 'text'],
      ['due', ['Due', 'Termin'], 'instant'],
      ['state', ['State', 'Stan'], 'status'],
    ],
    {
      rows: reportingDeadlines
        .filter(({ framework }) => frameworks.includes(framework))
        .map(({ framework, step, basis, dueMs }) => {
          const law = frameworkCatalogue.find(({ key }) => key === framework);
          const due = awareMs === null ? null : dueMs(awareMs, timeZone);
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
