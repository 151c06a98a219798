import {
  entities,
  feedReferences,
  idReferences,
  type Operation,
  type OperationName,
  operations,
  type ReferencedResource,
} from '@tenantscope/contract';
import { z } from 'zod';
import type { IdLink } from '../../api/playground.ts';

/** The members of a record, by their path such as `owners.id`, whose ids have a get operation; derived from the contract. */
export function idLinks(operation: Operation): Readonly<Record<string, IdLink>> {
  const links: Record<string, IdLink> = {};
  const walk = (schema: unknown, path: readonly string[]) => {
    const link = findLink(schema);
    if (link) links[path.join('.')] = link;
    if (schema instanceof z.ZodNullable || schema instanceof z.ZodOptional) walk(schema.unwrap(), path);
    else if (schema instanceof z.ZodArray) walk(schema.element, path);
    else if (schema instanceof z.ZodUnion) for (const option of schema.options) walk(option, path);
    else if (schema instanceof z.ZodObject)
      for (const [name, member] of Object.entries(schema.shape)) walk(member, [...path, name]);
  };
  walk(operation.record, []);
  const own = byIdOperations.find(({ path }) => path.startsWith(`${operation.path}/{id}`));
  if (own) links.id = { operation: own.name };
  return links;
}

const byIdOperations = (operations as readonly Operation[]).filter(({ kind }) => kind === 'get');

const getOperations = Object.fromEntries([
  ...Object.entries(entities).map(([kind, { get }]) => [kind, get.name] as const),
  ...feedReferences.map(({ kind, getOperation }) => [kind, getOperation] as const),
]) as Readonly<Record<ReferencedResource, OperationName>>;

function findLink(schema: unknown): IdLink | null {
  const reference = schema instanceof z.ZodType ? idReferences.get(schema) : undefined;
  if (reference === undefined) return null;
  if (!('discriminator' in reference)) return { operation: getOperations[reference.resource] };
  const linked = Object.entries(reference.resources).flatMap(([kind, named]) =>
    named ? [[kind, getOperations[named]] as const] : [],
  );
  return { discriminator: reference.discriminator, operations: Object.fromEntries(linked) };
}
