import type { ReportContent } from '@tenantscope/contract';
import type { IncidentAction } from '@tenantscope/store/compliance';
import { table, toIso } from '../content.ts';
import { type IncidentFacts, isHumanStep, parseTimeMs } from '../incident-awareness.ts';
import type { LocalizedText, Translate } from '../language.ts';
import { translateValue } from '../value-labels.ts';

interface Entry {
  readonly atMs: number;
  readonly what: string;
  readonly who: string | null;
}

/** What happened in an incident, in order, and who did it. */
export function buildTimelineTable(facts: IncidentFacts | null, translate: Translate): ReportContent {
  return table(
    translate,
    [
      ['at', ['When', 'Kiedy'], 'instant'],
      ['what', ['Event', 'Zdarzenie'], 'text'],
      ['who', ['Who', 'Kto'], 'text'],
    ],
    { rows: facts ? listEntries(facts, translate).map(({ atMs, what, who }) => [toIso(atMs), what, who]) : [] },
  );
}

function listEntries(facts: IncidentFacts, translate: Translate): Entry[] {
  const { notifications, actions, statement, names } = facts;
  const awareMs = parseTimeMs(statement?.awareAt ?? null);
  const stated = translate([
    'The organisation was aware, as stated',
    'Organizacja wiedziała o incydencie (oświadczenie)',
  ]);
  return [
    ...listMilestones(facts).map(([atMs, what]) => ({ atMs, what: translate(what), who: null })),
    ...(statement && awareMs !== null ? [{ atMs: awareMs, what: stated, who: statement.statedBy }] : []),
    ...notifications.map(({ createdMs, decision, channel, recipients }) => ({
      atMs: createdMs,
      what: `${translateValue(translate, 'decision', decision)} (${translateValue(translate, 'channel', channel)})`,
      who: recipients === null ? null : translate([`recipients: ${recipients}`, `odbiorcy: ${recipients}`]),
    })),
    ...actions.flatMap((action) => listSteps(action, names, translate)),
  ].toSorted((left, right) => left.atMs - right.atMs);
}

function listMilestones({ incident, details }: IncidentFacts): (readonly [atMs: number, what: LocalizedText])[] {
  const { kind, arrivedMs, triagedMs } = incident;
  const resolvedMs = parseTimeMs(details.resolvedAt);
  // The stamp has no meaning for an alert that was resolved before it reached this service.
  const handledMs = resolvedMs !== null && (triagedMs ?? 0) > resolvedMs ? null : triagedMs;
  const milestones: readonly (readonly [atMs: number | null, what: LocalizedText])[] = [
    [parseTimeMs(details.firstActivityAt), ['First activity', 'Pierwsza aktywność']],
    [parseTimeMs(details.lastActivityAt), ['Latest activity', 'Ostatnia aktywność']],
    [
      kind === 'alert' ? parseTimeMs(details.createdAt) : null,
      ['The vendor raised the alert', 'Dostawca zgłosił alert'],
    ],
    [arrivedMs, ['First received by this service', 'Wpłynęło do usługi']],
    [handledMs, ['Handling began', 'Rozpoczęto obsługę']],
    [resolvedMs, ['Closed', 'Zamknięto']],
  ];
  return milestones.flatMap(([atMs, what]) => (atMs === null ? [] : [[atMs, what] as const]));
}

function listSteps(action: IncidentAction, names: IncidentFacts['names'], translate: Translate): Entry[] {
  const { name, type, createdMs, rung, actorName, steps } = action;
  const describe = (reached: unknown) =>
    `${name ?? type}: ${translateValue(translate, 'rung', reached)?.toLowerCase() ?? ''}`;
  const datedSteps = steps.flatMap((step): Entry[] => {
    const atMs = typeof step.at === 'string' ? parseTimeMs(step.at) : null;
    return atMs === null ? [] : [{ atMs, what: describe(step.rung), who: nameActor(step, action, names, translate) }];
  });
  return datedSteps.length > 0 ? datedSteps : [{ atMs: createdMs, what: describe(rung), who: actorName }];
}

/** Who took a step: a person by name; without one the probe that confirmed it, or the kind of actor that is reported. */
function nameActor(
  step: IncidentAction['steps'][number],
  { actorId, actorName }: IncidentAction,
  names: IncidentFacts['names'],
  translate: Translate,
): string | null {
  const { by, byKind } = step;
  if (typeof by === 'string' && by !== '') {
    const name = names.get(by) ?? (by === actorId ? actorName : null) ?? by;
    return isHumanStep(step) ? name : `${name} (${translateValue(translate, 'actorKind', byKind)})`;
  }
  if (step.rung === 'confirmed' && (byKind == null || byKind === 'system'))
    return translate(['independent probe', 'niezależna sonda']);
  return byKind == null ? null : translateValue(translate, 'actorKind', byKind);
}
