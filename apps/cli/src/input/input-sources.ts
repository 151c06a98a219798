import { createReadStream } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Readable } from 'node:stream';
import { CommandError, usageError } from '../command-error.ts';

/** A file or standard input. */
export interface InputSource {
  /** The absolute path, or `-`. */
  readonly name: string;
  readonly content: AsyncIterable<Buffer>;
  /** Ends reading: input may never come. */
  readonly interrupt: (error: Error) => void;
  /** For random access, closed by the caller; null if the source is a pipe or standard input. */
  readonly handle: FileHandle | null;
  /** Null if the size is unknown: pipes and standard input. */
  readonly bytes: number | null;
  readonly modifiedAtMs: number | null;
}

const chunkBytes = 256 * 1024;

/** Opens all files before any is read, so that a wrong name is reported before the first record is published. */
export async function openInputs(names: readonly string[], input: Readable): Promise<InputSource[]> {
  if (names.filter((name) => name === '-').length > 1) throw usageError('standard input (-) can be read only once');
  const sources: InputSource[] = [];
  for (const name of names)
    sources.push(
      name === '-'
        ? { name, ...readStream(input), handle: null, bytes: null, modifiedAtMs: null }
        : await openFile(name),
    );
  return sources;
}

async function openFile(name: string): Promise<InputSource> {
  const handle: FileHandle = await open(name).catch((error: NodeJS.ErrnoException) => {
    throw new CommandError(`${name} cannot be read: ${reasons[error.code ?? ''] ?? error.code}`);
  });
  const found = await handle.stat();
  if (found.isDirectory()) {
    await handle.close();
    throw new CommandError(`${name} cannot be read: it is a directory`);
  }
  const isFile = found.isFile();
  // A file stays open behind its last chunk: a ZIP archive is read from its end.
  const chunks = createReadStream(name, { fd: handle, highWaterMark: chunkBytes, autoClose: !isFile });
  return {
    name: resolve(name),
    ...readStream(chunks),
    handle: isFile ? handle : null,
    bytes: isFile ? found.size : null,
    modifiedAtMs: isFile ? Math.floor(found.mtimeMs) : null,
  };
}

function readStream(stream: Readable): Pick<InputSource, 'content' | 'interrupt'> {
  return { content: stream, interrupt: (error) => void stream.destroy(error) };
}

const reasons: Record<string, string> = {
  ENOENT: 'no such file',
  EACCES: 'permission denied',
  EISDIR: 'it is a directory',
};
