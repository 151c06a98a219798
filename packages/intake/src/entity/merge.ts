import { type EntityKind, formatTime, nestedListMax } from '@tenantscope/contract';
import type { Json, JsonObject } from '../json/value.ts';
import { writeJson } from '../json/write-json.ts';
import type { ColumnValue } from '../message/record-outcome.ts';
import { listAliases } from './aliases.ts';
import { auditPart, auditParts } from './audit-part.ts';
import { buildColumns } from './columns.ts';
import { writeEntityFacts } from './entity-facts.ts';
import { addDerivedFields, collectedLists, dependentFields, type Facts } from './merge-rules.ts';
import { detailFields, listFields } from './served-fields.ts';
import { type EntityFormatName, entityFormats, getEntityFormat } from './source-formats.ts';
import { domainPart, type StoredPart } from './stored-part.ts';

/** An entity without its id, its stamp and the time it was first seen. */
export interface MergedEntity {
  /** The sum of its parts' versions: it increases with each of them. */
  readonly version: number;
  readonly columns: Readonly<Record<string, ColumnValue>>;
  /** JSON text of the list row's members after firstSeenAt, without braces. */
  readonly members: string;
  readonly detailMembers: string;
  /**
   * JSON text, without braces, of the members that rules and evidence count, served or not; null where they count nothing: an
   * agent that no inventory reports.
   */
  readonly facts: string | null;
  readonly aliases: readonly string[];
  /** Whether the audit log named it while no inventory reported it. */
  readonly wasSighted: boolean;
}

/**
 * Merges parts into an entity: the platform's own record first, then providers' objects in the order of `entityFormats`. A
 * pure function of the set of parts: their order of arrival has no effect. Null while no part proves that the entity exists.
 */
export function mergeEntity(kind: EntityKind, stored: readonly StoredPart[]): MergedEntity | null {
  const all = groupSources(stored);
  const isReported = all.some(({ state }) => state !== null && showsExistence(state));
  const sighting = all.find(({ part }) => part === auditPart)?.state ?? null;
  if (!isReported && sighting === null) return null;
  // What the log alone shows has no effect once an inventory reports the agent.
  const counted = isReported ? stored.filter(({ part }) => !auditParts.includes(part)) : stored;
  const sources = isReported ? all.filter(({ part }) => !auditParts.includes(part)) : all;
  const present = sources.filter(({ removal, part }) => removal === null || isPrincipal(part));
  const facts = mergeFacts(
    kind,
    present.flatMap(({ state }) => state ?? []),
  );
  const removal = isReported ? findRemoval(sources) : null;
  const head = {
    lastSeenAt: formatTime(sighting && !isReported ? sighting.changedAtMs : findNewestTime(counted)),
    deletedAt: removal === null ? null : formatTime(removal.changedAtMs),
  };
  const record: Facts = { ...facts, ...head };
  const shown = { ...record, evidence: isReported ? 'reported' : 'auditOnly' };
  return {
    version: counted.reduce((sum, { version }) => sum + version, 0),
    columns: { is_deleted: removal !== null, ...buildColumns(kind, shown) },
    members: writeMembers(listFields[kind], shown),
    detailMembers: writeMembers(detailFields[kind], shown),
    facts: isReported ? writeEntityFacts(kind, record) : null,
    aliases: [
      ...new Set([...sources.flatMap(({ state }) => state?.aliases ?? []), ...listAliases(kind, record)]),
    ].sort(),
    wasSighted: sighting !== null,
  };
}

/** The removal of the first part that proves the entity, where that part is removed. */
function findRemoval(sources: readonly Source[]): StoredPart | null {
  return sources.find(({ part, state, removal }) => isPrincipal(part) && (removal ?? state) !== null)?.removal ?? null;
}

/** An entity may have more parts than a call may have arguments. */
const findNewestTime = (parts: readonly StoredPart[]): number =>
  parts.reduce((newest, { changedAtMs }) => Math.max(newest, changedAtMs), 0);

/** One source object: its newest state, and its removal where that is not older. */
interface Source {
  readonly part: string;
  readonly rank: number;
  readonly state: StoredPart | null;
  readonly removal: StoredPart | null;
}

function groupSources(stored: readonly StoredPart[]): Source[] {
  const byPart = new Map<string, { state: StoredPart | null; removal: StoredPart | null }>();
  for (const one of stored) {
    const both = byPart.get(one.part) ?? { state: null, removal: null };
    if (one.isRemoval) both.removal ??= one;
    else both.state ??= one;
    byPart.set(one.part, both);
  }
  return [...byPart]
    .map(
      ([part, { state, removal }]): Source => ({
        part,
        rank: rankPart(part),
        state,
        removal: removal !== null && (state === null || !isOlder(removal, state)) ? removal : null,
      }),
    )
    .sort((a, b) => a.rank - b.rank || (a.part < b.part ? -1 : 1));
}

/** By version, then digest. A removal that is its own state (a soft-deleted object) is not older than itself. */
function isOlder(a: StoredPart, b: StoredPart): boolean {
  return a.version === b.version ? Buffer.compare(a.digest, b.digest) < 0 : a.version < b.version;
}

/** The format of a part, which may have a discriminator after its colon; other parts, such as the platform's own, have none. */
function findFormat(part: string): EntityFormatName | undefined {
  const end = part.indexOf(':');
  const name = end === -1 ? part : part.slice(0, end);
  return ranks.has(name as EntityFormatName) ? (name as EntityFormatName) : undefined;
}

/** Parts that prove that their entity exists, and by their removal that it does not. */
function isPrincipal(part: string): boolean {
  const format = findFormat(part);
  return part === domainPart || (format !== undefined && getEntityFormat(format).provesExistence);
}

/** A folder is reported like a file but is not served. */
function showsExistence({ part, facts }: StoredPart): boolean {
  return isPrincipal(part) && facts.isFolder !== true;
}

/** The assignment of an accountable person comes last: an owner that the agent itself names has precedence. */
function rankPart(part: string): number {
  if (part === domainPart) return -1;
  const format = findFormat(part);
  return format === undefined ? ranks.size : (ranks.get(format) as number);
}

const ranks: ReadonlyMap<EntityFormatName, number> = new Map(entityFormats.map((format, rank) => [format, rank]));

/** The first part that has a field wins. Fields that belong together are taken from one part. */
function mergeFacts(kind: EntityKind, states: readonly StoredPart[]): Facts {
  const lists: readonly string[] = collectedLists[kind] ?? [];
  const keyFields = dependentFields[kind] ?? {};
  const merged: { [name: string]: Json } = {};
  for (const { part, facts } of states) {
    for (const [name, value] of Object.entries(facts)) {
      const isOwn = keyFields[name] === undefined && (part === domainPart || !lists.includes(name));
      if (isOwn && value !== null) merged[name] ??= value;
    }
  }
  const partLists: { [name: string]: readonly (readonly Json[])[] } = {};
  for (const name of lists) {
    const own = merged[name];
    const collected = own === undefined ? collectLists(states, name) : Array.isArray(own) ? [own] : [];
    if (collected.length === 0) continue;
    partLists[name] = collected;
    merged[name] ??= takeFirst(collected, nestedListMax);
  }
  for (const [name, keyField] of Object.entries(keyFields)) {
    const source =
      states.find(({ facts }) => facts[keyField] != null) ?? states.find(({ facts }) => facts[name] != null);
    merged[name] = source?.facts[name] ?? null;
  }
  return addDerivedFields(kind, merged, partLists);
}

function collectLists(states: readonly StoredPart[], name: string): (readonly Json[])[] {
  return states.flatMap(({ part, facts }) => {
    const list = part === domainPart ? undefined : facts[name];
    return Array.isArray(list) ? [list as readonly Json[]] : [];
  });
}

/** The first items of several lists: more are not served. */
function takeFirst(lists: readonly (readonly Json[])[], count: number): readonly Json[] {
  const first: Json[] = [];
  for (const list of lists) {
    if (first.length >= count) break;
    first.push(...list.slice(0, count - first.length));
  }
  return first;
}

function writeMembers(names: readonly string[], record: JsonObject): string {
  const members = names.map((name) => [name, shorten(record[name] ?? null)]);
  return writeJson(Object.fromEntries(members) as JsonObject).slice(1, -1);
}

function shorten(value: Json): Json {
  return Array.isArray(value) ? value.slice(0, nestedListMax) : value;
}
