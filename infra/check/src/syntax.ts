import { parseSync } from 'oxc-parser';
import type { Finding, SourceFile } from './sources.ts';

/** A node of the ESTree that the parser returns, as far as the checks read it. */
export interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [member: string]: unknown;
}

export interface ParsedFile extends SourceFile {
  readonly program: Node;
  readonly comments: readonly { readonly value: string; readonly start: number }[];
  /** Module specifiers of static, type-only and dynamic imports and of re-exports. */
  readonly imports: readonly string[];
}

/** Throws when the file is not valid TypeScript, naming it. */
export function parse(file: SourceFile): ParsedFile {
  const { program, comments, errors } = parseSync(file.path, file.text);
  if (errors.length > 0) throw new Error(`${file.path}: ${errors[0]?.message}`);
  const root = program as unknown as Node;
  return { ...file, program: root, comments, imports: importsOf(root) };
}

/** The files that are valid TypeScript, and a finding for each that is not. */
export function parseAll(files: readonly SourceFile[]): { parsed: ParsedFile[]; unreadable: Finding[] } {
  const parsed: ParsedFile[] = [];
  const unreadable: Finding[] = [];
  for (const file of files) {
    try {
      parsed.push(parse(file));
    } catch (error) {
      unreadable.push({ path: file.path, line: 1, message: String(error) });
    }
  }
  return { parsed, unreadable };
}

export const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && typeof (value as Partial<Node>).type === 'string';

/** Calls `visitor` for every node from `node` down, parents first and children in the order of the source. */
export function walk(
  node: Node,
  visitor: (node: Node, ancestors: readonly Node[]) => void,
  ancestors: Node[] = [],
): void {
  visitor(node, ancestors);
  ancestors.push(node);
  // Not by a generator of the children: it took a third of the time of all rules.
  for (const member in node) {
    const value = node[member];
    if (Array.isArray(value)) {
      for (const element of value) if (isNode(element)) walk(element, visitor, ancestors);
    } else if (isNode(value)) walk(value, visitor, ancestors);
  }
  ancestors.pop();
}

function importsOf(program: Node): string[] {
  const specifiers: string[] = [];
  walk(program, (node) => {
    const source = node.source;
    if (isNode(source) && source.type === 'Literal' && typeof source.value === 'string') specifiers.push(source.value);
  });
  return specifiers;
}
