import { scheduler } from 'node:timers/promises';
import type { Json, JsonObject } from '@tenantscope/proof';
import type { DirectoryPerson } from '@tenantscope/store/compliance';
import type { EvidenceSection } from '../../catalogue/evidence.ts';
import { isAboutAccounts } from '../../findings/subjects.ts';
import { addressPattern } from './mask-personal-data.ts';
import { replacePersons } from './person-references.ts';
import { createPhraseIndex, type PhraseIndex } from './phrase-index.ts';
import { createPseudonyms, type Person, type Pseudonyms } from './pseudonyms.ts';

/** Replaces the persons of one pack. Every row is collected, then the index is built, then rows and texts are replaced. */
export interface Pseudonymiser {
  /** Records the persons whom a row names, so that they are found in the texts of every row. */
  collect(row: JsonObject): void;
  buildIndex(): Promise<void>;
  replaceRow(section: EvidenceSection, row: JsonObject): JsonObject;
  replaceText(text: string): string;
  /** Pseudonyms that were written, with the identifiers behind them, in the order of the pseudonyms. */
  listUsed(): PseudonymEntry[];
}

export type PseudonymEntry = {
  readonly pseudonym: string;
  readonly ids: readonly string[];
  readonly names: readonly string[];
};

/** After this many persons the event loop gets control again: 100,000 take 5 s to index and 350 MB. */
const personsAtOnce = 500;

export async function createPseudonymiser(
  secret: Buffer,
  directory: readonly DirectoryPerson[],
): Promise<Pseudonymiser> {
  const pseudonyms = createPseudonyms(secret);
  await forEachYielding(directory, pseudonyms.addAccount);
  const used = new Set<Person>();
  const index = createPhraseIndex<Person>();
  const resolve = (id: string | null, name: string | null): Person | null => {
    const person = pseudonyms.resolve(id, name);
    if (person) used.add(person);
    return person;
  };
  const write = (person: Person): string => {
    used.add(person);
    return person.pseudonym;
  };
  const replaceText = (text: string): string =>
    rewriteText(text, index, (identifier) => resolve(identifier, null)?.pseudonym ?? identifier, write);
  return {
    collect(row) {
      for (const [name, value] of Object.entries(row))
        replacePersons(value, pseudonyms.resolve, (text) => text, findPlace(row, name));
    },
    buildIndex: () => forEachYielding(pseudonyms.persons(), (person) => indexPerson(index, pseudonyms, person)),
    replaceRow(section, row) {
      const closed = listClosedMembers(section);
      const members = Object.entries(row).map(([name, value]): [string, Json] => [
        name,
        closed.has(name) ? value : replacePersons(value, resolve, replaceText, findPlace(row, name)),
      ]);
      return Object.fromEntries(members);
    },
    replaceText,
    listUsed() {
      return [...used]
        .map(({ pseudonym, ids, names }) => ({ pseudonym, ids: [...ids].sort(), names: [...names].sort() }))
        .sort((left, right) => (left.pseudonym < right.pseudonym ? -1 : 1));
    },
  };
}

/** The member that a value stands for: subjects of an exception have no type, but their requirement is about one. */
const findPlace = ({ requirementKey }: JsonObject, name: string): string =>
  name === 'subjectIds' && typeof requirementKey === 'string' && isAboutAccounts(requirementKey) ? 'userIds' : name;

/** Addresses and security identifiers of accounts are found by their form, also of persons who are in no directory. */
const identifierPattern = new RegExp(
  [addressPattern.source, String.raw`S-1-(?:5-21|12-1)(?:-\d{1,10}){3,5}`].join('|'),
  'giu',
);
const identifierHint = /@|S-1-/i;
/** The owner's part of the address of a OneDrive. */
const sitePattern = /(?<=\/personal\/)[^/?#\s"]{1,256}/giu;

/** First identifiers by their form, then known persons in the texts between them. */
function rewriteText(
  text: string,
  index: PhraseIndex<Person>,
  writeIdentifier: (identifier: string) => string,
  writePerson: (person: Person) => string,
): string {
  const replaceNames = (part: string) =>
    index.replace(part, writePerson, (rest) => rest.replace(sitePattern, writeIdentifier));
  if (!identifierHint.test(text)) return replaceNames(text);
  let written = '';
  let copied = 0;
  for (const { index: at, 0: identifier } of text.matchAll(identifierPattern)) {
    const person = index.find(identifier);
    written += replaceNames(text.slice(copied, at));
    written += person === null ? writeIdentifier(identifier) : writePerson(person);
    copied = at + identifier.length;
  }
  return written + replaceNames(text.slice(copied));
}

function indexPerson(index: PhraseIndex<Person>, pseudonyms: Pseudonyms, person: Person): void {
  for (const id of person.ids) for (const form of listIdForms(id)) index.add(form, person);
  for (const name of person.names) {
    const named = pseudonyms.findByName(name) ?? person;
    for (const form of listNameForms(name)) index.add(form.text, named, { asWritten: form.asWritten });
  }
}

async function forEachYielding<Item>(items: Iterable<Item>, apply: (item: Item) => void): Promise<void> {
  let count = 0;
  for (const item of items) {
    apply(item);
    if (++count % personsAtOnce === 0) await scheduler.yield();
  }
}

/**
 * An address occurs in paths without its domain, and in addresses of sites with underscores for its other characters.
 * Short numbers occur in any text.
 */
function listIdForms(id: string): string[] {
  if (id.length < 3 || /^\d{1,5}$/.test(id)) return [];
  const [local = '', domain] = id.split('@');
  if (domain === undefined) return [id];
  return [id, id.replace(/[^\p{L}\p{N}]/gu, '_'), ...(/[\p{L}\p{N}][._-][\p{L}\p{N}]/u.test(local) ? [local] : [])];
}

/** Texts name persons in either order. A single word in lower case could be any word. */
function listNameForms(name: string): { readonly text: string; readonly asWritten: boolean }[] {
  const parts = name.split(/[\s,]+/u).filter(Boolean);
  if (parts.length < 2) return /[^\p{Ll}]/u.test(name) ? [{ text: name, asWritten: true }] : [];
  const [last = '', others] = [parts.at(-1), parts.slice(0, -1).join(' ')];
  const [first = '', rest] = [parts[0], parts.slice(1).join(' ')];
  const forms = [name, parts.join(' '), `${last} ${others}`, `${last}, ${others}`, `${rest} ${first}`];
  return [...new Set(forms)].map((text) => ({ text, asWritten: false }));
}

const closedMembers = new Map<string, ReadonlySet<string>>();

/** Members of the section with values of a closed list, times and numbers: no person's name may be found in them. */
function listClosedMembers({ key, fields }: EvidenceSection): ReadonlySet<string> {
  const cached = closedMembers.get(key);
  if (cached) return cached;
  const closed = fields.filter(({ type }) => isClosedType(type)).map(({ name }) => name);
  const members = new Set(closed);
  closedMembers.set(key, members);
  return members;
}

const openTypes = new Set(['string', 'object', 'array']);
const isClosedType = (type: string): boolean =>
  !type.split(/[^a-zA-Z]+/).some((word) => openTypes.has(word)) && !/[{]/.test(type);
