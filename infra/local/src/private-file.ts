import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';

/** Writes a document that holds secrets: for nobody else's eyes, and never half of it. */
export async function writePrivate(file: string, document: unknown): Promise<void> {
  await mkdir(dirname(file), { recursive: true });
  const unfinished = `${file}.${process.pid}`;
  await writeFile(unfinished, `${JSON.stringify(document, null, 2)}\n`, { mode: 0o600 });
  await rename(unfinished, file);
}

/** Null where there is none. */
export async function readPrivate(file: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(file, 'utf8'));
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw new Error(`${file} cannot be read`, { cause });
  }
}
