import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openCursorFile, type StoredRequest } from '../src/cursor-file.ts';

let directory: string;
let count = 0;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'tenantscope-cursors-'));
});
afterAll(() => rm(directory, { recursive: true, force: true }));

const newFile = () => join(directory, `${++count}.json`);
const request: StoredRequest = { url: 'https://siem.example/api/v1', path: '/logs', parameters: { action: 'x' } };

test('cursors are there when the file is opened again, one for each tenant', async () => {
  const file = newFile();
  {
    await using cursors = await openCursorFile(file, request);
    expect(cursors.get('a')).toBe(null);
    await cursors.set('a', 'first');
    await cursors.set('b', 'other');
    await cursors.set('a', 'second');
    expect(cursors.get('a')).toBe('second');
  }
  await using cursors = await openCursorFile(file, request);
  expect([cursors.get('a'), cursors.get('b'), cursors.get('')]).toEqual(['second', 'other', null]);
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  expect(await readdir(directory)).toEqual([`${count}.json`, `${count}.json.lock`]);
});

test.for([
  ['url', { ...request, url: 'https://other.example/api/v1' }],
  ['path', { ...request, path: '/detections' }],
  ['parameters', { ...request, parameters: { action: 'y' } }],
] as const)('a file of a request with another %s is refused', async ([name, other]) => {
  const file = newFile();
  {
    await using cursors = await openCursorFile(file, request);
    await cursors.set('', 'here');
  }
  const before = await readFile(file);
  await expect(openCursorFile(file, other)).rejects.toThrow(`continues a request with another ${name}`);
  expect(await readFile(file)).toEqual(before);
  // The refusal leaves no lock.
  await using cursors = await openCursorFile(file, request);
  expect(cursors.get('')).toBe('here');
});

test.for(['', '{', '[]', '{"cursors":[]}', '{"cursors":{"a":1}}', 'id,time\n'])(
  'a file that has no cursors is refused and stays as it is: %j',
  async (content) => {
    const file = newFile();
    await writeFile(file, content);
    await expect(openCursorFile(file, request)).rejects.toThrow('is not a file of cursors');
    expect(await readFile(file, 'utf8')).toBe(content);
  },
);

test('a file in use by a running process is refused; one of a process that ended is not', async () => {
  const file = newFile();
  // The parent of the test runs as long as the test.
  await writeFile(`${file}.lock`, `${process.ppid} ${await readStartTime(process.ppid)} token\n`);
  await expect(openCursorFile(file, request)).rejects.toThrow(`in use by process ${process.ppid}`);
  // Above the largest process id of Linux.
  await writeFile(`${file}.lock`, '4194305 1 token\n');
  await using cursors = await openCursorFile(file, request);
  await cursors.set('', 'taken over');
});

test('a file of a killed process whose id another process has since is not in use', async () => {
  const file = newFile();
  await writeFile(`${file}.lock`, `${process.ppid} ${Number(await readStartTime(process.ppid)) - 1} token\n`);
  await using cursors = await openCursorFile(file, request);
  await cursors.set('', 'taken over');
});

test('a file of a process that has ended, and that its parent has not waited for, is not in use', async () => {
  const file = newFile();
  // The shell becomes a program that does not wait for the child of the shell, which ends after that.
  const parent = spawn('sh', ['-c', 'sleep 0.5 & echo $!; exec sleep 60'], { stdio: ['ignore', 'pipe', 'inherit'] });
  try {
    const [output] = (await once(parent.stdout, 'data')) as [Buffer];
    const pid = Number(output.toString());
    const readStat = () => readFile(`/proc/${pid}/stat`, 'utf8');
    await expect.poll(readStat, { timeout: 20_000 }).toMatch(/\) Z /);
    await writeFile(`${file}.lock`, `${pid} ${await readStartTime(pid)} token\n`);
    await using cursors = await openCursorFile(file, request);
    await cursors.set('', 'taken over');
  } finally {
    parent.kill('SIGKILL');
  }
});

/** The start of a process, in clock ticks since the system was booted. */
const readStartTime = async (pid: number) =>
  (await readFile(`/proc/${pid}/stat`, 'utf8')).replace(/^.*\) /s, '').split(' ')[19];

test('a process whose file another one took stores no more cursors', async () => {
  const file = newFile();
  // Two containers with one volume: both have the same process id, so neither sees the other as running.
  await using first = await openCursorFile(file, request);
  await first.set('', 'one');
  await using second = await openCursorFile(file, request);
  await expect(first.set('', 'two')).rejects.toThrow('taken by another process');
  expect(second.get('')).toBe('one');
  await second.set('', 'three');
  expect(JSON.parse(await readFile(file, 'utf8')).cursors).toEqual({ '': 'three' });
});
