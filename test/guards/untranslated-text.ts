import { parseAst } from 'vitest/node';

/** A visible text in a file of the console: texts belong in the label modules. */
export interface UntranslatedText {
  readonly line: number;
  readonly text: string;
}

interface Node {
  readonly type: string;
  readonly start: number;
  readonly [member: string]: unknown;
}

/** Attributes that are shown or read by a screen reader. */
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
/** The content of these elements is code or keys, the same in every language. */
const verbatim: ReadonlySet<string> = new Set(['code', 'kbd', 'pre']);
/** Unit names and codes are not sentences. */
const isWord = /\p{L}{2,}/u;
/** Names of products and protocols. */
const names = /^(UTC|ms|GET|POST|REST|MCP|JSON)$/;

/** Finds every visible text that cannot be translated. */
export function findUntranslatedText(code: string): readonly UntranslatedText[] {
  const found: UntranslatedText[] = [];
  const add = (text: string, at: number) => {
    const isText = text.split(/[\s/·:,.]+/).some((word) => isWord.test(word) && !names.test(word));
    if (isText) found.push({ line: code.slice(0, at).split('\n').length, text: text.trim() });
  };
  const addTexts = (node: unknown): void => {
    for (const text of textsOf(node)) add(text.text, text.at);
  };
  const walkNodes = (node: unknown): void => {
    if (Array.isArray(node)) for (const one of node) walkNodes(one);
    else if (isNode(node)) walkNode(node);
  };
  const walkNode = (node: Node): void => {
    if (node.type === 'JSXAttribute') {
      if (readAttributes.has(attributeName(node))) addTexts(node.value);
      // JSX inside an attribute is checked like any other.
      walkNodes(isNode(node.value) ? node.value.expression : null);
      return;
    }
    if (node.type === 'JSXText') add(String(node.value), node.start);
    if (node.type === 'JSXExpressionContainer') addTexts(node.expression);
    for (const [member, inner] of Object.entries(node))
      if (!(member === 'children' && verbatim.has(nameOf(node)))) walkNodes(inner);
  };
  walkNodes(parseAst(code, { lang: 'tsx' }));
  return found;
}

/** The texts that an expression can evaluate to, as far as they are literals. */
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
