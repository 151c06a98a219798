import { execFileSync } from 'node:child_process';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

export interface SourceFile {
  /** Relative to the checkout, with forward slashes. */
  readonly path: string;
  readonly text: string;
}

/** The files git tracks, and the new ones it does not ignore, whose names end with one of these. */
export function readSources(root: string, ...endings: readonly string[]): SourceFile[] {
  const listed = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 1 << 26,
  });
  return [...new Set(listed.split('\n'))]
    .filter((path) => endings.some((ending) => path.endsWith(ending)) && isFile(join(root, path)))
    .map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }));
}

export interface Finding {
  readonly path: string;
  readonly line: number;
  readonly message: string;
}

export const lineAt = (text: string, offset: number): number => countLines(text.slice(0, offset));

/** The lines of a text, one that is empty included. */
export function countLines(text: string): number {
  let lines = 1;
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) lines += 1;
  return lines;
}

/** False for a file that was removed and for a linked directory. */
const isFile = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isFile() ?? false;
