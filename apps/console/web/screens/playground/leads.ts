import { createContext, useContext } from 'react';
import type { AskedOperation } from '../../asked.ts';
import type { Indexed } from './indexed.ts';
import { memberOf, nameOf, textOf } from './members.ts';

/** What an id or a cursor in an answer fills in: the form of another operation, or parameters of this one. */
export type LeadTo =
  | { readonly operation: AskedOperation; readonly id: string }
  | { readonly parameters: Readonly<Record<string, string>> };

/** The form that answers lead back to. */
interface Leads {
  readonly operations: readonly AskedOperation[];
  /** What was asked. */
  readonly operation: AskedOperation;
  readonly follow: (lead: LeadTo) => void;
}

export const LeadsContext = createContext<Leads | null>(null);

/** Where the value on a line leads, if anywhere. `data` is the line of the member that holds what was asked for. */
export function useLeads(document: Indexed, data: number) {
  const leads = useContext(LeadsContext);
  return {
    leadOf: (line: number): LeadTo | null => (leads && leadAt(document, data, line, leads)) ?? null,
    follow: (lead: LeadTo) => leads?.follow(lead),
  };
}

export function leadAt(document: Indexed, data: number, line: number, { operation, operations }: Leads): LeadTo | null {
  if (document.text[document.values[line] ?? 0] !== '"') return null;
  const name = nameOf(document, line);
  if (name === 'nextCursor' || name === 'resumeCursor') return cursorAt(document, line, operation);
  const lead = operation.leads[pathOf(document, data, line) ?? ''];
  if (!lead) return null;
  const id = textOf(document, line);
  const told =
    'toldBy' in lead ? textOf(document, memberOf(document, document.parents[line] ?? -1, lead.toldBy)) : null;
  const wanted = 'toldBy' in lead ? lead.operations[told ?? ''] : lead.operation;
  const read = operations.find((one) => one.name === wanted && one.isAllowed);
  return read && id ? { operation: read, id } : null;
}

/** A cursor continues what was asked; that of a section of a pack goes with the name of the section. */
function cursorAt(document: Indexed, line: number, { parameters }: AskedOperation): LeadTo | null {
  const cursor = textOf(document, line);
  const takes = parameters.find(({ kind }) => kind === 'cursor');
  if (!cursor || !takes) return null;
  const key = textOf(document, memberOf(document, document.parents[line] ?? -1, 'key'));
  const isOfSection = key !== null && parameters.some(({ name }) => name === 'section');
  return { parameters: { ...(isOfSection ? { section: key } : {}), [takes.name]: cursor } };
}

/** The names that lead from `data` to a line, places in lists left out; null where the line stands elsewhere. */
function pathOf(document: Indexed, data: number, line: number): string | null {
  const names: string[] = [];
  for (let at = line; at !== data; at = document.parents[at] ?? -1) {
    if (at < 0) return null;
    const name = nameOf(document, at);
    if (name !== null) names.unshift(name);
  }
  return names.join('.');
}
