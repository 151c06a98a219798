import type { Finding, SourceFile } from './sources.ts';

export const asvsPath = 'docs/security/asvs.md';

const row = /^\| (\d+\.\d+\.\d+) \| [12] \| ([^|]*) \| ([^|]*) \| (.*) \|$/;
const countRow = /^\| (met|partly|not met|operator|not applicable) \| [^|]* \| (\d+) \|$/;
const testReference = /`([^`]+\.test\.ts)`((?:,? "[^"]+")*)/g;
const sectionReference = /`([^`]+\.md)`, "([^"]+)"/g;
const statuses = ['met', 'partly', 'not met', 'operator', 'not applicable'];

/**
 * Requirements whose status nothing shows: one that is met must name a test, or the section of a document; titles and sections must exist. The
 * table of counts must be the counts.
 */
export function checkAsvs(
  document: SourceFile | null,
  { tests, documents }: { tests: ReadonlyMap<string, string>; documents: readonly SourceFile[] },
): Finding[] {
  if (document === null) return [{ path: asvsPath, line: 1, message: 'missing' }];
  const findings: Finding[] = [];
  const counts = new Map(statuses.map((status) => [status, 0]));
  const stated: { line: number; status: string; count: number }[] = [];
  const seen = new Set<string>();
  document.text.split('\n').forEach((text, index) => {
    const line = index + 1;
    const report = (message: string) => findings.push({ path: document.path, line, message });
    const [, countedStatus, count] = countRow.exec(text) ?? [];
    if (countedStatus !== undefined) stated.push({ line, status: countedStatus, count: Number(count) });
    const [, id = '', , status = '', shownBy = ''] = row.exec(text) ?? [];
    if (id === '') {
      if (/^\| \d/.test(text)) report('not a row of a requirement');
      return;
    }
    if (seen.has(id)) report(`${id} is listed twice`);
    seen.add(id);
    if (!counts.has(status)) report(`${id} has the unknown status ${status}`);
    counts.set(status, (counts.get(status) ?? 0) + 1);
    for (const problem of referenceProblems(shownBy, { tests, documents })) report(`${id}: ${problem}`);
    if (status === 'met' && !hasReference(shownBy))
      report(`${id} is met but names no test and no section of a document`);
    if (status !== 'met' && shownBy.trim() === '') report(`${id} has no reason`);
  });
  for (const { line, status, count } of stated)
    if (counts.get(status) !== count)
      findings.push({ path: document.path, line, message: `${status}: ${count} stated, ${counts.get(status)} listed` });
  for (const status of statuses)
    if (!stated.some((one) => one.status === status))
      findings.push({ path: document.path, line: 1, message: `no count of ${status}` });
  return findings;
}

const hasReference = (shownBy: string): boolean =>
  shownBy.search(testReference) !== -1 || shownBy.search(sectionReference) !== -1;

function referenceProblems(
  shownBy: string,
  { tests, documents }: { tests: ReadonlyMap<string, string>; documents: readonly SourceFile[] },
): string[] {
  const problems: string[] = [];
  for (const [, file = '', titles = ''] of shownBy.matchAll(testReference)) {
    const text = tests.get(file);
    if (text === undefined) problems.push(`no such test file: ${file}`);
    for (const [, title = ''] of titles.matchAll(/"([^"]+)"/g))
      if (text !== undefined && !text.includes(title)) problems.push(`no such test in ${file}: ${title}`);
  }
  for (const [, file = '', section = ''] of shownBy.matchAll(sectionReference)) {
    const text = documents.find(({ path }) => path === file)?.text;
    if (!text?.split('\n').some((line) => isSection(line, section)))
      problems.push(`no section "${section}" in ${file}`);
  }
  return problems;
}

/** A heading, or a paragraph that begins with its subject in bold. */
const isSection = (line: string, title: string): boolean =>
  line.replace(/^#+ /, '') === title ? line.startsWith('#') : line.startsWith(`**${title}.**`);
