import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';

/** Writes a document with secrets atomically, readable by its owner only. */
export async function writePrivateFile(file: string, document: unknown): Promise<void> {
  await mkdir(dirname(file), { recursive: true });
  const unfinished = `${file}.${process.pid}`;
  await writeFile(unfinished, `${JSON.stringify(document, null, 2)}\n`, { mode: 0o600 });
  await rename(unfinished, file);
}

/** Null if the file does not exist. */
export async function readPrivateFile(file: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(file, 'utf8'));
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw new Error(`cannot read ${file}`, { cause });
  }
}
