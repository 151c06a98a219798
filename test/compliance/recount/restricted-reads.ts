import * as events from '../events.ts';
import * as input from '../input-records.ts';
import { type Chooser, count, guid, nowMs, type Part, type Sent, send } from './part.ts';

const { dayMs, hourMs } = input;
const typeIds = ['iban', 'health'] as const;
const levels = ['monitored', 'noAiAccess', 'noAccess'] as const;
type Level = (typeof levels)[number];

/** Since when a restriction has been at its level without interruption; null while it is lifted. */
interface State {
  readonly ageMs: number;
  readonly level: Level | null;
}

/** A restriction, then raised, lowered, lifted and declared again at random. */
function createRestriction(choose: Chooser, index: number) {
  const states: State[] = [{ ageMs: choose.pick([60, 28]) * dayMs + index, level: choose.pick(levels) }];
  for (const day of choose.pick([[], [25], [25, 15], [25, 15, 5], [15, 10, 5]])) {
    const { level } = states.at(-1) as State;
    const next = choose.pick(level === null ? levels : [null, ...levels.filter((one) => one !== level)]);
    states.push({ ageMs: day * dayMs + index, level: next });
  }
  return {
    id: `restriction${index}`,
    type: choose.pick(typeIds),
    states,
    exemptIds: choose.pick([undefined, ['ANNA'], ['gus@contoso.example', 'other']]),
    // A producer may change the record with each event, or leave it as it was declared.
    hasFirstState: choose.happens(50),
  };
}
type Restriction = ReturnType<typeof createRestriction>;

function sendRestriction({ id, type, states, exemptIds, hasFirstState }: Restriction): Sent[] {
  const inForce = states.filter(({ level }) => level !== null);
  const declared = states.filter(({ level }, index) => level !== null && (states[index - 1]?.level ?? null) === null);
  const level = (hasFirstState ? inForce[0] : inForce.at(-1))?.level as Level;
  const declaredAgeMs = (hasFirstState ? declared[0] : declared.at(-1))?.ageMs as number;
  const changes = states.slice(1).map((state, index) => {
    const from = states[index]?.level ?? null;
    const event = state.level === null ? 'lift' : from === null ? 'declare' : 'modify';
    return input.restrictionEvent(`${id}-${index}`, id, {
      event,
      fromLevel: event === 'modify' ? from : undefined,
      toLevel: state.level ?? undefined,
      occurredAt: input.at(nowMs - state.ageMs),
    });
  });
  return send(1_000, input.restriction(id, type, level, nowMs - declaredAgeMs, { exemptIds }), ...changes);
}

/** The greatest age of a read that a restriction excludes: those since it has been at one of these levels. Null where it is not now. */
function excludedAgeMs({ states }: Restriction, excluding: readonly Level[]): number | null {
  let sinceMs: number | null = null;
  for (const { level, ageMs } of states)
    sinceMs = level !== null && excluding.includes(level) ? (sinceMs ?? ageMs) : null;
  return sinceMs;
}

const appIds = { ofAi: guid('d', 1), other: guid('d', 2), unclassified: guid('d', 3), unlisted: guid('d', 4) };
type Program = keyof typeof appIds | 'agent' | null;
const isOfAi = (program: Program): boolean | null => {
  if (program === 'agent' || program === 'ofAi') return true;
  return program === 'unclassified' || program === 'unlisted' ? null : false;
};

const createRead = (choose: Chooser, files: readonly string[]) => ({
  ageMs: choose.near(30, 28, 25, 15, 10, 5),
  file: choose.pick(files),
  reader: choose.pick(['anna', 'gus', 'ben']),
  program: choose.pick<Program>([null, null, null, 'agent', 'ofAi', 'other', 'unclassified', 'unlisted']),
});
type Read = ReturnType<typeof createRead>;

function toReadRecord(choose: Chooser, { ageMs, file, reader, program }: Read): input.InputRecord {
  const atMs = nowMs - ageMs;
  if (program === 'agent')
    return events.interaction(reader, atMs, {
      agentId: choose.inAnyCase('Sales'),
      resources: [{ listItemUniqueId: choose.inAnyCase(file), Type: 'docx' }],
    });
  const through = program === null ? {} : { ApplicationId: choose.inAnyCase(appIds[program]) };
  return events.fileEvent(choose.pick(['FileAccessed', 'FileDownloaded']), file, reader, atMs, through);
}

/** Reads of files with restricted types, by members, guests, apps and agents, around the times of restrictions. */
export function createRestrictedReads(choose: Chooser): Part {
  const restrictions = choose.several([1, 2, 3], (index) => createRestriction(choose, index));
  const files = choose.several([1, 3], (index) => ({
    id: guid('f', index),
    types: typeIds.filter(() => choose.happens(60)),
    isDeleted: choose.happens(20),
  }));
  const reads = choose.several([4, 40], () =>
    createRead(
      choose,
      files.map(({ id }) => id),
    ),
  );
  const isOf = (restriction: Restriction, read: Read) =>
    files.some(({ id, types }) => id === read.file && types.includes(restriction.type));
  const isExcluded = (read: Read, restriction: Restriction, excluding: readonly Level[]) =>
    isOf(restriction, read) && read.ageMs <= (excludedAgeMs(restriction, excluding) ?? -1);
  const recent = reads.filter(({ ageMs }) => ageMs <= 30 * dayMs);
  const excluded = recent.filter((read) =>
    restrictions.some((one) => isExcluded(read, one, ['noAiAccess', 'noAccess'])),
  );
  const isExempt = ({ exemptIds = [] }: Restriction, { reader }: Read) =>
    exemptIds.some((name) => name.toLowerCase().split('@')[0] === reader);
  const forbidden = recent.filter((read) =>
    restrictions.some((one) => isExcluded(read, one, ['noAccess']) && !isExempt(one, read)),
  );
  const atLevels = (...some: readonly Level[]) => count(restrictions, (one) => excludedAgeMs(one, some) !== null);
  const { ofAi, other, unclassified } = appIds;
  return {
    sent: [
      ...send(
        200 * dayMs,
        ...['anna', 'ben'].map((id) => input.user(id)),
        input.guest('gus'),
        input.agent('Sales'),
        input.app('assistant', { appId: ofAi, isAiApp: true }),
        input.app('viewer', { appId: other, isAiApp: false }),
        input.app('unclassified', { appId: unclassified, isAiApp: undefined }),
        ...files.map(({ id, types }) => input.file(id, { sensitiveInfoTypes: types.map((type) => ({ id: type })) })),
      ),
      ...restrictions.flatMap(sendRestriction),
      ...reads.flatMap((one) => send(one.ageMs, toReadRecord(choose, one))),
      ...send(hourMs / 2, ...files.filter((one) => one.isDeleted).map(({ id }) => input.deletedEntity('file', id))),
    ],
    counts: {
      'ai.data.no_ai_reads_of_restricted': {
        restrictionsNoAi: atLevels('noAiAccess', 'noAccess'),
        aiReads: count(excluded, ({ program }) => isOfAi(program) !== false),
        unknown: count(excluded, ({ program }) => isOfAi(program) === null),
      },
      'ai.data.restriction_no_access_violations': {
        restrictionsNoAccess: atLevels('noAccess'),
        reads: forbidden.length,
        externalReads: count(forbidden, ({ reader }) => reader === 'gus'),
      },
    },
  };
}
