import { posix } from 'node:path';
import type { Finding, SourceFile } from './sources.ts';

/** What a checkout contains that a document may name. */
export interface NamedThings {
  /** Files and folders, relative to the checkout. */
  readonly paths: ReadonlySet<string>;
  /** Every identifier that occurs in a source file. */
  readonly identifiers: ReadonlySet<string>;
  /** Texts of the test files by path. */
  readonly tests: ReadonlyMap<string, string>;
}

export function collectNames(files: readonly SourceFile[], paths: readonly string[]): NamedThings {
  const identifiers = new Set<string>();
  for (const { text } of files) for (const [name] of text.matchAll(/[A-Za-z_$][\w$]*/g)) identifiers.add(name);
  const named = new Set<string>();
  for (const path of paths) for (let at = path; at !== '.'; at = posix.dirname(at)) named.add(at);
  const tests = new Map(files.filter(({ path }) => path.endsWith('.test.ts')).map(({ path, text }) => [path, text]));
  return { paths: named, identifiers, tests };
}

const link = /\]\((?!https?:|mailto:|#)([^)#\s]+)/g;
const codeSpan = /`([^`\n]+)`/g;
const fileName = /^[\w@.{}*-]+(?:\/[\w@.{}*-]+)*\/?$/;
const sourceEnding = /\.(?:ts|tsx|mjs|sql|json|yml|yaml|css|md|py|snap)$/;
const citedTest = /`([^`\n]+\.test\.ts)` "([^"\n]+)"/g;
const identifier = /^[A-Za-z_$][\w$]*(?:\.[A-Za-z_$][\w$]*)*(?:\(\))?$/;
/** An identifier of ours has a capital inside or an underscore; a plain word has neither. */
const isCompound = (name: string): boolean => /[a-z][A-Z]|_/.test(name);

/** Rows of tables that have another number of cells than the row before them. */
export function checkTables({ path, text }: SourceFile): Finding[] {
  const findings: Finding[] = [];
  let isCode = false;
  let expected = 0;
  text.split('\n').forEach((line, index) => {
    if (/^\s*```/.test(line)) isCode = !isCode;
    const cells = !isCode && /^\s*\|/.test(line) ? line.trim().replaceAll('\\|', '').split('|').length - 2 : 0;
    if (expected > 0 && cells > 0 && cells !== expected)
      findings.push({ path, line: index + 1, message: `a row of ${cells} cells in a table of ${expected}` });
    expected = cells;
  });
  return findings;
}

/** Links, paths, identifiers and titles of tests in a Markdown document that exist nowhere in the checkout. */
export function checkDocumentReferences(
  { path, text }: SourceFile,
  { paths, identifiers, tests }: NamedThings,
): Finding[] {
  const findings: Finding[] = [];
  const folder = posix.dirname(path);
  const exists = (named: string) =>
    [posix.join(folder, named), posix.normalize(named)].some((place) => paths.has(place.replace(/\/$/, '')));
  const endsPath = (named: string) => [...paths].some((place) => place === named || place.endsWith(`/${named}`));
  text.split('\n').forEach((line, index) => {
    const report = (message: string) => findings.push({ path, line: index + 1, message });
    for (const [, target = ''] of line.matchAll(link)) if (!exists(target)) report(`broken link: ${target}`);
    for (const [, file = '', title = ''] of line.matchAll(citedTest))
      if (!tests.get(file)?.includes(title)) report(`no such test in ${file}: ${title}`);
    for (const [, span = ''] of line.matchAll(codeSpan)) {
      if (
        fileName.test(span) &&
        !span.startsWith('.') &&
        (sourceEnding.test(span) || /^(?:apps|packages|infra|test|migrations|docs)\//.test(span))
      ) {
        const plain = span.replace(/\/$/, '').replace(/\/?\*.*$/, '');
        if (plain !== '' && !exists(plain) && !endsPath(plain)) report(`no such file: ${span}`);
      } else if (identifier.test(span)) {
        const missing = span
          .replace(/\(\)$/, '')
          .split('.')
          .find((part) => isCompound(part) && !identifiers.has(part));
        if (missing) report(`no such identifier: ${missing}`);
      }
    }
  });
  return findings;
}
