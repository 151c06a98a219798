import { declaredName } from '../declared-name.ts';
import { type Finding, lineAt, type SourceFile } from '../sources.ts';
import { isNode, type Node, type ParsedFile, walk } from '../syntax.ts';
import { titledFunction } from '../test-titles.ts';
import { type AllowedPlace, allowedPlaces } from './allow-list.ts';
import { type Context, findForbiddenTerms } from './find-terms.ts';

/** Checks the path of a file, whatever it holds. */
export function checkFileName({ path }: SourceFile): Finding[] {
  return findingsIn(path, 1, path, 'file name');
}

/** Checks declared names, strings that are read by a person, test titles and comments of a TypeScript file. */
export function checkSyntax(file: ParsedFile): Finding[] {
  const findings: Finding[] = [];
  const add = (text: string, offset: number, context: Context) => {
    for (const finding of findingsIn(file.path, 1, text, context))
      findings.push({ ...finding, line: lineAt(file.text, offset) });
  };
  walk(file.program, (node, ancestors) => {
    const name = declaredName(node, ancestors);
    if (name !== null) add(name, node.start, 'name');
    const text = textOf(node);
    if (text === null) return;
    const context = contextOf(file.path, text, ancestors);
    if (context !== null) add(text, node.start, context);
  });
  for (const { value, start } of file.comments) add(value, start, 'prose');
  return findings;
}

/** SQL outside of comments is names; comments are prose. */
export function checkSql({ path, text }: SourceFile): Finding[] {
  return text.split('\n').flatMap((line, index) => {
    const comment = line.indexOf('--');
    const code = comment === -1 ? line : line.slice(0, comment);
    return [
      ...findingsIn(path, index + 1, code, 'name'),
      ...(comment === -1 ? [] : findingsIn(path, index + 1, line.slice(comment), 'prose')),
    ];
  });
}

export function checkDocument({ path, text }: SourceFile): Finding[] {
  return text.split('\n').flatMap((line, index) => findingsIn(path, index + 1, line, 'prose'));
}

function findingsIn(path: string, line: number, text: string, context: Context): Finding[] {
  const terms = findForbiddenTerms(text, context)
    .filter(({ term }) => !allowedPlaces.some((place) => isBelow(path, place.path) && allows(place, term, context)))
    .map(({ term, use }) => ({ path, line, message: `${context}: "${term}" (use: ${use}) in ${excerpt(text)}` }));
  const quotes = curlyQuotes.test(text)
    ? [{ path, line, message: `${context}: curly quotes in ${excerpt(text)}` }]
    : [];
  return [...terms, ...quotes];
}

const allows = ({ terms, textOnly }: AllowedPlace, term: string, context: Context): boolean =>
  (terms.includes(term) || terms.includes('*')) && (textOnly !== true || context === 'text');
/** Polish opens with \u201e and closes with \u201d; English texts use straight quotes. */
const curlyQuotes = /[\u00ab\u00bb\u201c\u2018\u2019]/;

const excerpt = (text: string): string => JSON.stringify(text.trim().replace(/\s+/g, ' ').slice(0, 90));

function textOf(node: Node): string | null {
  if (node.type === 'Literal' && typeof node.value === 'string') return node.value;
  if (node.type === 'JSXText' && typeof node.value === 'string') return node.value;
  if (node.type === 'TemplateElement' && typeof node.value === 'object' && node.value !== null) {
    const { cooked } = node.value as { cooked?: unknown };
    return typeof cooked === 'string' ? cooked : null;
  }
  return null;
}

const isTest = (path: string): boolean => path.startsWith('test/') || /\/test\//.test(path);
const isLabel = (path: string): boolean =>
  path.startsWith('apps/console/web/labels/') || path.startsWith('apps/console/web/words/');
const notText = new Set([
  'ImportDeclaration',
  'ExportNamedDeclaration',
  'ExportAllDeclaration',
  'ImportExpression',
  'TSLiteralType',
]);

/** Null for strings that no person reads: module specifiers, values without a space, and data of tests. */
function contextOf(path: string, text: string, ancestors: readonly Node[]): Context | null {
  const parent = ancestors.at(-1);
  if (!parent || notText.has(parent.type)) return null;
  if (titledFunction(ancestors) !== null) return 'test title';
  if (isTest(path)) return null;
  if (isLabel(path))
    return parent.type === 'Property' && parent.key !== parent.value && isNode(parent.key) && parent.key.value === text
      ? null
      : 'text';
  return /\s/.test(text.trim()) || parent.type === 'JSXElement' ? 'text' : null;
}

const isBelow = (path: string, place: string): boolean =>
  place.endsWith('/') ? path.startsWith(place) : path === place;
