import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { generateSigningKey, parseSigningKey } from '@tenantscope/proof';
import { beforeAll, expect, test } from 'vitest';
import { createCertificate, verifyCertificate } from '../src/commands/directory/erasure-certificate.ts';

const at = '2026-11-20T08:00:00.000Z';
const facts = {
  tenant: { id: '0f9d5a3e-6b1c-4d7e-8a2f-3c4b5d6e7f80', organizationId: null, closedAt: at, erasedAt: at },
  erasure: { begunAt: at, finishedAt: at, tables: [{ table: 'models.audit_log', rows: 12 }] },
  topics: [],
  backupDays: 30,
};
let folder: string;
let keys: string;
let written: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'erasure-'));
  const signing = await parseSigningKey(await generateSigningKey(), 'one');
  const other = await parseSigningKey(await generateSigningKey(), 'other');
  keys = join(folder, 'jwks.json');
  await writeFile(keys, JSON.stringify({ keys: [signing.public, other.public] }));
  written = `${JSON.stringify(await createCertificate(facts as never, signing), null, 2)}\n`;
});

async function verify(text: string) {
  const file = join(folder, 'erasure.json');
  await writeFile(file, text);
  return verifyCertificate(file, { keys });
}

test('a certificate is valid as it was written and with other white space', async () => {
  for (const text of [written, JSON.stringify(JSON.parse(written)), written.replaceAll('\n', '\r\n')])
    expect((await verify(text)).document).toMatchObject({ valid: true, tenant: facts.tenant.id, key: 'one' });
});

test('a certificate with a repeated or an added member is refused: the signature does not cover it', async () => {
  const altered = [
    written.replace('"tables":', '"tables": [], "tables":'),
    written.replace('"certificate":', '"certificate": {}, "certificate":'),
    written.replace('"signature":', '"note": "nothing is left", "signature":'),
  ];
  for (const text of altered) await expect(verify(text)).rejects.toThrow('was altered');
});

test('a certificate that names another key than its signature is not valid', async () => {
  const { document, problems } = await verify(written.replace('"kid": "one"', '"kid": "other"'));
  expect(document).toMatchObject({ valid: false });
  expect(problems).toHaveLength(1);
});
