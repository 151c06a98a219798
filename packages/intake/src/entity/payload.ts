import { type EntityKind, entities, fieldNotes, listMax, storeMembers } from '@tenantscope/contract';
import { z } from 'zod';
import { recordId, shown, statefulPayload, text, time } from '../domain/payload.ts';
import { privateMembers } from './private-members.ts';

/** Instructions of an agent; anything else is far shorter. */
const longText = z.string().max(262_144);

/** lastSeenAt is the state's own changedAt, and deletedAt comes by a deletion. */
const notSent: ReadonlySet<string> = new Set([...storeMembers, 'lastSeenAt', 'deletedAt']);

/**
 * What a producer sends of each kind of entity: the fields of its by-id record, in its types and vocabularies. Made from the contract, so that
 * a field is declared once, and what is kept without being served. Conforming values come out as they are served: absent members null, times with three digits, lists cut.
 */
export const entityPayloads: Readonly<Record<EntityKind, z.ZodObject>> = {
  user: payloadOf('user').extend({ displayName: text, roles: z.array(roleOf()).nullish() }),
  agent: payloadOf('agent').extend({ displayName: text, ...privateMembers.agent }),
  file: payloadOf('file').extend({ name: text, ...privateMembers.file }),
  group: payloadOf('group').extend({ displayName: text }),
  site: payloadOf('site').extend({ displayName: text }),
  app: payloadOf('app').extend({ displayName: text, ...privateMembers.app }),
  device: payloadOf('device').extend({ displayName: text }),
  email: payloadOf('email').extend({ internetMessageId: text }),
  license: payloadOf('license').extend({ displayName: text }),
  sensitiveInfoType: payloadOf('sensitiveInfoType').extend({ name: text }),
};

/** Who answers for an agent or an app; nobody when userId is null. */
export const accountablePayload = statefulPayload.extend({
  subject: z.object({ type: z.enum(['agent', 'app']), id: recordId }),
  userId: recordId.nullish(),
  userName: text.nullish(),
  assignedBy: text.nullish(),
  assignedAt: time.nullish(),
});

function payloadOf(kind: EntityKind): z.ZodObject {
  const fields = Object.entries(entities[kind].get.record.shape).filter(([name]) => !notSent.has(name));
  return statefulPayload.extend(Object.fromEntries(fields.map(([name, field]) => [name, memberOf(field)])));
}

function memberOf(field: z.core.$ZodType): z.ZodType {
  const { values, isInstant, isLong } = fieldNotes.get(field) ?? {};
  const inner = field instanceof z.ZodNullable ? field.unwrap() : field;
  const schema = values ? z.enum(values) : isInstant ? time.transform(shown) : isLong ? longText : schemaOf(inner);
  return field instanceof z.ZodNullable ? schema.nullish().transform((value) => value ?? null) : schema;
}

function schemaOf(schema: z.core.$ZodType): z.ZodType {
  if (schema instanceof z.ZodArray)
    return z.array(schemaOf(schema.element)).transform((list) => list.slice(0, listMax));
  if (schema instanceof z.ZodObject) {
    const members = Object.entries(schema.shape).map(([name, member]) => [name, memberOf(member)]);
    return z.object(Object.fromEntries(members) as Record<string, z.ZodType>);
  }
  return schema instanceof z.ZodString ? text : (schema as z.ZodType);
}

/** A role is its name, or its name and whether it is held for good. */
function roleOf() {
  return z.union([text, z.object({ name: text, permanent: z.boolean().nullish() })]);
}
