import { expect, test } from 'vitest';
import { createPhraseIndex } from '../src/evidence/personal-data/phrase-index.ts';
import {
  createPseudonymiser as createUnindexed,
  type Pseudonymiser,
} from '../src/evidence/personal-data/pseudonymiser.ts';
import { evidenceSections } from '../src/index.ts';

const secret = Buffer.alloc(32, 7);
const anna = {
  id: '8a0d4c1e-0000-4000-8000-00000000000a',
  displayName: 'Anna Zofia Kowalska',
  aliases: ['anna.kowalska@contoso.example', 's-1-5-21-1-2-3-1104', 'ak_fabrikam.com#ext#@contoso.onmicrosoft.com'],
};
const section = (key: string) => {
  const found = evidenceSections.find((one) => one.key === key);
  if (!found) throw new Error(`no section ${key}`);
  return found;
};
const createPseudonymiser = async (...given: Parameters<typeof createUnindexed>): Promise<Pseudonymiser> => {
  const pseudonymiser = await createUnindexed(...given);
  await pseudonymiser.buildIndex();
  return pseudonymiser;
};
const pseudonymOf = (pseudonymiser: Pseudonymiser, text: string) => pseudonymiser.replaceText(text);

test.each([
  ['her display name', 'Anna Zofia Kowalska'],
  ['her name in capitals', 'ANNA ZOFIA KOWALSKA'],
  ['her name decomposed', 'Anna Zofia Kowalska'.normalize('NFD')],
  ['the last name first', 'Kowalska Anna Zofia'],
  ['the last name first, with a comma', 'Kowalska, Anna Zofia'],
  ['her id', '8A0D4C1E-0000-4000-8000-00000000000A'],
  ['her address', 'Anna.Kowalska@Contoso.example'],
  ['the local part of her address', 'anna.kowalska'],
  ['her address as part of a site', 'anna_kowalska_contoso_example'],
  ['her security identifier', 'S-1-5-21-1-2-3-1104'],
  ['her guest account', 'ak_fabrikam.com#EXT#@contoso.onmicrosoft.com'],
])('a text with %s has her pseudonym instead', async (_, identity) => {
  const pseudonymiser = await createPseudonymiser(secret, [anna]);
  const pseudonym = pseudonymOf(pseudonymiser, 'Anna Zofia Kowalska');
  expect(pseudonym).toMatch(/^person-[0-9a-z]{12}$/);
  for (const [before, after] of [
    ['', ''],
    ['Ask ', ', please'],
    ['(', ')'],
    ['https://contoso-my.example/personal/', '/Documents/plan.docx'],
  ])
    expect(pseudonymOf(pseudonymiser, `${before}${identity}${after}`)).toBe(`${before}${pseudonym}${after}`);
  expect(pseudonymiser.listUsed()).toEqual([
    { pseudonym, ids: [...anna.aliases, anna.id].sort(), names: [anna.displayName] },
  ]);
});

test('a longer word with a name in it is not replaced, nor is a lower-case word that a name has', async () => {
  const pseudonymiser = await createPseudonymiser(secret, [
    { id: 'u1-long-id', displayName: 'Ann Lee', aliases: [] },
    { id: 'u2-long-id', displayName: 'Sales', aliases: [] },
    { id: '12', displayName: null, aliases: [] },
  ]);
  for (const text of ['Joann Lee', 'Ann Leeson', 'sales of 12 files', 'Salesforce'])
    expect(pseudonymOf(pseudonymiser, text)).toBe(text);
  expect(pseudonymOf(pseudonymiser, 'Sales')).toMatch(/^person-/);
});

test('names in scripts without spaces are found inside of sentences', async () => {
  const pseudonymiser = await createPseudonymiser(secret, [{ id: 'u1-long-id', displayName: '王小芳', aliases: [] }]);
  expect(pseudonymOf(pseudonymiser, '请王小芳审批。')).toMatch(/^请person-[0-9a-z]{12}审批。$/);
});

test('a person whom only a row names is replaced in the texts of every row', async () => {
  const pseudonymiser = await createPseudonymiser(secret, [anna]);
  const event = {
    eventId: 'e1',
    event: 'share',
    agentName: "Bob Guest's helper",
    actor: { id: 'bob@fabrikam.example', name: 'Bob Guest', type: 'guest' },
    details: { 'bob@fabrikam.example': ['reader', { by: 'Bob Guest' }], owner: anna.aliases[0] ?? '' },
  };
  pseudonymiser.collect(event);
  await pseudonymiser.buildIndex();
  const replaced = pseudonymiser.replaceRow(section('lifecycle_events'), event);
  const bob = pseudonymOf(pseudonymiser, 'Bob Guest');
  expect(replaced).toEqual({
    eventId: 'e1',
    event: 'share',
    agentName: `${bob}'s helper`,
    actor: { id: bob, name: bob, type: 'guest' },
    details: { [bob]: ['reader', { by: bob }], owner: pseudonymOf(pseudonymiser, anna.id) },
  });
});

const name = 'Ines Unlisted';
const person = { id: 'i1', name };

test.each([
  ...['approvedBy', 'assignedBy', 'assignedUser', 'attestedBy', 'by', 'recordedBy', 'reviewedBy', 'withdrawnBy'].map(
    (member) => [member, name] as const,
  ),
  ...['exemptIds', 'userIds'].map((member) => [member, [name]] as const),
  ...['accountable', 'actor', 'consentedBy', 'creator', 'declaredBy', 'publishedBy'].map(
    (member) => [member, person] as const,
  ),
  ...['entity', 'resource', 'subject'].map((member) => [member, { ...person, type: 'user' }] as const),
  ['topReaders', [person]],
] as const)('a person in no directory has a pseudonym as %s', async (member, value) => {
  const pseudonymiser = await createPseudonymiser(secret, []);
  const row = { [member]: value };
  pseudonymiser.collect(row);
  await pseudonymiser.buildIndex();
  const replaced = JSON.stringify(pseudonymiser.replaceRow(section('lifecycle_events'), row));
  expect(replaced).toContain('person-');
  expect(replaced).not.toMatch(/Ines|i1/);
});

test('programs, policies and resources that are no persons have their own ids and names', async () => {
  const pseudonymiser = await createPseudonymiser(secret, [anna]);
  const row = {
    actor: { id: 'p1', name: 'Block risky agents', kind: 'policy' },
    resource: { type: 'site', id: 's1', name: 'Finance' },
    rungs: [{ rung: 'staged', at: '2026-01-01T00:00:00.000Z', by: 'system' }],
    result: 'staged',
  };
  pseudonymiser.collect(row);
  await pseudonymiser.buildIndex();
  expect(pseudonymiser.replaceRow(section('remediation'), row)).toEqual(row);
  expect(pseudonymiser.listUsed()).toEqual([]);
});

test('two persons of the same name have pseudonyms of their own, and the name alone has a third one', async () => {
  const [one, two] = ['11111111-a', '22222222-b'].map((id) => ({ id, displayName: 'Jan Nowak', aliases: [] }));
  const pseudonymiser = await createPseudonymiser(secret, [one, two] as never);
  const [first, second, named] = ['11111111-a', '22222222-b', 'Jan Nowak'].map((text) =>
    pseudonymOf(pseudonymiser, text),
  );
  expect(new Set([first, second, named]).size).toBe(3);
  const row = { actor: { id: '22222222-b', name: 'Jan Nowak', type: 'user' } };
  expect(pseudonymiser.replaceRow(section('lifecycle_events'), row)).toEqual({
    actor: { id: second, name: second, type: 'user' },
  });
});

test('accounts that are exempt from a restriction have pseudonyms, whether the directory has them or not', async () => {
  const pseudonymiser = await createPseudonymiser(secret, [anna]);
  const row = { restrictionId: 'r1', exemptIds: ['anna.kowalska@contoso.example', 'svc-audit'] };
  pseudonymiser.collect(row);
  await pseudonymiser.buildIndex();
  const replaced = pseudonymiser.replaceRow(section('data_restrictions'), row);
  expect(replaced).toEqual({
    restrictionId: 'r1',
    exemptIds: [pseudonymOf(pseudonymiser, anna.id), expect.stringMatching(/^person-[0-9a-z]{12}$/)],
  });
});

test('a person whom an attestation is about has a pseudonym, whether the directory has them or not', async () => {
  const pseudonymiser = await createPseudonymiser(secret, [anna]);
  const rows = ['user', 'agent'].map((type) => ({ attestationId: 'a1', subject: { type, id: 'emp-0042' } }));
  for (const row of rows) pseudonymiser.collect(row);
  expect(pseudonymiser.replaceRow(section('attestation_history'), rows[0] as never)).toEqual({
    attestationId: 'a1',
    subject: { type: 'user', id: expect.stringMatching(/^person-[0-9a-z]{12}$/) },
  });
});

test('another secret gives other pseudonyms, and unknown addresses have one, too', async () => {
  const [one, two] = await Promise.all([secret, Buffer.alloc(32, 8)].map((key) => createPseudonymiser(key, [anna])));
  if (!one || !two) throw new Error('two are created');
  expect(pseudonymOf(one, anna.id)).not.toBe(pseudonymOf(two, anna.id));
  const written = pseudonymOf(one, 'from eve@evil.example to EVE@evil.example');
  expect(written).toMatch(/^from (person-[0-9a-z]{12}) to \1$/);
});

test('members with names of the prototype survive', async () => {
  const pseudonymiser = await createPseudonymiser(secret, [anna]);
  const row = JSON.parse('{"details":{"__proto__":{"a":"Anna Zofia Kowalska"},"constructor":"x"}}');
  expect(JSON.stringify(pseudonymiser.replaceRow(section('lifecycle_events'), row))).toMatch(
    /^\{"details":\{"__proto__":\{"a":"person-[0-9a-z]{12}"\},"constructor":"x"\}\}$/,
  );
});

test('of two phrases the longer one is replaced', () => {
  const index = createPhraseIndex<string>();
  index.add('Anna Kowalska', 'short');
  index.add('Anna Kowalska-Nowak', 'long');
  expect(index.replace('Anna Kowalska-Nowak and Anna Kowalska', (value) => `<${value}>`)).toBe('<long> and <short>');
});

test('a text that repeats how a thousand names of different lengths begin is searched, too', () => {
  const index = createPhraseIndex<string>();
  for (let times = 1; times <= 1_000; times++) index.add(`${'a '.repeat(times)}z`, `person ${times}`);
  const text = 'a '.repeat(20_000);
  expect(index.replace(text, (person) => person)).toBe(text);
  expect(index.replace('Of a a z and a a a Z.', (person) => person)).toBe('Of person 2 and person 3.');
});

test('texts are searched for 20,000 persons in less than a second of processor time per MB', {
  tags: 'exhaustive',
}, async () => {
  const directory = Array.from({ length: 20_000 }, (_, n) => ({
    id: `8a0d4c1e-0000-4000-8000-${String(n).padStart(12, '0')}`,
    displayName: `Anna Person${n}`,
    aliases: [`anna.person${n}@contoso.example`],
  }));
  const pseudonymiser = await createPseudonymiser(secret, directory);
  pseudonymOf(pseudonymiser, '');
  const text = 'Anna asked the agent about the plan of Anna Person77 and 8a0d4c1e-0000-4000-8000-9. '.repeat(12_500);
  const started = process.cpuUsage();
  pseudonymOf(pseudonymiser, text);
  const { user, system } = process.cpuUsage(started);
  expect(user + system).toBeLessThan(1_000_000);
});
