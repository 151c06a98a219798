import { z } from 'zod';
import { nullableText } from './scalar.ts';
import { type EntityKind, entityKinds } from './vocabulary.ts';

/** What can be asked for by an id that stands in another record. */
export type Named = EntityKind | 'detection' | 'policyScan' | 'securityAlert';

/** What the id in a member names: always the same, or what the member beside it says. */
export type IdNotes =
  | { readonly names: Named }
  | { readonly toldBy: string; readonly names: Readonly<Partial<Record<string, Named>>> };

/** Members that hold the id of another record. Answers document them as texts; whoever leads from record to record asks here. */
export const idNotes = z.registry<IdNotes>();

export function idOf(names: Named, description: string) {
  return nullableText(description).register(idNotes, { names });
}

/** The id of what `toldBy`, a member beside it, says. */
export function idToldBy(toldBy: string, names: Readonly<Partial<Record<string, Named>>>, description: string) {
  return nullableText(description).register(idNotes, { toldBy, names });
}

/** Where kinds are told by their own names. */
export const byKind: Readonly<Partial<Record<string, Named>>> = {
  ...Object.fromEntries(entityKinds.map((kind) => [kind, kind])),
  detection: 'detection',
  policyScan: 'policyScan',
  securityAlert: 'securityAlert',
};

/** Who acts, and what stands among the tenant's entities for it. */
export const byActor: Readonly<Partial<Record<string, Named>>> = {
  user: 'user',
  guest: 'user',
  human: 'user',
  servicePrincipal: 'app',
  application: 'app',
  agent: 'agent',
};

/** Kinds of principals in permissions and memberships. */
export const byPrincipal: Readonly<Partial<Record<string, Named>>> = {
  user: 'user',
  group: 'group',
  application: 'app',
  servicePrincipal: 'app',
  device: 'device',
};
