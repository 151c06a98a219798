import { type EntityKind, listMax, showTime } from '@tenantscope/contract';
import type { Json, JsonObject } from '../json/value.ts';
import { writeJson } from '../json/write.ts';
import type { ColumnValue } from '../record-outcome.ts';
import { aliasesOf } from './aliases.ts';
import { columnsOf } from './columns.ts';
import { entityFactsOf } from './entity-facts.ts';
import { collected, derived, type Facts, followers } from './kinds.ts';
import { domainPart, type StoredPart } from './part.ts';
import { detailFields, listFields } from './served-fields.ts';
import { entityFormatNamed, entityFormats } from './source-format.ts';

/** An entity, complete but for its id, its stamp and when it was first seen. */
export interface MergedEntity {
  /** The sum of its parts' versions: rises with each of them. */
  readonly version: number;
  readonly columns: Readonly<Record<string, ColumnValue>>;
  /** JSON text of the list row's members after firstSeenAt, without braces. */
  readonly members: string;
  readonly detailMembers: string;
  /** JSON text of what rules and evidence count, served or not, without braces. */
  readonly facts: string;
  readonly aliases: readonly string[];
}

/**
 * The entity that parts make: the platform's own record first, then providers' objects in the order of `entityFormats`. A pure function of the
 * set of parts: in which order they arrived leaves no trace. Null while nothing shows that the entity exists.
 */
export function mergeEntity(kind: EntityKind, stored: readonly StoredPart[]): MergedEntity | null {
  const sources = sourcesOf(stored);
  if (!sources.some(({ state }) => state !== null && isShown(state))) return null;
  const present = sources.filter(({ removal, part }) => removal === null || isPrincipal(part));
  const facts = mergedFacts(
    kind,
    present.flatMap(({ state }) => state ?? []),
  );
  const removal =
    sources.find(({ part, state, removal }) => isPrincipal(part) && (removal ?? state) !== null)?.removal ?? null;
  const head = {
    lastSeenAt: showTime(Math.max(...stored.map(({ changedAtMs }) => changedAtMs))),
    deletedAt: removal === null ? null : showTime(removal.changedAtMs),
  };
  const record: Facts = { ...facts, ...head };
  return {
    version: stored.reduce((sum, { version }) => sum + version, 0),
    columns: { is_deleted: removal !== null, ...columnsOf(kind, record) },
    members: membersOf(listFields[kind], record),
    detailMembers: membersOf(detailFields[kind], record),
    facts: entityFactsOf(kind, record),
    aliases: [...new Set([...sources.flatMap(({ state }) => state?.aliases ?? []), ...aliasesOf(kind, record)])].sort(),
  };
}

/** One source object: the greatest state it had, and its removal where that is not older. */
interface Source {
  readonly part: string;
  readonly state: StoredPart | null;
  readonly removal: StoredPart | null;
}

function sourcesOf(stored: readonly StoredPart[]): Source[] {
  const byPart = Map.groupBy(stored, ({ part }) => part);
  return [...byPart]
    .map(([part, both]): Source => {
      const state = both.find(({ isRemoval }) => !isRemoval) ?? null;
      const removal = both.find(({ isRemoval }) => isRemoval) ?? null;
      return {
        part,
        state,
        removal: removal !== null && (state === null || !isOlder(removal, state)) ? removal : null,
      };
    })
    .sort((a, b) => rankOf(a.part) - rankOf(b.part) || (a.part < b.part ? -1 : 1));
}

/** By version, then digest. An object that says of itself that it is gone is not older than itself. */
function isOlder(a: StoredPart, b: StoredPart): boolean {
  return a.version === b.version ? Buffer.compare(a.digest, b.digest) < 0 : a.version < b.version;
}

function formatOf(part: string) {
  const name = entityFormats.find((format) => part === format || part.startsWith(`${format}:`));
  return name === undefined ? null : entityFormatNamed(name);
}

/** Parts that show by themselves that their entity exists, and by their removal that it does not. */
function isPrincipal(part: string): boolean {
  return part === domainPart || (formatOf(part)?.states ?? false);
}

/** A folder is told of as files are, and is none. */
function isShown({ part, facts }: StoredPart): boolean {
  return isPrincipal(part) && facts.isFolder !== true;
}

/** The assignment of an accountable person comes last: an owner that the agent names itself is believed first. */
function rankOf(part: string): number {
  if (part === domainPart) return -1;
  const index = entityFormats.findIndex((format) => part === format || part.startsWith(`${format}:`));
  return index === -1 ? entityFormats.length : index;
}

/** The first that knows a field is believed. Fields that mean something only together are taken from one part. */
function mergedFacts(kind: EntityKind, states: readonly StoredPart[]): Facts {
  const lists: readonly string[] = collected[kind] ?? [];
  const leaders = followers[kind] ?? {};
  const merged: { [name: string]: Json } = {};
  for (const { part, facts } of states) {
    for (const [name, value] of Object.entries(facts)) {
      const isOwn = leaders[name] === undefined && (part === domainPart || !lists.includes(name));
      if (isOwn && value !== null) merged[name] ??= value;
    }
  }
  for (const name of lists) {
    const told = states.filter(({ part }) => part !== domainPart).map(({ facts }) => facts[name]);
    const some = told.filter((list) => Array.isArray(list));
    if (some.length > 0) merged[name] ??= some.flat();
  }
  for (const [name, leader] of Object.entries(leaders)) {
    const knows = states.find(({ facts }) => facts[leader] != null) ?? states.find(({ facts }) => facts[name] != null);
    merged[name] = knows?.facts[name] ?? null;
  }
  return derived(kind, merged);
}

function membersOf(names: readonly string[], record: JsonObject): string {
  const members = names.map((name) => [name, shortened(record[name] ?? null)]);
  return writeJson(Object.fromEntries(members) as JsonObject).slice(1, -1);
}

function shortened(value: Json): Json {
  return Array.isArray(value) ? value.slice(0, listMax) : value;
}
