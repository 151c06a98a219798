import { closeSync, fstatSync, fsyncSync, openSync, readSync } from 'node:fs';
import type { Writable } from 'node:stream';
import type { PolledPage } from '@tenantscope/client';

/**
 * Writes the rows of pages, one JSON object a line. A call resolves when the rows were handed over: they are on the
 * disk if the output is a file, and in the pipe if it is one.
 */
export function openRowOutput(out: Writable & { readonly fd?: number }): (page: PolledPage) => Promise<void> {
  const file = out.fd !== undefined && fstatSync(out.fd).isFile() ? out.fd : null;
  // A process that was killed while it wrote leaves a part of a row, which must not share its line with the next one.
  let prefix = file !== null && endsInsideLine(file) ? '\n' : '';
  return async ({ rows }) => {
    if (rows.length === 0) return;
    const text = prefix + rows.map((row) => `${JSON.stringify(row)}\n`).join('');
    prefix = '';
    await new Promise<void>((resolve, reject) => out.write(text, (error) => (error ? reject(error) : resolve())));
    if (file !== null) fsyncSync(file);
  };
}

/** The output itself is open for writing only, so its last byte is read through Linux's list of open files. */
function endsInsideLine(file: number): boolean {
  const { size } = fstatSync(file);
  if (size === 0) return false;
  const reading = openSync(`/proc/self/fd/${file}`, 'r');
  try {
    const last = Buffer.alloc(1);
    readSync(reading, last, 0, 1, size - 1);
    return last.toString() !== '\n';
  } finally {
    closeSync(reading);
  }
}
