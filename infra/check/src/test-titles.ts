import { type Finding, lineAt } from './sources.ts';
import { isNode, type Node, type ParsedFile, walk } from './syntax.ts';

const placeholder = /%[\d.]*[a-z#%]|\$[\w.]+/gi;

/** The function of which the innermost node is the title: `test`, `it` or `describe`, also with `each` or `skipIf` before the call. */
export function titledFunction(ancestors: readonly Node[]): string | null {
  const call = ancestors.findLast((node) => node.type === 'CallExpression');
  const first = Array.isArray(call?.arguments) ? call.arguments[0] : undefined;
  const inside = ancestors.at(-1);
  if (!call || !isNode(first) || (inside !== call && inside !== first)) return null;
  let callee: unknown = call.callee;
  while (isNode(callee) && callee.type !== 'Identifier')
    callee = callee.type === 'MemberExpression' ? callee.object : callee.callee;
  const name = isNode(callee) ? String(callee.name) : '';
  return ['test', 'it', 'describe'].includes(name) ? name : null;
}

/** False for the rows in `test.each([…])`. */
const isArgument = (ancestors: readonly Node[]): boolean => ancestors.at(-1)?.type === 'CallExpression';

/** Titles of tests that are values of a table alone: a title names what the row shows. */
export function checkTestTitles(file: ParsedFile): Finding[] {
  const findings: Finding[] = [];
  walk(file.program, (node, ancestors) => {
    if (node.type !== 'Literal' || typeof node.value !== 'string') return;
    const name = isArgument(ancestors) ? titledFunction(ancestors) : null;
    if (name === null || name === 'describe' || /\p{L}/u.test(node.value.replace(placeholder, ''))) return;
    const line = lineAt(file.text, node.start);
    findings.push({ path: file.path, line, message: `test title: ${JSON.stringify(node.value)} is not a sentence` });
  });
  return findings;
}
