import { createContext, useContext } from 'react';
import type { ListedOperation } from '../../../../api/playground.ts';
import type { JsonIndex } from './json-index.ts';
import { findMember, memberName, stringValue } from './json-members.ts';

/** The target of an id or a cursor: another operation with an id, or parameters of this one. */
export type LinkTarget =
  | { readonly operation: ListedOperation; readonly id: string }
  | { readonly parameters: Readonly<Record<string, string>> };

/** The operations that links can open. */
interface LinkScope {
  readonly operations: readonly ListedOperation[];
  /** The operation of the response. */
  readonly operation: ListedOperation;
  readonly openLink: (link: LinkTarget) => void;
}

export const IdLinksContext = createContext<LinkScope | null>(null);

/** Finds the link of a line. `data` is the line of the `data` member. */
export function useIdLinks(document: JsonIndex, data: number) {
  const scope = useContext(IdLinksContext);
  return {
    findLinkAt: (line: number): LinkTarget | null => (scope && findLink(document, data, line, scope)) ?? null,
    openLink: (link: LinkTarget) => scope?.openLink(link),
  };
}

export function findLink(
  document: JsonIndex,
  data: number,
  line: number,
  { operation, operations }: LinkScope,
): LinkTarget | null {
  if (document.text[document.values[line] ?? 0] !== '"') return null;
  const name = memberName(document, line);
  if (name === 'nextCursor' || name === 'resumeCursor') return cursorLink(document, line, operation);
  const link = operation.idLinks[memberPath(document, data, line) ?? ''];
  if (!link) return null;
  const id = stringValue(document, line);
  const discriminator =
    'discriminator' in link
      ? stringValue(document, findMember(document, document.parents[line] ?? -1, link.discriminator))
      : null;
  const target = 'discriminator' in link ? link.operations[discriminator ?? ''] : link.operation;
  const read = operations.find((one) => one.name === target && one.isAllowed);
  return read && id ? { operation: read, id } : null;
}

/** A cursor continues the query; the cursor of a section of an evidence pack needs the name of the section. */
function cursorLink(document: JsonIndex, line: number, { parameters }: ListedOperation): LinkTarget | null {
  const cursor = stringValue(document, line);
  const takes = parameters.find(({ kind }) => kind === 'cursor');
  if (!cursor || !takes) return null;
  const key = stringValue(document, findMember(document, document.parents[line] ?? -1, 'key'));
  const isOfSection = key !== null && parameters.some(({ name }) => name === 'section');
  return { parameters: { ...(isOfSection ? { section: key } : {}), [takes.name]: cursor } };
}

/** The names that lead from `data` to a line, places in lists left out; null where the line stands elsewhere. */
function memberPath(document: JsonIndex, data: number, line: number): string | null {
  const names: string[] = [];
  for (let at = line; at !== data; at = document.parents[at] ?? -1) {
    if (at < 0) return null;
    const name = memberName(document, at);
    if (name !== null) names.unshift(name);
  }
  return names.join('.');
}
