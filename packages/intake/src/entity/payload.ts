import { type EntityKind, entities, fieldAnnotations, nestedListMax, storeOnlyMembers } from '@tenantscope/contract';
import { z } from 'zod';
import { formatInstant, recordId, statefulPayload, text, time } from '../domain/payload.ts';
import { privateMembers } from './private-members.ts';

/** For an agent's instructions; all other texts are far shorter. */
const longText = z.string().max(262_144);

/** lastSeenAt is the state's own changedAt, deletedAt comes from a deletion, and evidence from the parts there are. */
const storeOwned: ReadonlySet<string> = new Set([...storeOnlyMembers, 'lastSeenAt', 'deletedAt', 'evidence']);

/**
 * The payload of each kind of entity: the fields of its by-id record with their types and enums, derived from the contract
 * so that a field is declared once, plus the private members. Parsed values are as served: absent members null, times with
 * three fraction digits, lists truncated.
 */
export const entityPayloads: Readonly<Record<EntityKind, z.ZodObject>> = {
  user: buildPayload('user').extend({ displayName: text, roles: z.array(buildRole()).nullish() }),
  agent: buildPayload('agent').extend({ displayName: text, ...privateMembers.agent }),
  file: buildPayload('file').extend({ name: text, ...privateMembers.file }),
  group: buildPayload('group').extend({ displayName: text }),
  site: buildPayload('site').extend({ displayName: text }),
  app: buildPayload('app').extend({ displayName: text, ...privateMembers.app }),
  device: buildPayload('device').extend({ displayName: text }),
  email: buildPayload('email').extend({ internetMessageId: text }),
  license: buildPayload('license').extend({ displayName: text }),
  sensitiveInfoType: buildPayload('sensitiveInfoType').extend({ name: text }),
};

/** The person accountable for an agent or an app; userId is null where there is no such person. */
export const accountablePayload = statefulPayload.extend({
  subject: z.object({ type: z.enum(['agent', 'app']), id: recordId }),
  userId: recordId.nullish(),
  userName: text.nullish(),
  assignedBy: text.nullish(),
  assignedAt: time.nullish(),
});

function buildPayload(kind: EntityKind): z.ZodObject {
  const fields = Object.entries(entities[kind].get.record.shape).filter(([name]) => !storeOwned.has(name));
  return statefulPayload.extend(Object.fromEntries(fields.map(([name, field]) => [name, buildMember(field)])));
}

function buildMember(field: z.core.$ZodType): z.ZodType {
  const { values, isInstant, isLong } = fieldAnnotations.get(field) ?? {};
  const inner = field instanceof z.ZodNullable ? field.unwrap() : field;
  const schema = values
    ? z.enum(values)
    : isInstant
      ? time.transform(formatInstant)
      : isLong
        ? longText
        : buildSchema(inner);
  return field instanceof z.ZodNullable ? schema.nullish().transform((value) => value ?? null) : schema;
}

function buildSchema(schema: z.core.$ZodType): z.ZodType {
  if (schema instanceof z.ZodArray)
    return z.array(buildSchema(schema.element)).transform((list) => list.slice(0, nestedListMax));
  if (schema instanceof z.ZodObject) {
    const members = Object.entries(schema.shape).map(([name, member]) => [name, buildMember(member)]);
    return z.object(Object.fromEntries(members) as Record<string, z.ZodType>);
  }
  return schema instanceof z.ZodString ? text : (schema as z.ZodType);
}

/** A role is its name, or its name and whether the assignment is permanent. */
function buildRole() {
  return z.union([text, z.object({ name: text, permanent: z.boolean().nullish() })]);
}
