import type { ActorType } from '@tenantscope/contract';
import { type PrincipalKind, type PrincipalLookup, principalKinds } from '../message/reading-context.ts';
import type { Activity } from './activity.ts';

/**
 * The id of the user, agent or app that the actor of a record is: by the actor's id, then by its name where that is a sign-in
 * name, an address or a SID. Records of one person have an object id, a PUID or a sign-in name by turns, and no directory reports
 * PUIDs; a record with a PUID has the sign-in name too. Null where several have the name: no person is better than a wrong one.
 */
export function findActor(
  { actor, sourceType }: Activity,
  tenantId: string,
  findPrincipal: PrincipalLookup,
): string | null {
  const kinds = kindsByType[actor.type] ?? principalKinds;
  const find = (alias: string) =>
    findPrincipal(tenantId, { alias: alias.toLowerCase(), kinds, prefersGoogle: sourceType === 'googleWorkspace' });
  const findName = (name: string | null | undefined) => (name && accountName.test(name) ? find(name) : null);
  const { id, account, name } = actor;
  return (id === null ? null : find(id)) ?? findName(account) ?? findName(name);
}

const accountName = /@|^S-1-\d+-/i;
const programKinds: readonly PrincipalKind[] = ['app', 'agent'];

/** Other types of actors may be any kind, a user first. */
const kindsByType: Readonly<Partial<Record<ActorType, readonly PrincipalKind[]>>> = {
  user: ['user'],
  guest: ['user'],
  // The third is for agents that sign in with a user account of their own.
  agent: ['agent', 'app', 'user'],
  servicePrincipal: programKinds,
  application: programKinds,
};
