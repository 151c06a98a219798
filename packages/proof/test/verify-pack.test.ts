import fc from 'fast-check';
import { beforeAll, expect, test } from 'vitest';
import {
  canonicalize,
  createIntegrity,
  createManifest,
  digestJson,
  generateSigningKey,
  type JsonObject,
  type KeySet,
  type PackVerdict,
  parseSigningKey,
  type SigningKey,
  verifyPack,
} from '../src/index.ts';

let key: SigningKey;
let keys: KeySet;
let signed: Buffer;
let unsigned: Buffer;

beforeAll(async () => {
  key = await parseSigningKey(await generateSigningKey());
  keys = { keys: [key.public] };
  signed = await sentPack({ key, keysUrl: 'https://scope.example/api/v1/evidence/jwks.json' });
  unsigned = await sentPack(null);
});

const rows = [
  { name: 'Zażółć 😀 "quoted"\n', count: 3, share: 0.125, at: null },
  { name: 'Plain', count: 0, share: -1e-7, at: '2026-11-01T00:00:00.000Z' },
];

async function sentPack(
  signing: { key: SigningKey; keysUrl: string } | null,
  change: JsonObject = {},
): Promise<Buffer> {
  const section = async (name: string, of: JsonObject[]) => ({
    key: name,
    rows: of,
    rowCount: of.length,
    sha256: await digestJson(of),
  });
  const pack = {
    packType: 'tenantscope.agent_evidence_pack',
    version: '1.0.0',
    metadata: { tenantName: 'Larkspur', retention: { logHistoryDays: 12 } },
    frameworks: [{ id: 'DORA-28', name: 'DORA' }],
    sections: [await section('inventory', rows), await section('permissions', [])],
    ...change,
  };
  const integrity = await createIntegrity(await createManifest(pack), signing);
  return Buffer.from(canonicalize({ data: { ...pack, integrity } }));
}

const members = (verdict: PackVerdict) => (verdict.sound ? [] : verdict.faults.map((fault) => fault.member));

test('an unchanged pack is sound, signed or unsigned', async () => {
  const { packSha256, packId } = JSON.parse(signed.toString()).data.integrity;
  expect(await verifyPack(signed, keys)).toEqual({ sound: true, signature: 'valid', kid: key.kid, packId, packSha256 });
  expect(await verifyPack(signed, null)).toMatchObject({ sound: true, signature: 'unchecked', kid: key.kid });
  expect(await verifyPack(unsigned, null)).toMatchObject({ sound: true, signature: 'absent', kid: null });
});

test('when keys are given, a pack without a signature or signed by another key is not sound', async () => {
  expect(members(await verifyPack(unsigned, keys))).toEqual(['integrity.signature']);
  const other = await parseSigningKey(await generateSigningKey());
  expect(await verifyPack(signed, { keys: [other.public] })).toMatchObject({
    sound: false,
    faults: [{ member: 'integrity.signature', reason: `no key ${key.kid} among the given ones` }],
  });
});

test('every single altered byte of a signed pack is found', { tags: 'exhaustive' }, async () => {
  for (let at = 0; at < signed.length; at += 1)
    for (const flip of [0x01, 0x20, 0x80]) {
      const altered = Buffer.from(signed);
      altered[at] = (altered[at] ?? 0) ^ flip;
      const verdict = await verifyPack(altered, keys);
      expect(verdict.sound, `byte ${at} ^ ${flip}: ${altered.subarray(at - 20, at + 20)}`).toBe(false);
    }
});

test('every single altered byte of a pack without a signature is found by its digests', {
  tags: 'exhaustive',
}, async () => {
  for (let at = 0; at < unsigned.length; at += 1) {
    const altered = Buffer.from(unsigned);
    altered[at] = (altered[at] ?? 0) ^ 0x01;
    expect((await verifyPack(altered, null)).sound, `byte ${at}`).toBe(false);
  }
});

test('every changed, added or removed byte is found, and no bytes make the verifier throw', {
  tags: 'exhaustive',
}, async () => {
  await fc.assert(
    fc.asyncProperty(fc.nat(signed.length), fc.nat(3), fc.uint8Array({ maxLength: 4 }), async (at, gone, put) => {
      const altered = Buffer.concat([signed.subarray(0, at), put, signed.subarray(at + gone)]);
      fc.pre(!altered.equals(signed));
      expect((await verifyPack(altered, keys)).sound).toBe(false);
    }),
    { numRuns: 2_000 },
  );
  await fc.assert(
    fc.asyncProperty(
      fc.oneof(
        fc.uint8Array(),
        fc.json().map((text) => Buffer.from(text)),
      ),
      async (bytes) => {
        expect((await verifyPack(bytes, keys)).sound).toBe(false);
      },
    ),
  );
});

const altered = (find: string | RegExp, put: string, of = signed) => {
  const text = of.toString().replace(find, put);
  expect(text).not.toBe(of.toString());
  return Buffer.from(text);
};

test('the verdict names the member or section that differs', async () => {
  expect(members(await verifyPack(altered('Larkspur', 'Larkspun'), keys))).toEqual(['metadata']);
  expect(members(await verifyPack(altered('"DORA"', '"NIS2"'), keys))).toEqual(['frameworks']);
  expect(members(await verifyPack(altered('"count":3', '"count":4'), keys))).toEqual([
    'sections.inventory.rows',
    'sections.inventory',
  ]);
  expect(members(await verifyPack(altered('jwks.json', 'jwkz.json'), keys))).toEqual(['integrity.signature']);
});

test.each([
  ['white space', '"count":3', '"count": 3', 'sections.inventory.rows[0].count'],
  ['a duplicate name', '"count":3', '"count":3,"count":3', 'sections.inventory.rows[0].name'],
  ['an unnecessary escape', 'Larkspur', '\\u004carkspur', 'metadata.tenantName'],
  ['a number in another notation', '"share":0.125', '"share":1.25e-1', 'sections.inventory.rows[0].share'],
  ['a number beyond 2^53 - 1', '"count":3', '"count":9007199254740993', 'sections.inventory.rows[0].count'],
  ['half of a surrogate pair', 'Larkspur', '\\ud83d', 'metadata.tenantName'],
])('%s is rejected with its path', async (_, find, put, member) => {
  expect(members(await verifyPack(altered(find, put), keys))).toEqual([member]);
});

test('another order of members is rejected', async () => {
  const { version, ...rest } = JSON.parse(signed.toString()).data;
  const verdict = await verifyPack(Buffer.from(JSON.stringify({ data: { version, ...rest } })), keys);
  expect(verdict).toMatchObject({
    sound: false,
    faults: [{ reason: expect.stringContaining('differs from the canonical text') }],
  });
});

test('a byte order mark, a trailing line break and invalid UTF-8 are rejected', async () => {
  const mark = Buffer.from([0xef, 0xbb, 0xbf]);
  for (const bytes of [Buffer.concat([mark, signed]), Buffer.concat([signed, Buffer.from('\n')]), Buffer.from([0xff])])
    expect((await verifyPack(bytes, keys)).sound).toBe(false);
});

test('members that no digest covers are rejected even if everything else is valid', async () => {
  const body = JSON.parse(unsigned.toString());
  const with_ = (change: (copy: typeof body) => void) => {
    const copy = structuredClone(body);
    change(copy);
    return verifyPack(Buffer.from(canonicalize(copy)), null);
  };
  expect(members(await with_((copy) => (copy.data.note = 'x')))).toEqual(['note']);
  expect(members(await with_((copy) => (copy.pagination = null)))).toEqual(['pagination']);
  expect(members(await with_((copy) => (copy.data.integrity.note = 'x')))).toEqual(['integrity.note']);
  expect(members(await with_((copy) => (copy.data.integrity.keysUrl = 'https://elsewhere.example')))).toEqual([
    'integrity.keysUrl',
  ]);
  expect(members(await with_((copy) => copy.data.sections.reverse()))).toEqual(['integrity.manifest[4]']);
  expect(members(await with_((copy) => copy.data.sections.pop()))).toEqual(['integrity.manifest']);
  expect(members(await with_((copy) => delete copy.data.version))).toEqual(['version']);
});

test('a row count that differs from the number of rows is rejected even if the digests match', async () => {
  const section = { key: 'inventory', rows, rowCount: 3, sha256: await digestJson(rows) };
  const bytes = await sentPack(null, { sections: [section] });
  expect(members(await verifyPack(bytes, null))).toEqual(['sections.inventory.rowCount']);
});

test('a section without a key is rejected even if the digests match', async () => {
  const bytes = await sentPack(null, { sections: [{ rows, rowCount: 2, sha256: await digestJson(rows) }] });
  expect(members(await verifyPack(bytes, null))).toEqual(['sections[0].key']);
});

test('a document of another kind is rejected', async () => {
  const bytes = await sentPack(null, { packType: 'tenantscope.something_else' });
  expect(members(await verifyPack(bytes, null))).toEqual(['packType']);
});
