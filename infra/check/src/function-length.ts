import { countLines, type Finding, lineAt } from './sources.ts';
import { isNode, type Node, type ParsedFile, walk } from './syntax.ts';

const mostLines = 100;
const functions = new Set(['FunctionDeclaration', 'FunctionExpression', 'ArrowFunctionExpression']);

/** Functions of more than 100 lines, the line of the closing brace included. The callback of `describe` is a group, not a function. */
export function checkFunctionLength(file: ParsedFile): Finding[] {
  const findings: Finding[] = [];
  walk(file.program, (node, ancestors) => {
    if (!functions.has(node.type) || isGroup(ancestors.at(-1))) return;
    const lines = countLines(file.text.slice(node.start, node.end));
    if (lines <= mostLines) return;
    const line = lineAt(file.text, node.start);
    findings.push({ path: file.path, line, message: `a function of ${lines} lines; at most ${mostLines}` });
  });
  return findings;
}

function isGroup(call: Node | undefined): boolean {
  let callee: unknown = call?.type === 'CallExpression' ? call.callee : null;
  while (isNode(callee) && callee.type !== 'Identifier') callee = callee.object ?? callee.callee;
  return isNode(callee) && callee.name === 'describe';
}
