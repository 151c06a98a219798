import type { FileComparison } from './compare-fields.ts';
import { explainedDifferences, explainedRejections, listLines } from './explained-differences.ts';

/**
 * What the comparison of a file and the table of explained differences do not have in common: differences that nothing explains,
 * and explanations of what does not differ.
 */
export function listDisagreements({ name, paths, rejections, unknown }: FileComparison): string[] {
  const measured = [
    ...paths.flatMap(({ path, differences }) => differences.map(({ line }) => `${path} ${line}`)),
    ...rejections.map(({ line, reason }) => `${reason} ${line}`),
  ];
  const explained = [
    ...differencesOf(name).flatMap((each) => each.paths.flatMap((path) => withLines(path, each.lines))),
    ...rejectionsOf(name).flatMap(({ reason, lines }) => withLines(reason.split(':')[0] ?? '', lines)),
  ];
  return [
    ...unknown.map((path) => `${name} ${path}: in no table`),
    ...subtract(measured, explained).map((place) => `${name} ${place}: not explained`),
    ...subtract(explained, measured).map((place) => `${name} ${place}: explained, but equal`),
  ];
}

export const differencesOf = (name: string) => explainedDifferences.filter(({ file }) => name.endsWith(`/${file}`));
export const rejectionsOf = (name: string) => explainedRejections.filter(({ file }) => name.endsWith(`/${file}`));

const withLines = (what: string, lines: string): string[] => listLines(lines).map((line) => `${what} ${line}`);

function subtract(from: readonly string[], those: readonly string[]): string[] {
  const others = new Set(those);
  return from.filter((each) => !others.has(each));
}
