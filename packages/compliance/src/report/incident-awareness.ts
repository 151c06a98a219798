import { dayMs } from '@tenantscope/contract';
import type { AwarenessStatement, Incident, IncidentAction, IncidentNotification } from '@tenantscope/store/compliance';
import { toIsoTime } from '../evidence/values/reported-value.ts';
import type { IncidentDetails } from './incident-details.ts';
import type { LocalizedText } from './language.ts';

export interface IncidentFacts {
  readonly incident: Incident;
  readonly details: IncidentDetails;
  readonly notifications: readonly IncidentNotification[];
  readonly actions: readonly IncidentAction[];
  /** A person's statement since when the organization was aware. */
  readonly statement: AwarenessStatement | null;
  /** Names of the people in the steps of actions, by id. */
  readonly names: ReadonlyMap<string, string>;
}

/** When legal clocks start, and why then. */
export interface Awareness {
  readonly atMs: number;
  readonly basis: LocalizedText;
}

/** An ISO 8601 time as epoch ms; null for any other text. */
export function parseTimeMs(text: string | null): number | null {
  const time = toIsoTime(text);
  return time === null ? null : Date.parse(time);
}

/** A step that a person took. The independent probe and policies are no people. */
export const isHumanStep = ({ by, byKind }: IncidentAction['steps'][number]): boolean =>
  typeof by === 'string' && by !== '' && (byKind == null || byKind === 'human');

/**
 * When the organization became aware at the latest: the earliest of what the provider, notifications, people and the arrival of
 * the record show, and of what a person states. The arrival alone would start the clocks of an incident late whose record came late.
 */
export function findAwareness(facts: IncidentFacts): Awareness {
  const { incident, notifications, actions, statement } = facts;
  const candidates: readonly (readonly [atMs: number | null, basis: LocalizedText])[] = [
    [
      parseTimeMs(statement?.awareAt ?? null),
      [`stated by ${statement?.statedBy}`, `oświadczenie: ${statement?.statedBy}`],
    ],
    [findCreation(facts), describeCreation(incident)],
    [notifications[0]?.firstSentMs ?? null, ['the first notification was sent', 'wysłano pierwsze powiadomienie']],
    [actions[0]?.firstHumanStepMs ?? null, ['a person first took a step', 'pierwsze działanie człowieka']],
    [incident.arrivedMs, ['the record arrived at this service', 'zapis wpłynął do usługi']],
  ];
  const dated = candidates.flatMap(([atMs, basis]) => (atMs === null ? [] : [{ atMs, basis }]));
  const fallback: Awareness = { atMs: incident.createdMs, basis: ['first activity', 'pierwsza aktywność'] };
  return (
    dated.reduce<Awareness | null>((first, one) => (first && first.atMs <= one.atMs ? first : one), null) ?? fallback
  );
}

/** A detection reports the begin of its window, of a day at most: at its end the detection existed. */
function findCreation({ incident, details }: IncidentFacts): number | null {
  return incident.kind === 'detection' ? incident.createdMs + dayMs : parseTimeMs(details.createdAt);
}

const describeCreation = ({ kind }: Incident): LocalizedText =>
  kind === 'detection'
    ? ["the detector's window of a day ended", 'koniec dobowego okna detektora']
    : ['the vendor created the alert', 'dostawca utworzył alert'];
