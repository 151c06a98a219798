import { z } from 'zod';
import { feedReferences } from '../feed/feed-lookup.ts';
import type { FeedReference } from '../feed/feeds.ts';
import { nullableText } from './scalar.ts';
import { type EntityKind, entityKinds } from './vocabulary.ts';

/** A kind of record that other records refer to by id. */
export type ReferencedResource = EntityKind | FeedReference['kind'];

type ResourceByValue = Readonly<Partial<Record<string, ReferencedResource>>>;

/** What the id in a member refers to: always one resource, or the one that a member next to it, the discriminator, names. */
export type IdReference =
  | { readonly resource: ReferencedResource }
  | { readonly discriminator: string; readonly resources: ResourceByValue };

/** Members that hold the id of another record. Their schemas are plain text; links between records are read from here. */
export const idReferences = z.registry<IdReference>();

export function idReference(resource: ReferencedResource, description: string) {
  return nullableText(description).register(idReferences, { resource });
}

/** An id whose resource depends on the value of `discriminator`, a member next to it. */
export function discriminatedIdReference(discriminator: string, resources: ResourceByValue, description: string) {
  return nullableText(description).register(idReferences, { discriminator, resources });
}

/** For discriminators that hold kinds of records. */
export const resourceByKind: ResourceByValue = Object.fromEntries(
  [...entityKinds, ...feedReferences.map(({ kind }) => kind)].map((kind) => [kind, kind]),
);

/** For discriminators that hold types of actors. */
export const resourceByActorType: ResourceByValue = {
  user: 'user',
  guest: 'user',
  human: 'user',
  servicePrincipal: 'app',
  application: 'app',
  agent: 'agent',
};

/** For discriminators that hold types of principals in permissions and memberships. */
export const resourceByPrincipalType: ResourceByValue = {
  user: 'user',
  group: 'group',
  application: 'app',
  servicePrincipal: 'app',
  device: 'device',
};
