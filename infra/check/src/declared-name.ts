import type { Node } from './syntax.ts';

const namedByKey = new Set([
  'Property',
  'PropertyDefinition',
  'MethodDefinition',
  'TSPropertySignature',
  'TSMethodSignature',
]);
const bindingParents = new Set([
  'VariableDeclarator',
  'AssignmentPattern',
  'RestElement',
  'ArrayPattern',
  'TSParameterProperty',
]);
const declarations = new Set([
  'FunctionDeclaration',
  'FunctionExpression',
  'ArrowFunctionExpression',
  'ClassDeclaration',
  'TSInterfaceDeclaration',
  'TSTypeAliasDeclaration',
  'TSEnumDeclaration',
  'TSTypeParameter',
  'TSFunctionType',
]);

/** The name that an identifier declares; null where it only refers to something. */
export function declaredName(node: Node, ancestors: readonly Node[]): string | null {
  if (node.type !== 'Identifier' || typeof node.name !== 'string') return null;
  const parent = ancestors.at(-1);
  if (!parent) return null;
  if (namedByKey.has(parent.type)) {
    const isPatternValue =
      parent.type === 'Property' && parent.value === node && ancestors.at(-2)?.type === 'ObjectPattern';
    // In a pattern the key is another's name: what is declared is the value.
    const isPatternKey =
      parent.type === 'Property' && ancestors.at(-2)?.type === 'ObjectPattern' && parent.value !== node;
    return isPatternValue || (parent.key === node && parent.computed !== true && !isPatternKey) ? node.name : null;
  }
  if (parent.type === 'VariableDeclarator') return parent.id === node ? node.name : null;
  if (parent.type === 'AssignmentPattern') return parent.left === node ? node.name : null;
  if (bindingParents.has(parent.type)) return node.name;
  if (!declarations.has(parent.type)) return null;
  const parameters = Array.isArray(parent.params) ? parent.params : [];
  return parent.id === node || parent.name === node || parameters.includes(node) ? node.name : null;
}
