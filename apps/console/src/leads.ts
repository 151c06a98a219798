import { entities, idNotes, type Named, type Operation, operations } from '@tenantscope/contract';
import { z } from 'zod';

/** Where the id in a member leads: always to one by-id read, or to the one that the member beside it tells. */
export type Lead =
  | { readonly operation: string }
  | { readonly toldBy: string; readonly operations: Readonly<Record<string, string>> };

/** The members of a record, by their path such as `owners.id`, whose ids can be asked for. All of it follows from the contract. */
export function leadsOf(operation: Operation): Readonly<Record<string, Lead>> {
  const leads: Record<string, Lead> = {};
  const walk = (schema: unknown, path: readonly string[]) => {
    const lead = leadOf(schema);
    if (lead) leads[path.join('.')] = lead;
    if (schema instanceof z.ZodNullable || schema instanceof z.ZodOptional) walk(schema.unwrap(), path);
    else if (schema instanceof z.ZodArray) walk(schema.element, path);
    else if (schema instanceof z.ZodUnion) for (const option of schema.options) walk(option, path);
    else if (schema instanceof z.ZodObject)
      for (const [name, member] of Object.entries(schema.shape)) walk(member, [...path, name]);
  };
  walk(operation.record, []);
  const own = byIdReads.find(({ path }) => path.startsWith(`${operation.path}/{id}`));
  if (own) leads.id = { operation: own.name };
  return leads;
}

const byIdReads = (operations as readonly Operation[]).filter(({ kind }) => kind === 'get');

const others = {
  detection: 'get_detection',
  policyScan: 'get_policy_scan',
  securityAlert: 'get_security_alert',
} as const;

const readOf = (named: Named): string =>
  named in entities ? entities[named as keyof typeof entities].get.name : others[named as keyof typeof others];

function leadOf(schema: unknown): Lead | null {
  const notes = schema instanceof z.ZodType ? idNotes.get(schema) : undefined;
  if (notes === undefined) return null;
  if (!('toldBy' in notes)) return { operation: readOf(notes.names) };
  const told = Object.entries(notes.names).flatMap(([kind, named]) => (named ? [[kind, readOf(named)] as const] : []));
  return { toldBy: notes.toldBy, operations: Object.fromEntries(told) };
}
