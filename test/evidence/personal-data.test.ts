import {
  canonicalize,
  decryptWith,
  generateRecipientKey,
  generateSigningKey,
  parseSigningKey,
  verifyPack,
} from '@tenantscope/proof';
import { afterAll, beforeAll, expect, test } from 'vitest';
import * as events from '../compliance/events.ts';
import { type FactDatabase, newTenantId, openFactDatabase } from '../compliance/fact-database.ts';
import * as input from '../compliance/input-records.ts';
import { reportedChange, reportedLifecycle } from './evidence-records.ts';
import { earlierMs, goldenRecords, noonMs } from './golden-records.ts';
import { findSection, type Pack, readPack, writePackBytes } from './packs.ts';

const { dayMs, hourMs, at } = input;
const window = { fromMs: noonMs - 183 * dayMs, toMs: noonMs };
const tenantId = newTenantId();

const zofia = {
  id: '8a0d4c1e-1111-4000-8000-00000000000a',
  displayName: 'Zofia Wiśniewska',
  userPrincipalName: 'zofia.wisniewska@contoso.example',
  mail: 'z.wisniewska@contoso.example',
  proxyAddresses: ['SMTP:z.wisniewska@contoso.example', 'smtp:zw@contoso.example'],
};
const eve = { id: 'eve@fabrikam.example', name: 'Eve Outsider' };
const instructions = `Ask Zofia Wiśniewska (zofia.wisniewska@contoso.example), PESEL 44051401359, or ${eve.name}. password: hunter22`;

let facts: FactDatabase;

beforeAll(async () => {
  facts = await openFactDatabase();
  const { id, ...members } = zofia;
  await facts.ingest(tenantId, earlierMs, [
    ...goldenRecords,
    input.user(id, members),
    input.agent('named', {
      displayName: "Zofia Wiśniewska's helper",
      description: 'Write to zw@contoso.example',
      creatorId: id,
      creatorName: zofia.displayName,
      ownerId: id,
      ownerName: zofia.displayName,
      ownerSource: 'nativeOwner',
      instructions,
    }),
    reportedChange('personal', 'named', earlierMs, { currentText: instructions, currentHash: 'a'.repeat(64) }),
    reportedLifecycle('shared', 'named', 'share', earlierMs, {
      actor: { id: eve.id, name: eve.name, type: 'guest' },
      details: {
        sharedWith: [zofia.mail],
        site: 'https://contoso-my.example/personal/zofia_wisniewska_contoso_example/plan',
        instructions,
        [zofia.userPrincipalName]: 'reader',
      },
    }),
  ]);
  await facts.ingest(tenantId, noonMs, [
    events.interaction(id, noonMs - hourMs, { agentId: 'named', resources: [{ Id: 'plan', Name: 'plan.docx' }] }),
  ]);
});
afterAll(() => facts[Symbol.asyncDispose]());

const pseudonymised = (secret: number, recipientKey: string | null = null) => ({
  ...window,
  pseudonymisation: { secret: Buffer.alloc(32, secret), recipientKey },
});

const accountable = (pack: Pack) =>
  findSection(pack, 'inventory').rows.find(({ agentId }: Pack) => agentId === 'named').accountable;

test('a pack masks addresses and national ids in instructions, descriptions and purposes, and names persons elsewhere', async () => {
  const pack = await readPack(facts, tenantId, window);
  const masked = `Ask Zofia Wiśniewska ([mail address removed]), PESEL [national id removed], or ${eve.name}. password: [removed]`;
  const row = (key: string, id: string) => findSection(pack, key).rows.find((one: Pack) => one.agentId === id);
  expect(row('instruction_changes', 'named').currentText).toBe(masked);
  expect(row('instruction_changes', 'named').currentHash).toBe('a'.repeat(64));
  expect(row('inventory', 'named').description).toBe('Write to [mail address removed]');
  expect(row('fria_systems', 'named').purpose).toEqual({ text: masked, source: 'instructions' });
  const { details } = findSection(pack, 'lifecycle_events').rows.find((one: Pack) => one.agentId === 'named');
  expect(details.instructions).toBe(masked);
  // With whom it was shared is evidence.
  expect(details.sharedWith).toEqual([zofia.mail]);
  expect(accountable(pack)).toMatchObject({ userId: zofia.id, name: zofia.displayName });
});

test('no identity of the tenant is in a pseudonymised pack', async () => {
  const identities = await facts.read(tenantId, async (client) => {
    const { rows } = await client.query(
      `select id as one from models.entity_fact where tenant_id = $1 and kind = 'user'
       union select facts ->> 'displayName' from models.entity_fact where tenant_id = $1 and kind = 'user'
       union select alias from models.entity_alias where tenant_id = $1 and kind = 'user'`,
      [tenantId],
    );
    return [
      ...rows.map(({ one }) => String(one)),
      eve.id,
      eve.name,
      'Wiśniewska',
      'wisniewska',
      'hunter22',
      '44051401359',
    ];
  });
  expect(identities.length).toBeGreaterThan(10);
  const named = (await writePackBytes(facts, tenantId, window)).toString().toLowerCase();
  expect(identities.filter((one) => named.includes(one.toLowerCase())).length).toBeGreaterThan(7);
  const text = (await writePackBytes(facts, tenantId, pseudonymised(1))).toString().toLowerCase();
  const findWord = (one: string) =>
    new RegExp(
      `(?<![\\p{L}\\p{N}])${one.toLowerCase().replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}(?![\\p{L}\\p{N}])`,
      'u',
    ).exec(text);
  expect(identities.flatMap((one) => findWord(one) ?? [])).toEqual([]);
});

test('a person has the same pseudonym everywhere in a pack and another one in another pack', async () => {
  const [one, again, other] = await Promise.all(
    [1, 1, 2].map((secret) => readPack(facts, tenantId, pseudonymised(secret))),
  );
  const { userId, name } = accountable(one);
  expect(userId).toMatch(/^person-[0-9a-z]{12}$/);
  expect(name).toBe(userId);
  const shared = findSection(one, 'lifecycle_events').rows.find((row: Pack) => row.agentId === 'named');
  expect(shared.details.sharedWith).toEqual([userId]);
  expect(findSection(one, 'instruction_changes').rows.find((row: Pack) => row.agentId === 'named').currentText).toBe(
    `Ask ${userId} ([mail address removed]), PESEL [national id removed], or ${shared.actor.id}. password: [removed]`,
  );
  expect(shared.details.site).toBe(`https://contoso-my.example/personal/${userId}/plan`);
  expect(accountable(again).userId).toBe(userId);
  expect(accountable(other).userId).not.toBe(userId);
});

test('a pseudonymised pack differs from the named one only in its texts', async () => {
  const [named, one] = [await readPack(facts, tenantId, window), await readPack(facts, tenantId, pseudonymised(1))];
  const blank = (value: Pack): Pack =>
    typeof value === 'string'
      ? ''
      : Array.isArray(value)
        ? value.map(blank)
        : typeof value === 'object' && value !== null
          ? // Members are sorted by name, and a name may be a person.
            Object.values(value)
              .map((member) => JSON.stringify(blank(member)))
              .sort()
          : value;
  for (const [index, section] of named.sections.entries()) {
    expect(one.sections[index].key).toBe(section.key);
    expect(one.sections[index].rows.map((row: Pack) => Object.keys(row))).toEqual(
      section.rows.map((row: Pack) => Object.keys(row)),
    );
    expect(blank(one.sections[index].rows)).toEqual(blank(section.rows));
  }
  expect(one.metadata.query.pseudonymise).toBe(true);
  expect(named.metadata.query.pseudonymise).toBe(false);
});

test('the key to the pseudonyms is a signed section that only the recipient opens', async () => {
  const { privateJwk, publicKey } = await generateRecipientKey();
  const key = await parseSigningKey(await generateSigningKey());
  const signing = { key, keysUrl: 'https://tenantscope.example/keys' };
  const bytes = await writePackBytes(facts, tenantId, { ...pseudonymised(3, publicKey), signing });
  expect(await verifyPack(bytes, { keys: [key.public] })).toMatchObject({ sound: true, signature: 'valid' });
  const pack = JSON.parse(bytes.toString()).data;
  expect(pack.sections.at(-1).key).toBe('pseudonym_key');
  const [row] = findSection(pack, 'pseudonym_key').rows;
  const opened = JSON.parse(await decryptWith(privateJwk, row.jwe));
  expect(opened).toMatchObject({ tenantId, generatedAt: at(noonMs) });
  expect(opened.pseudonyms).toHaveLength(row.pseudonymCount);
  expect(opened.pseudonyms.find(({ pseudonym }: Pack) => pseudonym === accountable(pack).userId)).toEqual({
    pseudonym: accountable(pack).userId,
    ids: [zofia.id, zofia.mail, zofia.userPrincipalName, 'zw@contoso.example'].sort(),
    names: [zofia.displayName],
  });
  // Everyone who is named in the key is in the pack.
  for (const { pseudonym } of opened.pseudonyms) expect(bytes.includes(pseudonym)).toBe(true);
  const altered = canonicalize({ data: { ...pack, sections: pack.sections.slice(0, -1) } });
  expect(await verifyPack(Buffer.from(altered), { keys: [key.public] })).toMatchObject({ sound: false });
});
