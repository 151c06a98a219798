import { createReadStream } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { misused, Refusal } from './failure.ts';

/** Something to read bytes from. */
export interface Source {
  readonly name: string;
  readonly chunks: Readable;
  /** Null where nobody knows before the end: pipes and standard input. */
  readonly bytes: number | null;
}

const chunkBytes = 256 * 1024;

/** Opens all files before any is read, so that a slip in the last name is told before the first record is sent. */
export async function openSources(names: readonly string[], input: Readable): Promise<Source[]> {
  if (names.filter((name) => name === '-').length > 1) throw misused('standard input (-) can be read once');
  const sources: Source[] = [];
  for (const name of names) sources.push(name === '-' ? { name, chunks: input, bytes: null } : await openFile(name));
  return sources;
}

async function openFile(name: string): Promise<Source> {
  const handle: FileHandle = await open(name).catch((error: NodeJS.ErrnoException) => {
    throw new Refusal(`${name} cannot be read: ${reasons[error.code ?? ''] ?? error.code}`);
  });
  const found = await handle.stat();
  if (found.isDirectory()) {
    await handle.close();
    throw new Refusal(`${name} cannot be read: it is a folder`);
  }
  const chunks = createReadStream(name, { fd: handle, highWaterMark: chunkBytes });
  return { name, chunks, bytes: found.isFile() ? found.size : null };
}

const reasons: Record<string, string> = {
  ENOENT: 'there is no such file',
  EACCES: 'its permissions forbid it',
  EISDIR: 'it is a folder',
};
