import { hash } from 'node:crypto';
import { type EntityKind, entityKinds } from '@tenantscope/contract';
import type { Arrival, DomainKind, Said } from '../domain/domain-record.ts';
import { conform, shown } from '../domain/payload.ts';
import { firstGuid } from '../field/guid.ts';
import { maskSecretText } from '../field/secret-text.ts';
import type { Json, JsonObject } from '../json/value.ts';
import { visible } from '../json/write.ts';
import { isRejection, type Rejection } from '../rejection.ts';
import { domainPart } from './part.ts';
import { accountablePayload, entityPayloads } from './payload.ts';

/** The platform's own records of entities, and of who answers for them. */
export const domainEntities: readonly DomainKind[] = [
  ...entityKinds.map(
    (kind): DomainKind => ({
      name: kind,
      isDeletable: true,
      isImmutable: false,
      rowOf: (tenantId, id) => ({ table: 'entity', entityKind: kind, tenantId, id: entityId(id) }),
      read: (arrival) => readEntity(kind, arrival),
    }),
  ),
  {
    name: 'accountable',
    // Nobody answers for it any more: a state whose userId is null.
    isDeletable: false,
    isImmutable: false,
    rowOf: (tenantId, id) => ({ table: 'entity', entityKind: 'agent', tenantId, id }),
    read: readAccountable,
  },
];

function readEntity(entityKind: EntityKind, arrival: Arrival): Said | Rejection {
  const sent = conform(entityPayloads[entityKind], arrival.plain);
  if (isRejection(sent)) return sent;
  const { id: _, tenantId: __, version: ___, changedAt: ____, ...members } = sent as { [name: string]: Json };
  const known = Object.entries(refined(entityKind, members)).filter(([, value]) => value !== null);
  const facts = visible(Object.fromEntries(known) as JsonObject) as Record<string, Json>;
  return part(entityKind, arrival.id, domainPart, arrival, facts);
}

/** What a schema alone cannot say. */
function refined(kind: EntityKind, members: { [name: string]: Json }): JsonObject {
  if (kind === 'agent') {
    const instructions = typeof members.instructions === 'string' ? maskSecretText(members.instructions) : null;
    return {
      ...members,
      instructions,
      instructionsHash: members.instructionsHash ?? hashOf(members.instructions),
      hasInstructions: members.hasInstructions ?? (instructions === null ? null : true),
    };
  }
  if (kind !== 'user') return members;
  const held = (members.roles ?? null) as readonly (string | { name: string; permanent?: boolean | null })[] | null;
  if (held === null) return { ...members, roles: null };
  const roles = held.map((role) => (typeof role === 'string' ? { name: role } : role));
  const assignments = roles.map(({ name, permanent }) => ({ name, permanent: permanent ?? null }));
  return {
    ...members,
    roles: roles.map(({ name }) => name),
    roleAssignments: members.roleAssignments ?? assignments,
    isAdmin: members.isAdmin ?? roles.length > 0,
  };
}

function readAccountable(arrival: Arrival): Said | Rejection {
  const sent = conform(accountablePayload, arrival.plain);
  if (isRejection(sent)) return sent;
  const { subject, userId, userName, assignedBy, assignedAt } = sent;
  const person = { id: userId ?? null, name: userName ?? null, source: userId == null ? 'none' : 'assignment' };
  const served =
    subject.type === 'agent'
      ? { ownerId: person.id, ownerName: person.name, ownerSource: person.source }
      : { accountableId: person.id, accountableName: person.name, accountableSource: person.source };
  // The assignment itself is kept also where the entity names an owner of its own.
  const assignment = { assignedBy: assignedBy ?? null, assignedAt: shown(assignedAt) };
  const accountable = person.id === null ? null : { userId: person.id, name: person.name, ...assignment };
  const facts = { ...served, accountable };
  return part(subject.type, subject.id, 'accountable', arrival, visible(facts) as Record<string, Json>);
}

function part(entityKind: EntityKind, id: string, name: string, arrival: Arrival, facts: Record<string, Json>): Said {
  const { tenantId, version, digest, changedAtMs } = arrival;
  return {
    kind: 'part',
    part: {
      tenantId,
      entityKind,
      id: entityId(id),
      part: name,
      isRemoval: false,
      version,
      digest,
      facts,
      aliases: [],
      changedAtMs: changedAtMs as number,
    },
  };
}

/** Of the text as it was told, secrets and all: what evidence compares. */
function hashOf(instructions: Json | undefined): string | null {
  return typeof instructions === 'string' ? hash('sha256', instructions) : null;
}

/** One spelling of an id that providers write in both cases, so that parts of one entity meet. */
export function entityId(id: string): string {
  return firstGuid(id) ?? id;
}
