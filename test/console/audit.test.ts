import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ConsoleClient, createTestConsole, type TestConsole } from './test-console.ts';

const run = promisify(execFile);
const tenantscope = new URL('../../apps/cli/bin/tenantscope.mjs', import.meta.url).pathname;
const hostile =
  '=cmd|\u202eevil\u2066 </script><img src=x onerror=alert(1)>\u2028{"number":1}\u0085\u001b[2J\u00ad\u3164\u{e0041}';

let running: TestConsole;
let superuser: pg.Client;
let admin: ConsoleClient;
let folder: string;

beforeAll(async () => {
  running = await createTestConsole();
  superuser = new pg.Client(running.database.superuser);
  await superuser.connect();
  admin = await running.signIn('admin');
  folder = await mkdtemp(join(tmpdir(), 'audit-'));
});
afterAll(async () => {
  await superuser?.end();
  await running?.[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
});

const exported = async (query = '') => (await admin.request('GET', `/console/api/audit/export${query}`)).text;

/** The command line on a file, without any variable of the service. */
async function verifyFile(
  lines: string,
): Promise<{ status: number; document: Record<string, unknown>; messages: string }> {
  const file = join(folder, 'audit.ndjson');
  await writeFile(file, lines);
  const environment = { PATH: process.env.PATH ?? '' };
  const of = run(process.execPath, [tenantscope, 'audit', 'verify', file, '--json'], { env: environment, cwd: folder });
  const { stdout, stderr, code } = await of.then(
    (done) => ({ ...done, code: 0 }),
    (failed: { stdout: string; stderr: string; code: number }) => failed,
  );
  return { status: code, document: stdout === '' ? {} : JSON.parse(stdout), messages: stderr };
}

test('an export contains one event per line, oldest first, and can be verified offline, whatever characters names contain', async () => {
  await admin.request('POST', '/console/api/keys', {
    name: hostile,
    tenantId: running.tenantIds[0],
    scopes: [],
    expiresAt: null,
  });
  const text = await exported();
  expect(text).not.toMatch(/(?!\n)[\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}\u2028\u2029]/u);
  const events = text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(events.map(({ number }) => number)).toEqual(events.map((_, index) => index + 1));
  expect(
    events.find(({ after }) => after?.name === hostile),
    'the text itself is unchanged',
  ).toBeDefined();

  const { status, document } = await verifyFile(text);
  const head = (await admin.request('GET', '/console/api/audit')).body.head;
  expect({ status, document }).toEqual({
    status: 0,
    document: {
      organizationId: running.organizationId,
      isWhole: true,
      from: 1,
      through: head.number,
      brokenAt: null,
      fault: null,
      sha256: head.sha256,
    },
  });
  const lines = text.trimEnd().split('\n');
  const forged: [string, string[], number][] = [
    ['altered', lines.map((line) => line.replace('"actor":"cli:test"', '"actor":"cli:tost"')), 1],
    ['missing', lines.toSpliced(3, 1), 4],
    ['moved', [...lines.slice(0, 4), lines[5] ?? '', lines[4] ?? '', ...lines.slice(6)], 5],
  ];
  for (const [how, wrong, number] of forged)
    expect(await verifyFile(wrong.join('\n')), how).toMatchObject({ status: 1, document: { brokenAt: number } });
  expect((await verifyFile('{"number":1}')).messages).toContain('line 1');
});

test('an export of a period can be verified from its first event, whatever filter is set', async () => {
  const all = (await exported()).trimEnd().split('\n');
  const from = JSON.parse(all[3] ?? '').at;
  const text = await exported(`?from=${from}&action=created&actor=member:${admin.memberId}`);
  const verdict = await verifyFile(text);
  expect(verdict.document).toMatchObject({ isWhole: true, brokenAt: null });
  expect(verdict.document.from).toBeGreaterThan(1);
});

test('each event names actor, source address and request', async () => {
  const created = await admin.request('POST', '/console/api/keys', {
    name: 'Said',
    tenantId: running.tenantIds[0],
    scopes: ['logs:read'],
    expiresAt: null,
  });
  const { events } = (
    await admin.request('GET', `/console/api/audit?subjectType=api_key&subjectId=${created.body.key.id}`)
  ).body;
  expect(events).toHaveLength(1);
  expect(events[0]).toMatchObject({
    action: 'created',
    actor: `member:${admin.memberId}`,
    actorName: expect.stringContaining('admin'),
    address: '127.0.0.1',
    requestId: expect.any(String),
    before: null,
    after: { name: 'Said', scopes: ['logs:read'] },
  });
});

test('events can be filtered by kind of actor, and officers and viewers see their own events only', async () => {
  const of = async (by: ConsoleClient, query: string) =>
    (await by.request('GET', `/console/api/audit?${query}`)).body.events as { actor: string }[];
  const own = await of(admin, `actor=member:${admin.memberId}`);
  expect(own.length).toBeGreaterThan(0);
  const byCli = await of(admin, 'actor=cli');
  expect(byCli.length).toBeGreaterThan(0);
  expect(byCli.every(({ actor }) => actor.startsWith('cli:'))).toBe(true);
  expect((await of(admin, 'actor=member')).length).toBeGreaterThanOrEqual(own.length);
  for (const role of ['officer', 'viewer'] as const) {
    const own = await running.signIn(role);
    await endOtherSession(own);
    for (const query of ['', `actor=member:${admin.memberId}`])
      expect(await of(own, query)).toMatchObject([{ action: 'ended', actor: `member:${own.memberId}` }]);
    expect(await of(own, 'subjectType=api_key')).toEqual([]);
    expect((await own.request('GET', '/console/api/audit')).body.head).toBeNull();
  }
});

/** The event of a member without other changes: it signs in elsewhere and ends that session. */
async function endOtherSession(member: ConsoleClient): Promise<void> {
  await running.store.transaction({ actor: 'sign-in:local', sessionId: null, requestId: null }, (transaction) =>
    running.store.sessions.begin(transaction, String(member.memberId), { address: '127.0.0.1', agent: null }),
  );
  const { sessions } = (await member.request('GET', '/console/api/sessions')).body;
  const other = sessions.find(({ isThis }: { isThis: boolean }) => !isThis);
  const end = () => member.request('POST', `/console/api/sessions/${other.id}/end`);
  expect((await end()).status).toBe(200);
  expect((await end()).status).toBe(404);
}

test('ending an own session or the session of another member is in the audit log', async () => {
  const other = await running.signIn('viewer');
  const ended = await admin.request('POST', `/console/api/members/${other.memberId}/end-sessions`);
  expect(ended.body).toEqual({ ended: 1 });
  expect((await other.request('GET', '/console/api/me')).status).toBe(401);
  const { events } = (await admin.request('GET', '/console/api/audit?action=ended')).body;
  expect(events[0]).toMatchObject({ subjectType: 'session', subjectId: other.memberId, after: { sessions: 1 } });
  const anonymous = '00000000-0000-4000-8000-000000000000';
  expect((await admin.request('POST', `/console/api/members/${anonymous}/end-sessions`)).status).toBe(404);
});

test('the result of a verification contains its time and names the forged event', async () => {
  const whole = (await admin.request('GET', '/console/api/audit/verify')).body;
  expect(whole).toMatchObject({ brokenAt: null, fault: null, verifiedAt: expect.any(String) });
  await superuser.query(`update control.admin_event set actor = 'cli:forged' where chain = $1 and number = 2`, [
    running.organizationId,
  ]);
  expect((await admin.request('GET', '/console/api/audit/verify')).body).toMatchObject({
    brokenAt: 2,
    fault: 'altered',
  });
});
