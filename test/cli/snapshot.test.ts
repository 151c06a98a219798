import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeSigningKey, readSigningKey } from '@tenantscope/proof';
import pg from 'pg';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { eventually } from '../product/eventually.ts';
import { type ProductProcess, startProcess } from '../product/processes.ts';
import { type CommandLine, commandLine } from './command-line.ts';

let line: CommandLine;
let superuser: pg.Client;
let jobs: ProductProcess | null = null;
let directory: string;
let signingKey: string;

beforeAll(async () => {
  line = await commandLine();
  superuser = new pg.Client(line.superuser);
  await superuser.connect();
  directory = await mkdtemp(join(tmpdir(), 'tenantscope-snapshot-'));
  signingKey = await makeSigningKey();
}, 60_000);
afterAll(async () => {
  await jobs?.[Symbol.asyncDispose]();
  await superuser?.end();
  await line?.[Symbol.asyncDispose]();
  await rm(directory, { recursive: true, force: true });
}, 60_000);

/** Nothing is scheduled but by hand: the next week is due at its very end. */
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

/** As somebody with every right over the database would. */
async function tamper(statement: string, values: unknown[]): Promise<void> {
  await superuser.query('begin; set local session_replication_role = replica');
  await superuser.query(statement, values);
  await superuser.query('commit');
}

test('without a jobs process the request stays, is said to stay, and is met later', async () => {
  const id = await tenant();
  const asked = await line.run('snapshot', 'take', '--tenant', id, '--wait', '1');
  expect(asked.status).toBe(1);
  expect(asked.stderr).toMatch(
    /nobody has taken the snapshot within 1 s: does a jobs process .* run\? The request stays/,
  );
  expect(await line.json('snapshot', 'list', '--tenant', id)).toEqual({ data: [] });
  await startJobs();
  await eventually('the request is met', 20_000, async () => {
    const { data } = (await line.json('snapshot', 'list', '--tenant', id)) as { data: unknown[] };
    return data.length === 1;
  });
}, 90_000);

test('snapshots taken by hand are unlimited, name who asked, and make a chain that verifies', async () => {
  await startJobs();
  const id = await tenant();
  const empty = await line.json('snapshot', 'verify', '--tenant', id);
  expect(empty).toMatchObject({ whole: true, snapshots: 0, head: null });
  const first = await line.json('snapshot', 'take', '--tenant', id);
  const second = await line.json('snapshot', 'take', '--tenant', id);
  expect(first).toMatchObject({ trigger: 'manual', period: null, late: false, previousSha256: null });
  expect(first.takenBy).toMatch(/^cli:./);
  expect(second.previousSha256).toBe(first.sha256);
  const { data } = (await line.json('snapshot', 'list', '--tenant', id, '--limit', '1')) as { data: unknown[] };
  expect(data).toEqual([second]);

  const keys = join(directory, 'jwks.json');
  await writeFile(keys, JSON.stringify({ keys: [(await readSigningKey(signingKey)).public] }));
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
  await writeFile(others, JSON.stringify({ keys: [(await readSigningKey(await makeSigningKey())).public] }));
  const foreign = await line.run('snapshot', 'verify', '--tenant', id, '--keys', others);
  expect(foreign.status).toBe(1);
  expect(foreign.stderr).toMatch(/signature that is not by these keys/);
}, 120_000);

test('a snapshot altered in the database is found and named, whatever of it was altered', async () => {
  await startJobs();
  const id = await tenant();
  const taken: Record<string, unknown>[] = [];
  for (let number = 0; number < 3; number++) taken.push(await line.json('snapshot', 'take', '--tenant', id));
  const middle = taken[1] as Record<string, unknown>;
  const verify = async (...more: string[]) => {
    const { status, stdout, stderr } = await line.run('snapshot', 'verify', '--tenant', id, ...more, '--json');
    return { status, stderr, ...(JSON.parse(stdout) as { whole: boolean; broken: Record<string, unknown> | null }) };
  };
  const keep = `create temporary table kept as select * from models.compliance_snapshot where tenant_id = '${id}'`;
  await superuser.query(keep);
  const restore = async () => {
    await tamper(`delete from models.compliance_snapshot where tenant_id = $1`, [id]);
    await tamper('insert into models.compliance_snapshot select * from kept where tenant_id = $1', [id]);
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

  // One that was taken out, and one whose digests were made to fit again, show at the next.
  await tamper('delete from models.compliance_snapshot where tenant_id = $1 and id = $2', [id, middle.id]);
  expect(await verify()).toMatchObject({ status: 1, broken: { id: taken[2]?.id, reason: 'notLinked' } });
  await restore();

  // A cut end leaves a whole chain; only who noted the digest can tell.
  await tamper('delete from models.compliance_snapshot where tenant_id = $1 and id = $2', [id, taken[2]?.id]);
  expect(await verify()).toMatchObject({ status: 0, whole: true });
  expect(await verify('--head', String(taken[2]?.sha256))).toMatchObject({
    status: 1,
    broken: { id: middle.id, reason: 'tailMissing' },
  });
  expect(await verify('--head', String(taken[0]?.sha256))).toMatchObject({ status: 0, whole: true });
}, 180_000);

test('what is asked wrongly ends with 2 and says what is taken', async () => {
  const id = await tenant();
  const wrong = async (...words: string[]) => {
    const { status, stderr } = await line.run(...words);
    return `${status} ${stderr}`;
  };
  expect(await wrong('snapshot', 'verify', '--tenant', id, '--head', 'abc')).toMatch(/^2 .*64 lower-case hexadecimal/);
  expect(await wrong('snapshot', 'list', '--tenant', id, '--limit', '0')).toMatch(/^2 .*from 1 to 1000/);
  expect(await wrong('snapshot', 'take', '--tenant', 'contoso')).toMatch(/^2 .*must be a GUID/);
  expect(await wrong('snapshot', 'verify', '--tenant', id, '--keys', '/nowhere')).toMatch(
    /^1 .*cannot be used as public keys/,
  );
  expect(await wrong('tenant', 'create', '--name', 'A', '--time-zone', 'Mars')).toMatch(/^2 .*IANA time zone/);
}, 60_000);
