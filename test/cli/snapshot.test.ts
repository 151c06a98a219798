import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { digestJson, generateSigningKey, parseSigningKey } from '@tenantscope/proof';
import pg from 'pg';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { eventually } from '../installation/eventually.ts';
import { type ProductProcess, startProcess } from '../installation/processes.ts';
import { type CommandLine, createCommandLine } from './command-line.ts';

let line: CommandLine;
let superuser: pg.Client;
let jobs: ProductProcess | null = null;
let directory: string;
let signingKey: string;

beforeAll(async () => {
  line = await createCommandLine();
  superuser = new pg.Client(line.superuser);
  await superuser.connect();
  directory = await mkdtemp(join(tmpdir(), 'tenantscope-snapshot-'));
  signingKey = await generateSigningKey();
});
afterAll(async () => {
  await jobs?.[Symbol.asyncDispose]();
  await superuser?.end();
  await line?.[Symbol.asyncDispose]();
  await rm(directory, { recursive: true, force: true });
});

/** Only manual snapshots: the next scheduled one is due at the very end of the week. */
const startJobs = async () => {
  jobs ??= await startProcess('jobs', {
    TENANTSCOPE_JOBS_DATABASE_URL: line.environment.TENANTSCOPE_JOBS_DATABASE_URL ?? '',
    TENANTSCOPE_REDIS_URL: inject('services').redis,
    TENANTSCOPE_JOBS_QUEUE_PREFIX: line.topic,
    TENANTSCOPE_SIGNING_KEY: signingKey,
    TENANTSCOPE_SNAPSHOT_DUE_MINUTES: '10079',
  });
};

async function tenant(): Promise<string> {
  const { id } = await line.json('tenant', 'create', '--name', 'Contoso', '--time-zone', 'Europe/Warsaw');
  return String(id);
}

/** Acts with every privilege on the database. */
async function tamper(statement: string, values: unknown[]): Promise<void> {
  await superuser.query('begin; set local session_replication_role = replica');
  await superuser.query(statement, values);
  await superuser.query('commit');
}

test('a request without a jobs process stays pending, is reported as pending, and completes later', async () => {
  const id = await tenant();
  const requested = await line.run('snapshot', 'take', '--tenant', id, '--wait', '1');
  expect(requested.status).toBe(1);
  expect(requested.stderr).toMatch(
    /the snapshot was not taken within 1 s; check that a jobs process .* is running\. The request stays queued/,
  );
  expect(await line.json('snapshot', 'list', '--tenant', id)).toEqual({ data: [] });
  await startJobs();
  await eventually('the request is completed', 20_000, async () => {
    const { data } = (await line.json('snapshot', 'list', '--tenant', id)) as { data: unknown[] };
    return data.length === 1;
  });
});

test('manual snapshots are unlimited, name their requester and form a chain that verifies', async () => {
  await startJobs();
  const id = await tenant();
  const empty = await line.run('snapshot', 'verify', '--tenant', id, '--json');
  expect(empty.status).toBe(3);
  expect(JSON.parse(empty.stdout)).toMatchObject({ whole: true, snapshots: 0, head: null });
  const first = await line.json('snapshot', 'take', '--tenant', id);
  const second = await line.json('snapshot', 'take', '--tenant', id);
  expect(first).toMatchObject({ trigger: 'manual', period: null, late: false, previousSha256: null });
  expect(first.takenBy).toMatch(/^cli:./);
  expect(second.previousSha256).toBe(first.sha256);
  const { data } = (await line.json('snapshot', 'list', '--tenant', id, '--limit', '1')) as { data: unknown[] };
  expect(data).toEqual([second]);

  const keys = await writePublicKeys();
  const head = String(second.sha256);
  expect(await line.json('snapshot', 'verify', '--tenant', id, '--head', head, '--keys', keys)).toEqual({
    tenantId: id,
    whole: true,
    snapshots: 2,
    head,
    broken: null,
    signatures: { valid: 2, unsigned: 0, refused: [] },
  });
  const others = join(directory, 'others.json');
  await writeFile(others, JSON.stringify({ keys: [(await parseSigningKey(await generateSigningKey())).public] }));
  const foreign = await line.run('snapshot', 'verify', '--tenant', id, '--keys', others);
  expect(foreign.status).toBe(1);
  expect(foreign.stderr).toMatch(/signature that is not valid for these keys/);
  const unchecked = await line.run('snapshot', 'verify', '--tenant', id);
  expect(unchecked.status).toBe(3);
  expect(unchecked.stderr).toBe('tenantscope: signatures not checked: pass the public keys with --keys\n');
});

test('a snapshot without a signature after a signed one is refused, and a chain without signatures is not verified', async () => {
  await startJobs();
  const id = await tenant();
  const taken: Record<string, unknown>[] = [];
  for (let number = 0; number < 3; number++) taken.push(await line.json('snapshot', 'take', '--tenant', id));
  const keys = await writePublicKeys();
  const verify = async () => {
    const { status, stdout, stderr } = await line.run('snapshot', 'verify', '--tenant', id, '--keys', keys, '--json');
    return { status, stderr, ...(JSON.parse(stdout) as { whole: boolean; signatures: unknown }) };
  };
  await removeSignature(String(taken[2]?.id));
  const [, , last] = taken;
  expect(await verify()).toMatchObject({
    status: 1,
    whole: true,
    signatures: { valid: 2, unsigned: 0, refused: [{ id: last?.id, reason: 'missing' }] },
    stderr: expect.stringContaining('is not signed, although an earlier one is'),
  });
  // Its digests match, but the chain is not what was signed.
  const { stdout } = await line.run('snapshot', 'verify', '--tenant', id, '--keys', keys);
  expect(stdout).not.toContain('intact');
  await removeSignature(String(taken[0]?.id));
  await removeSignature(String(taken[1]?.id));
  expect(await verify()).toMatchObject({
    status: 3,
    whole: true,
    signatures: { valid: 0, unsigned: 3, refused: [] },
    stderr: expect.stringContaining('no snapshot is signed'),
  });
});

/** Removes a signature as its writer would have left it out: the digest does not cover it. */
async function removeSignature(id: string): Promise<void> {
  const change = `signature = null, document = replace(document, '"signature":"' || signature || '"', '"signature":null')`;
  await tamper(`update models.compliance_snapshot set ${change} where id = $1`, [id]);
}

/** Rewrites a snapshot as a database administrator without a signing key could: the digest is correct. */
async function rewriteUnsigned(id: string): Promise<void> {
  const { rows } = await superuser.query('select document from models.compliance_snapshot where id = $1', [id]);
  const { sha256: _, signature: __, status, ...heading } = JSON.parse(rows[0].document);
  const rewritten = { ...status, metCount: status.metCount + 1 };
  const sha256 = await digestJson({ ...heading, status: rewritten });
  await tamper('update models.compliance_snapshot set sha256 = $2, signature = null, document = $3 where id = $1', [
    id,
    sha256,
    JSON.stringify({ ...heading, sha256, signature: null, status: rewritten }),
  ]);
}

async function writePublicKeys(): Promise<string> {
  const file = join(directory, 'jwks.json');
  await writeFile(file, JSON.stringify({ keys: [(await parseSigningKey(signingKey)).public] }));
  return file;
}

test('verification finds and names an altered snapshot, whichever member was changed', async () => {
  await startJobs();
  const id = await tenant();
  const taken: Record<string, unknown>[] = [];
  for (let number = 0; number < 3; number++) taken.push(await line.json('snapshot', 'take', '--tenant', id));
  const middle = taken[1] as Record<string, unknown>;
  const keys = await writePublicKeys();
  const verify = async (...more: string[]) => {
    const args = ['--tenant', id, '--keys', keys, ...more, '--json'];
    const { status, stdout, stderr } = await line.run('snapshot', 'verify', ...args);
    return { status, stderr, ...(JSON.parse(stdout) as { whole: boolean; broken: Record<string, unknown> | null }) };
  };
  const copyTable = `create temporary table snapshot_copy as select * from models.compliance_snapshot where tenant_id = '${id}'`;
  await superuser.query(copyTable);
  const restore = async () => {
    await tamper(`delete from models.compliance_snapshot where tenant_id = $1`, [id]);
    await tamper('insert into models.compliance_snapshot select * from snapshot_copy where tenant_id = $1', [id]);
    expect(await verify()).toMatchObject({ status: 0, whole: true, broken: null });
  };
  for (const change of [
    `document = replace(document, '"metCount":0', '"metCount":9')`,
    `document = replace(document, '"status":{', '"status": {')`,
    `document = replace(document, '"late":false', '"late":true')`,
    "late = true, trigger = 'scheduled', period = '2026-W01'",
    `taken_by = 'nobody'`,
    `catalogue_version = '2020.01'`,
    `taken_at = taken_at + interval '1 ms'`,
    `signature = null`,
    `sha256 = repeat('0', 64)`,
    `document = '{}'`,
  ]) {
    await tamper(`update models.compliance_snapshot set ${change} where tenant_id = $1 and id = $2`, [id, middle.id]);
    const found = await verify();
    expect(found, change).toMatchObject({ status: 1, whole: false, broken: { id: middle.id, reason: 'altered' } });
    expect(found.stderr).toContain(`the snapshot ${middle.id} of`);
    await restore();
  }

  // A removed snapshot and one with recomputed digests are detected at the next link.
  await tamper('delete from models.compliance_snapshot where tenant_id = $1 and id = $2', [id, middle.id]);
  expect(await verify()).toMatchObject({ status: 1, broken: { id: taken[2]?.id, reason: 'notLinked' } });
  await restore();

  // A chain without its beginning does not start with a first snapshot.
  await tamper('delete from models.compliance_snapshot where tenant_id = $1 and id = $2', [id, taken[0]?.id]);
  expect(await verify()).toMatchObject({ status: 1, broken: { id: middle.id, reason: 'notLinked' } });
  await restore();

  // An end that was rewritten with correct digests links, but its writer has no key.
  await rewriteUnsigned(String(taken[2]?.id));
  expect(await verify()).toMatchObject({
    status: 1,
    whole: true,
    signatures: { valid: 2, refused: [{ id: taken[2]?.id, reason: 'missing' }] },
  });
  await restore();

  // A chain without its end is complete in itself; only a stored digest detects the truncation.
  await tamper('delete from models.compliance_snapshot where tenant_id = $1 and id = $2', [id, taken[2]?.id]);
  expect(await verify()).toMatchObject({ status: 0, whole: true });
  expect(await verify('--head', String(taken[2]?.sha256))).toMatchObject({
    status: 1,
    broken: { id: middle.id, reason: 'tailMissing' },
  });
  expect(await verify('--head', String(taken[0]?.sha256))).toMatchObject({ status: 0, whole: true });
});

test('invalid arguments exit with 2 and list the allowed ones', async () => {
  const id = await tenant();
  const wrong = async (...args: string[]) => {
    const { status, stderr } = await line.run(...args);
    return `${status} ${stderr}`;
  };
  expect(await wrong('snapshot', 'verify', '--tenant', id, '--head', 'abc')).toMatch(/^2 .*64 lower-case hexadecimal/);
  expect(await wrong('snapshot', 'list', '--tenant', id, '--limit', '0')).toMatch(/^2 .*from 1 to 1000/);
  expect(await wrong('snapshot', 'take', '--tenant', 'contoso')).toMatch(/^2 .*must be a GUID/);
  expect(await wrong('snapshot', 'verify', '--tenant', id, '--keys', '/nowhere')).toMatch(
    /^1 .*cannot be used as public keys/,
  );
  expect(await wrong('tenant', 'create', '--name', 'A', '--time-zone', 'Mars')).toMatch(/^2 .*IANA time zone/);
});
