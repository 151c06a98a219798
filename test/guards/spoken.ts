import { parseAst } from 'vitest/node';

/** What is said to a person in a file of the console, where it stands: words belong into the modules of words. */
export interface Spoken {
  readonly line: number;
  readonly text: string;
}

interface Node {
  readonly type: string;
  readonly start: number;
  readonly [member: string]: unknown;
}

/** Attributes that are read out or shown. */
const readAttributes: ReadonlySet<string> = new Set([
  'alt',
  'aria-description',
  'aria-label',
  'aria-placeholder',
  'aria-roledescription',
  'aria-valuetext',
  'label',
  'placeholder',
  'title',
]);
/** What stands in these is typed or pressed, and the same in every language. */
const verbatim: ReadonlySet<string> = new Set(['code', 'kbd', 'pre']);
/** Names of units and codes are no sentences. */
const isWord = /\p{L}{2,}/u;
/** A product's or protocol's own name. */
const names = /^(UTC|ms|GET|POST|REST|MCP|JSON)$/;

/** Everything that a person would read and that no translator can reach. */
export function spokenIn(code: string): readonly Spoken[] {
  const spoken: Spoken[] = [];
  const say = (text: string, at: number) => {
    const isSaid = text.split(/[\s/·:,.]+/).some((word) => isWord.test(word) && !names.test(word));
    if (isSaid) spoken.push({ line: code.slice(0, at).split('\n').length, text: text.trim() });
  };
  const read = (node: unknown): void => {
    for (const text of textsOf(node)) say(text.text, text.at);
  };
  const visit = (node: unknown): void => {
    if (Array.isArray(node)) for (const one of node) visit(one);
    else if (isNode(node)) meet(node);
  };
  const meet = (node: Node): void => {
    if (node.type === 'JSXAttribute') {
      if (readAttributes.has(attributeName(node))) read(node.value);
      // What is drawn inside of it is read like anything else.
      visit(isNode(node.value) ? node.value.expression : null);
      return;
    }
    if (node.type === 'JSXText') say(String(node.value), node.start);
    if (node.type === 'JSXExpressionContainer') read(node.expression);
    for (const [member, inner] of Object.entries(node))
      if (!(member === 'children' && verbatim.has(nameOf(node)))) visit(inner);
  };
  visit(parseAst(code, { lang: 'tsx' }));
  return spoken;
}

/** The texts that an expression can come to, as far as they stand in it. */
function textsOf(node: unknown): readonly { text: string; at: number }[] {
  if (!isNode(node)) return [];
  switch (node.type) {
    case 'Literal':
      return typeof node.value === 'string' ? [{ text: node.value, at: node.start }] : [];
    case 'TemplateLiteral':
      return (node.quasis as Node[]).map(({ value, start }) => ({
        text: (value as { cooked: string }).cooked,
        at: start,
      }));
    case 'JSXExpressionContainer':
    case 'ParenthesizedExpression':
      return textsOf(node.expression);
    case 'ConditionalExpression':
      return [...textsOf(node.consequent), ...textsOf(node.alternate)];
    case 'LogicalExpression':
      return [...textsOf(node.left), ...textsOf(node.right)];
    case 'BinaryExpression':
      return node.operator === '+' ? [...textsOf(node.left), ...textsOf(node.right)] : [];
    default:
      return [];
  }
}

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && typeof (value as Node).type === 'string';

const nameOf = ({ openingElement }: Node): string =>
  isNode(openingElement) ? ((openingElement.name as { name?: string }).name ?? '') : '';

const attributeName = ({ name }: Node): string => {
  const { name: own, namespace } = name as { name?: string; namespace?: { name: string } };
  return namespace ? `${namespace.name}:${own}` : (own ?? '');
};
