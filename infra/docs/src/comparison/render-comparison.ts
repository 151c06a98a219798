import { table } from '../markdown-table.ts';
import type { FileComparison } from './compare-fields.ts';
import { compareFile } from './compare-fields.ts';
import { compareSeverities, ratedLower, rejectedExcerpts, type SeverityComparison } from './compare-severities.ts';
import type { ExpectedFile } from './expected-files.ts';
import { differencesOf, rejectionsOf } from './explain-differences.ts';

/** Renders the comparison with what other products make of the same records, as a section of the page of coverage. */
export function renderComparison(files: readonly ExpectedFile[]): string {
  const compared = files.filter(({ expectedFormat }) => expectedFormat === 'elastic-ecs').map(compareFile);
  const rated = files.filter(({ expectedFormat }) => expectedFormat === 'panther-test').map(compareSeverities);
  return [
    '## Compared with other products',
    'The authors of another collector publish its output next to the records. Each path of that output is compared with the members of ours that correspond to it, in every record that has the path: one of them has each expected value, in the spelling of ours. A test fails on a difference that is not listed here, and on a listed one that no longer exists. Lines count from 0.',
    table(
      ['File', 'Records', 'Paths', 'Values compared', 'Equal', 'Different', 'Rejected', 'Paths without a counterpart'],
      compared.map(summarize),
    ),
    table(['File', 'Paths', 'Lines', 'Why different'], compared.flatMap(listReasons)),
    'Paths of other products that nothing in ours corresponds to:',
    table(['Paths', 'Why'], groupByReason(compared)),
    ...renderSeverities(rated),
  ].join('\n\n');
}

function summarize({ name, records, paths, rejections, withoutCounterpart }: FileComparison): (string | number)[] {
  const values = paths.reduce((sum, each) => sum + each.compared, 0);
  const different = paths.reduce((sum, each) => sum + each.differences.length, 0);
  const others = withoutCounterpart.length;
  return [name, records, paths.length, values, values - different, different, rejections.length, others];
}

function listReasons({ name }: FileComparison): string[][] {
  return [
    ...differencesOf(name).map(({ paths, lines, reason }) => [name, paths.join(', '), lines, reason]),
    ...rejectionsOf(name).map(({ lines, reason }) => [name, 'rejected', lines, reason]),
  ];
}

/** Of the origin's own members the first parts of the names are enough: there are hundreds. */
function groupByReason(compared: readonly FileComparison[]): string[][] {
  const all = compared.flatMap(({ withoutCounterpart }) => withoutCounterpart);
  return [...Map.groupBy(all, ({ reason }) => reason)].map(([reason, each]) => {
    const paths = new Set(each.map(({ path }) => path));
    const parts = new Set([...paths].map((path) => `${path.split('.')[0]}.…`));
    const shown = paths.size > shownMax ? parts : paths;
    return [[...shown].toSorted().join(', '), reason];
  });
}

function renderSeverities(rated: readonly SeverityComparison[]): string[] {
  return [
    'Rules of another product come with records on which they must alert. Where such a rule has medium or higher severity, the record is at least medium in ours:',
    table(
      ['File', 'Records', 'Rejected', 'Must alert', 'At least medium', 'Lower', 'Why rejected'],
      rated.map(({ name, records, rejections, alerting, lower }) => {
        const rejected = Object.values(rejections).reduce((sum, count) => sum + count, 0);
        const reason = rejectedExcerpts.find(({ file }) => file === name)?.reason ?? '';
        return [name, records, rejected, alerting, alerting - lower.length, lower.length, reason];
      }),
    ),
    table(
      ['Rule', 'Severity in ours', 'Why lower'],
      ratedLower.map(({ rule, severity, reason }) => [rule, severity, reason]),
    ),
  ];
}

const shownMax = 40;
