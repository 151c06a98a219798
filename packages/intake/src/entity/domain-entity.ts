import { hash } from 'node:crypto';
import { type EntityKind, entityKinds } from '@tenantscope/contract';
import type { DomainKind, DomainOutcome, ValidatedRecord } from '../domain/domain-record.ts';
import { formatInstant, parsePayload } from '../domain/payload.ts';
import { firstGuid } from '../field/guid.ts';
import { maskSecretText } from '../field/mask-secret-text.ts';
import type { Json, JsonObject } from '../json/value.ts';
import { toVisibleJson } from '../json/write-json.ts';
import { isRejection, type Rejection } from '../message/rejection.ts';
import { accountablePayload, entityPayloads } from './payload.ts';
import { domainPart } from './stored-part.ts';

/** The platform's own records of entities and of accountable persons. */
export const domainEntities: readonly DomainKind[] = [
  ...entityKinds.map(
    (kind): DomainKind => ({
      name: kind,
      isDeletable: true,
      isImmutable: false,
      toRow: (tenantId, id) => ({ table: 'entity', entityKind: kind, tenantId, id: normaliseEntityId(id) }),
      read: (record) => readEntity(kind, record),
    }),
  ),
  {
    name: 'accountable',
    // An entity without an accountable person is a state whose userId is null.
    isDeletable: false,
    isImmutable: false,
    toRow: (tenantId, id) => ({ table: 'entity', entityKind: 'agent', tenantId, id }),
    read: readAccountable,
  },
];

function readEntity(entityKind: EntityKind, record: ValidatedRecord): DomainOutcome | Rejection {
  const sent = parsePayload(entityPayloads[entityKind], record.plain);
  if (isRejection(sent)) return sent;
  const { id: _, tenantId: __, version: ___, changedAt: ____, ...members } = sent as { [name: string]: Json };
  const present = Object.entries(refine(entityKind, members)).filter(([, value]) => value !== null);
  const facts = toVisibleJson(Object.fromEntries(present) as JsonObject) as Record<string, Json>;
  return toPart(entityKind, record.id, domainPart, record, facts);
}

/** Derives members that the schema alone cannot. */
function refine(kind: EntityKind, members: { [name: string]: Json }): JsonObject {
  if (kind === 'agent') {
    const instructions = typeof members.instructions === 'string' ? maskSecretText(members.instructions) : null;
    return {
      ...members,
      instructions,
      instructionsHash: members.instructionsHash ?? hashInstructions(members.instructions),
      hasInstructions: members.hasInstructions ?? (instructions === null ? null : true),
    };
  }
  if (kind !== 'user') return members;
  const sentRoles = (members.roles ?? null) as
    | readonly (string | { name: string; permanent?: boolean | null })[]
    | null;
  if (sentRoles === null) return { ...members, roles: null };
  const roles = sentRoles.map((role) => (typeof role === 'string' ? { name: role } : role));
  const assignments = roles.map(({ name, permanent }) => ({ name, permanent: permanent ?? null }));
  return {
    ...members,
    roles: roles.map(({ name }) => name),
    roleAssignments: members.roleAssignments ?? assignments,
    isAdmin: members.isAdmin ?? roles.length > 0,
  };
}

function readAccountable(record: ValidatedRecord): DomainOutcome | Rejection {
  const sent = parsePayload(accountablePayload, record.plain);
  if (isRejection(sent)) return sent;
  const { subject, userId, userName, assignedBy, assignedAt } = sent;
  const person = { id: userId ?? null, name: userName ?? null, source: userId == null ? 'none' : 'assignment' };
  const served =
    subject.type === 'agent'
      ? { ownerId: person.id, ownerName: person.name, ownerSource: person.source }
      : { accountableId: person.id, accountableName: person.name, accountableSource: person.source };
  // The assignment itself is stored even where the entity names an owner of its own.
  const assignment = { assignedBy: assignedBy ?? null, assignedAt: formatInstant(assignedAt) };
  const accountable = person.id === null ? null : { userId: person.id, name: person.name, ...assignment };
  const facts = { ...served, accountable };
  return toPart(subject.type, subject.id, 'accountable', record, toVisibleJson(facts) as Record<string, Json>);
}

function toPart(
  entityKind: EntityKind,
  id: string,
  name: string,
  record: ValidatedRecord,
  facts: Record<string, Json>,
): DomainOutcome {
  const { tenantId, version, digest, changedAtMs } = record;
  return {
    kind: 'part',
    part: {
      tenantId,
      entityKind,
      id: normaliseEntityId(id),
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

/** The hash of the text as sent, secrets included: evidence compares these hashes. */
function hashInstructions(instructions: Json | undefined): string | null {
  return typeof instructions === 'string' ? hash('sha256', instructions) : null;
}

/** Gives GUIDs one spelling, because providers write them in both cases and parts of one entity must match. */
export function normaliseEntityId(id: string): string {
  return firstGuid(id) ?? id;
}
