import { randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import { type FileHandle, open, readFile, rename, unlink } from 'node:fs/promises';
import { dirname } from 'node:path';
import { isObject } from './api-error.ts';
import type { RequestParameters } from './requester.ts';

/** The request that the cursors of a file continue. Cursors of another request are refused. */
export interface StoredRequest {
  /** Base URL of the API. */
  readonly url: string;
  readonly path: string;
  readonly parameters: RequestParameters;
}

export interface CursorFile extends AsyncDisposable {
  /** @param tenant a tenant's id, or '' for the tenant of the key */
  get(tenant: string): string | null;
  /** Resolves when the file is on the disk. A crash leaves the previous or the new content, never a part. */
  set(tenant: string, cursor: string): Promise<void>;
}

/**
 * Opens a file of cursors, one per tenant, for one process at a time. Throws an Error that names the file and what to
 * do when it belongs to another request, is not a file of cursors, or is in use.
 */
export async function openCursorFile(file: string, request: StoredRequest): Promise<CursorFile> {
  const lock = await takeLock(file);
  try {
    const cursors = new Map(Object.entries(await readCursors(file, request)));
    return {
      get: (tenant) => cursors.get(tenant) ?? null,
      async set(tenant, cursor) {
        if (cursors.get(tenant) === cursor) return;
        await lock.assertOwned();
        cursors.set(tenant, cursor);
        await replaceFile(file, `${JSON.stringify({ ...request, cursors: Object.fromEntries(cursors) }, null, 2)}\n`);
      },
      [Symbol.asyncDispose]: lock.release,
    };
  } catch (error) {
    await lock.release();
    throw error;
  }
}

async function readCursors(file: string, request: StoredRequest): Promise<Readonly<Record<string, string>>> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw error;
  });
  if (text === null) return {};
  const stored = parseStored(text);
  if (stored === null)
    throw new Error(`${file} is not a file of cursors. Name another file, or delete it to read from the start.`);
  for (const name of ['url', 'path', 'parameters'] as const) {
    if (JSON.stringify(stored[name]) === JSON.stringify(request[name])) continue;
    throw new Error(
      `${file} continues a request with another ${name}: ${JSON.stringify(stored[name])}, not ${JSON.stringify(request[name])}. Use one file for each request.`,
    );
  }
  return stored.cursors;
}

function parseStored(text: string): (StoredRequest & { readonly cursors: Readonly<Record<string, string>> }) | null {
  try {
    const value: unknown = JSON.parse(text);
    if (!isObject(value) || !isObject(value.cursors)) return null;
    if (!Object.values(value.cursors).every((cursor) => typeof cursor === 'string')) return null;
    return value as never;
  } catch {
    return null;
  }
}

interface Lock {
  /** Throws if another process has taken the lock: one with the same process id, in another container. */
  assertOwned(): Promise<void>;
  release(): Promise<void>;
}

/** Two processes with one file would each skip what only the other one has output. */
async function takeLock(file: string): Promise<Lock> {
  const path = `${file}.lock`;
  const content = `${process.pid} ${(await readStat(process.pid))?.startTime ?? '-'} ${randomUUID()}\n`;
  const read = () => readFile(path, 'utf8').catch(() => '');
  const [holder = '', started = ''] = (await read()).split(' ');
  if (await isRunning(Number(holder), started))
    throw new Error(`${file} is in use by process ${holder}. If it is not, delete ${path}.`);
  const own = `${path}.${process.pid}`;
  await withFile(own, 'w', (handle) => handle.writeFile(content));
  // Replaced in one step: the lock never exists without the process id of its holder.
  await rename(own, path);
  return {
    async assertOwned() {
      if ((await read()) !== content)
        throw new Error(`${file} was taken by another process. Use one file for each process.`);
    },
    async release() {
      if ((await read()) === content) await unlink(path);
    },
  };
}

/**
 * A killed process leaves its lock, and another process may have its id: soon in a container, and where ids end at 32,768.
 * So the lock has the start time too, where the system shows it.
 */
async function isRunning(pid: number, started: string): Promise<boolean> {
  if (!Number.isSafeInteger(pid) || pid <= 0 || pid === process.pid || !isAlive(pid)) return false;
  const fields = await readStat(pid);
  // It has ended and its parent has not noticed, as the first process of many containers never does.
  if (fields?.state === 'Z') return false;
  return fields === null || !/^\d+$/.test(started) || fields.startTime === started;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** The start time is in clock ticks since the system was booted. Null where there is no such process, or no /proc. */
async function readStat(pid: number): Promise<{ readonly state: string; readonly startTime: string } | null> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  // The name of the program before these fields may contain spaces and brackets.
  const { 0: state, 19: startTime } = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return state === undefined || startTime === undefined ? null : { state, startTime };
}

async function replaceFile(file: string, content: string): Promise<void> {
  const next = `${file}.next`;
  await withFile(next, 'w', async (handle) => {
    await handle.writeFile(content);
    await handle.sync();
  });
  await rename(next, file);
  // The rename is durable when the directory is.
  await withFile(dirname(file), constants.O_RDONLY, (handle) => handle.sync());
}

async function withFile(
  path: string,
  flags: string | number,
  use: (handle: FileHandle) => Promise<void>,
): Promise<void> {
  const handle = await open(path, flags, 0o600);
  try {
    await use(handle);
  } finally {
    await handle.close();
  }
}
