import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { checkout } from '@tenantscope/local';
import {
  canonicalize,
  createIntegrity,
  createManifest,
  generateRecipientKey,
  generateSigningKey,
  parseSigningKey,
  type SigningKey,
} from '@tenantscope/proof';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import * as events from '../compliance/events.ts';
import { type FactDatabase, newTenantId, openFactDatabase } from '../compliance/fact-database.ts';
import * as input from '../compliance/input-records.ts';
import { preparePython } from '../mcp/python-environment.ts';
import { earlierMs, goldenRecords, noonMs } from './golden-records.ts';
import { type Pack, writePackBytes } from './packs.ts';

const execute = promisify(execFile);
const page = 'docs/operations/verify-evidence.md';
/** Programs of pages that verify a pack. */
const programs = [
  { name: 'the program of the page in python', page, block: 'python', file: 'verify.py' },
  { name: 'the program of the page in js', page, block: 'js', file: 'verify.mjs' },
  { name: 'the Python client', page: 'clients/python/README.md', block: 'python verify', file: 'client.py' },
] as const;
const keysUrl = 'https://tenantscope.example/evidence/jwks.json';

let facts: FactDatabase;
let directory: string;
let key: SigningKey;
let packs: readonly Buffer[];

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'tenantscope-verify-'));
  facts = await openFactDatabase();
  key = await parseSigningKey(await generateSigningKey());
  const tenantId = newTenantId();
  await facts.ingest(tenantId, earlierMs, [
    ...goldenRecords,
    input.agent('odd', { displayName: 'Zażółć \u2028 \u007f \u0001 "\\" 💡', description: '\ud83d\udca1' }),
  ]);
  await facts.ingest(tenantId, noonMs, [events.interaction('anna', noonMs - input.hourMs, { agentId: 'odd' })]);
  const options = { fromMs: noonMs - 183 * input.dayMs, toMs: noonMs, signing: { key, keysUrl } };
  const { publicKey } = await generateRecipientKey();
  const pseudonymisation = { secret: Buffer.alloc(32, 1), recipientKey: publicKey };
  packs = [
    await writePackBytes(facts, tenantId, options),
    await writePackBytes(facts, tenantId, { ...options, pseudonymisation }),
  ];
  await writeFile(join(directory, 'jwks.json'), JSON.stringify({ keys: [key.public] }));
});
afterAll(async () => {
  await facts?.[Symbol.asyncDispose]();
  await rm(directory, { recursive: true, force: true });
});

/** Saves the program of a page. */
async function extractProgram({ page, block, file }: (typeof programs)[number]): Promise<string> {
  const text = await readFile(join(checkout, page), 'utf8');
  const blocks = [...text.matchAll(new RegExp(`^\`\`\`${block}\\n([\\s\\S]*?)^\`\`\`$`, 'gm'))];
  expect(blocks).toHaveLength(1);
  const path = join(directory, file);
  await writeFile(path, blocks[0]?.[1] ?? '');
  return path;
}

const sign = async (pack: Pack, by: SigningKey | null): Promise<Buffer> => {
  const integrity = await createIntegrity(await createManifest(pack), by && { key: by, keysUrl });
  return Buffer.from(canonicalize({ data: { ...pack, integrity } }));
};

/** What someone without the key can make of a pack. */
async function forgePacks(bytes: Buffer): Promise<readonly (readonly [string, Buffer])[]> {
  const pack = JSON.parse(bytes.toString()).data;
  const stranger = await parseSigningKey(await generateSigningKey(), key.kid);
  const shorter = { ...pack, sections: pack.sections.slice(0, -1) };
  const text = bytes.toString();
  const resigned = (members: object): Buffer => {
    const signature = { ...pack.integrity.signature, ...members };
    return Buffer.from(canonicalize({ data: { ...pack, integrity: { ...pack.integrity, signature } } }));
  };
  const flipped = [0.001, 0.2, 0.4, 0.6, 0.8, 0.999].map((part): [string, Buffer] => {
    const copy = Buffer.from(bytes);
    const at = Math.floor(part * bytes.length);
    copy[at] = (copy[at] ?? 0) ^ 1;
    return [`a flipped bit in byte ${at}`, copy];
  });
  return [
    ...flipped,
    ['a section less', Buffer.from(canonicalize({ data: shorter }))],
    [
      'a section less, with a new manifest and the old signature',
      Buffer.from(
        canonicalize({
          data: {
            ...shorter,
            integrity: {
              ...JSON.parse((await sign(shorter, null)).toString()).data.integrity,
              keysUrl,
              signature: pack.integrity.signature,
            },
          },
        }),
      ),
    ],
    ['a section less, signed by another key of the same id', await sign(shorter, stranger)],
    ['the whole pack without a signature', await sign(pack, null)],
    ['another member', Buffer.from(canonicalize({ data: { ...pack, more: 1 } }))],
    ['another member of the signature', resigned({ signedAt: '2020-01-01T00:00:00Z' })],
    ['another algorithm in the signature', resigned({ alg: 'none' })],
    ['another format of the signature', resigned({ format: 'signed by the board' })],
    ['another key in the signature', resigned({ kid: 'board' })],
    ['a member next to data', Buffer.from(canonicalize({ data: pack, more: 1 }))],
    ['the same values with a space', Buffer.from(text.replace('{"data":', '{"data": '))],
    ['a member that occurs twice', Buffer.from(text.replace('"version":', '"version":"0","version":'))],
    ['a cut end', bytes.subarray(0, -2)],
    ['a line more', Buffer.concat([bytes, Buffer.from('\n')])],
  ];
}

describe.each(programs)('$name', (given) => {
  let run: (bytes: Buffer) => Promise<{ readonly status: number; readonly output: string }>;
  let missing: string | null = null;

  beforeAll(async () => {
    const program = await extractProgram(given);
    let runtime = process.execPath;
    if (given.block !== 'js') {
      const prepared = await preparePython('verification');
      if ('missing' in prepared) {
        missing = prepared.missing;
        return;
      }
      runtime = prepared.python;
    }
    run = async (bytes) => {
      const file = join(directory, 'pack.json');
      await writeFile(file, bytes);
      const python = { PYTHONPATH: join(checkout, 'clients', 'python'), PYTHONDONTWRITEBYTECODE: '1' };
      // Python leaves out assertions where this variable is set.
      const env = { ...process.env, ...python, PYTHONOPTIMIZE: '1' };
      return execute(runtime, [program, file, join(directory, 'jwks.json')], { cwd: directory, env }).then(
        ({ stdout }) => ({ status: 0, output: stdout }),
        (error) => ({ status: Number(error.code), output: String(error.stderr) }),
      );
    };
  });

  test('verifies a signed pack, also with pseudonyms', async (context) => {
    if (missing !== null) return context.skip(missing);
    for (const bytes of packs) {
      const { packId } = JSON.parse(bytes.toString()).data.integrity;
      expect(await run(bytes)).toEqual({ status: 0, output: `verified ${packId}\n` });
    }
  });

  test('refuses every altered pack', { timeout: 60_000 }, async (context) => {
    if (missing !== null) return context.skip(missing);
    for (const bytes of packs.slice(0, 1))
      for (const [what, altered] of await forgePacks(bytes)) {
        const { status, output } = await run(altered);
        expect([what, status], output).toEqual([what, 1]);
      }
  });
});
