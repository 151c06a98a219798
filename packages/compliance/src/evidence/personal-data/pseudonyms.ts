import { createHmac } from 'node:crypto';
import type { DirectoryPerson } from '@tenantscope/store/compliance';

/** A person, by everything in the pack or the directory that identifies them. */
export interface Person {
  /** Derived when it is needed: a pack names few of the persons of a large directory. */
  readonly pseudonym: string;
  /** Ids, sign-in names and addresses. */
  readonly ids: Set<string>;
  readonly names: Set<string>;
}

/** Persons of one pack. The same secret gives the same pseudonyms; without it nothing leads from one to the person. */
export interface Pseudonyms {
  addAccount(account: DirectoryPerson): void;
  /** The person at a place where a row names one; null if there is neither id nor name. */
  resolve(id: string | null, name: string | null): Person | null;
  /** Everyone in the directory and everyone resolved so far. */
  persons(): Iterable<Person>;
  /** The person with this display name; one that stands for the name, if several have it. */
  findByName(name: string): Person | undefined;
}

export function createPseudonyms(secret: Buffer): Pseudonyms {
  const byId = new Map<string, Person>();
  const byName = new Map<string, Person>();
  const persons = new Map<string, Person>();

  function obtain(key: string): Person {
    const existing = persons.get(key);
    if (existing) return existing;
    let pseudonym: string | undefined;
    const person = {
      get pseudonym() {
        pseudonym ??= derivePseudonym(secret, key);
        return pseudonym;
      },
      ids: new Set<string>(),
      names: new Set<string>(),
    };
    persons.set(key, person);
    return person;
  }
  function addId(person: Person, id: string): void {
    person.ids.add(id);
    if (!byId.has(toKey(id))) byId.set(toKey(id), person);
  }
  function addName(person: Person, name: string): void {
    person.names.add(name);
    const key = toKey(name);
    const same = byName.get(key) ?? person;
    const shared = same === person ? person : obtain(`name:${key}`);
    shared.names.add(name);
    byName.set(key, shared);
  }

  return {
    addAccount({ id, displayName, aliases }) {
      const person = obtain(`id:${toKey(id)}`);
      for (const one of [id, ...aliases]) addId(person, one);
      if (displayName) addName(person, displayName);
    },
    resolve(id, name) {
      if (id) {
        const person = byId.get(toKey(id)) ?? obtain(`id:${toKey(id)}`);
        addId(person, id);
        if (name) addName(person, name);
        return person;
      }
      if (!name) return null;
      const existing = byId.get(toKey(name)) ?? byName.get(toKey(name));
      if (existing) return existing;
      const person = obtain(`name:${toKey(name)}`);
      addName(person, name);
      return person;
    },
    persons: () => persons.values(),
    findByName: (name) => byName.get(toKey(name)),
  };
}

const toKey = (identifier: string): string => identifier.normalize('NFC').toLowerCase();

/** 60 bits: two of a million persons share one with a probability below 10^-6. */
function derivePseudonym(secret: Buffer, key: string): string {
  const digest = createHmac('sha256', secret).update(key).digest();
  return `person-${[...digest.subarray(0, 12)].map((byte) => alphabet[byte % 32]).join('')}`;
}

/** Crockford base 32: no letter is taken for a digit. */
const alphabet = '0123456789abcdefghjkmnpqrstvwxyz';
