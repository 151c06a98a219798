import * as input from '../input-records.ts';
import { type Chooser, count, decisionInForce, newest, nowMs, type Part, send } from './part.ts';

const { dayMs } = input;
const typeIds = ['iban', 'Health', 'passport'] as const;
type TypeId = (typeof typeIds)[number];

const createFile = (choose: Chooser, index: number) => ({
  id: `file${index}`,
  types: typeIds.filter(() => choose.happens(35)),
  sensitivityLabelName: choose.pick([undefined, 'Secret', 'Secret']),
  isProtected: choose.maybe(),
  aiAppReachCount: choose.pick([undefined, undefined, 0, 2]),
  agentReachCount: choose.pick([undefined, undefined, 0, 1]),
  isDeleted: choose.happens(10),
});
type File = ReturnType<typeof createFile>;

function isReached({ aiAppReachCount, agentReachCount }: File): boolean | null {
  if (aiAppReachCount === undefined && agentReachCount === undefined) return null;
  return (aiAppReachCount ?? 0) + (agentReachCount ?? 0) > 0;
}
/** A label of which it is not reported whether it protects; without a label nothing does. */
const hasUnknownLabel = (one: File) => one.isProtected === undefined && one.sensitivityLabelName !== undefined;

const createRestriction = (choose: Chooser, index: number) => ({
  id: `restriction${index}`,
  type: choose.pick(typeIds),
  level: choose.pick(['monitored', 'noAiAccess', 'noAccess'] as const),
  // One in the future is not in force yet.
  declaredAgeMs: choose.pick([60, 30, -1]) * dayMs,
  events: choose.several([0, 0, 1, 2], (number) => ({
    event: choose.pick(['lift', 'lift', 'declare']),
    ageMs: choose.pick([45, 20, 5]) * dayMs + number,
  })),
  isDeleted: choose.happens(10),
});
type Restriction = ReturnType<typeof createRestriction>;

/** Declared, and not lifted since without being declared again. */
function isInForce({ declaredAgeMs, events, isDeleted }: Restriction): boolean {
  if (isDeleted || declaredAgeMs < 0) return false;
  const last = newest([{ event: 'declare', ageMs: declaredAgeMs }, ...events]);
  return last?.event === 'declare';
}

const createDecision = (choose: Chooser, index: number) => ({
  id: `type${index}`,
  type: choose.pick(typeIds),
  outcome: choose.pick(['approved', 'accepted', 'reviewed', 'restricted'] as const),
  ageMs: choose.pick([10, 20, -1]) * dayMs + index,
});

/** Files with sensitive types, restrictions of types, and decisions about types. */
export function createFiles(choose: Chooser): Part {
  const files = choose.several([1, 4, 20], (index) => createFile(choose, index));
  const restrictions = choose.several([0, 1, 3], (index) => createRestriction(choose, index));
  const decisions = choose.several([0, 1, 3], (index) => createDecision(choose, index));
  const existing = files.filter((one) => !one.isDeleted);
  const isRestricted = (type: TypeId) => restrictions.some((one) => one.type === type && isInForce(one));
  const isAccepted = (type: TypeId) => {
    const decided = decisionInForce(decisions.filter((one) => one.type === type))?.outcome;
    return decided === 'approved' || decided === 'accepted';
  };
  const carriers = existing.filter(({ types }) => types.some(isRestricted));
  const reachOf = (type: TypeId) => existing.filter(({ types }) => types.includes(type)).map(isReached);
  const inReach = typeIds.filter((type) => reachOf(type).some((isIn) => isIn !== false));
  const isReported = (type: TypeId) => reachOf(type).includes(true);
  return {
    sent: [
      ...files.flatMap(({ id, types, isDeleted, ...members }) => [
        ...send(
          20 * dayMs,
          input.file(id, {
            ...members,
            sensitiveInfoTypes: types.map((type) => ({ id: choose.inAnyCase(type), name: type })),
          }),
        ),
        ...(isDeleted ? send(dayMs, input.deletedEntity('file', id)) : []),
      ]),
      ...restrictions.flatMap((one) => [
        ...send(
          1_000,
          input.restriction(one.id, choose.inAnyCase(one.type), one.level, nowMs - one.declaredAgeMs),
          ...one.events.map(({ event, ageMs }, number) =>
            input.restrictionEvent(`${one.id}-${number}`, one.id, { event, occurredAt: input.at(nowMs - ageMs) }),
          ),
        ),
        ...(one.isDeleted ? send(0, input.deletedRestriction(one.id)) : []),
      ]),
      ...decisions.flatMap(({ id, type, outcome, ageMs }) =>
        send(1_000, input.decision('sensitiveInfoType', choose.inAnyCase(type), outcome, nowMs - ageMs, {}, id)),
      ),
    ],
    counts: {
      'ai.data.restricted_label_coverage': {
        carriers: carriers.length,
        labelProtected: count(carriers, (one) => one.isProtected),
        unknown: count(carriers, hasUnknownLabel),
      },
      'ai.data.restriction_decisions': {
        typesInReach: inReach.length,
        decided: count(inReach, (type) => isReported(type) && (isRestricted(type) || isAccepted(type))),
        unknown: count(inReach, (type) => !isReported(type)),
      },
    },
  };
}
