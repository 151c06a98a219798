import { z } from 'zod';
import { actionPayload } from './domain/action.ts';
import { agentEvidencePayloads } from './domain/agent-evidence.ts';
import { compliancePayloads } from './domain/compliance.ts';
import { detectionPayload } from './domain/detection.ts';
import { notificationPayload } from './domain/notification.ts';
import { deletionPayload } from './domain/payload.ts';
import { policyScanPayload } from './domain/policy-scan.ts';
import { accountablePayload, entityPayloads } from './entity/payload.ts';

/** What producers send as payloads, by the name of the record. */
const payloads: Readonly<Record<string, z.ZodType>> = {
  detection: detectionPayload,
  'policy-scan': policyScanPayload,
  notification: notificationPayload,
  action: actionPayload,
  ...hyphenated('entity', { ...entityPayloads, accountable: accountablePayload }),
  ...hyphenated('agent-evidence', agentEvidencePayloads),
  ...hyphenated('compliance', compliancePayloads),
  deletion: deletionPayload,
};

/** Optional members are added within a major; what was in order stays so. */
const version = '1.0';

export interface PublishedSchema {
  readonly name: string;
  readonly schema: Readonly<Record<string, unknown>>;
}

/**
 * JSON Schemas of the payloads, for producers. They are open: members nobody knows pass. Rules between members (a resolved
 * detection has a resolvedAt) stand in the readers only.
 */
export function publishedSchemas(): readonly PublishedSchema[] {
  return Object.entries(payloads).map(([name, payload]) => {
    const { $schema, ...rules } = z.toJSONSchema(payload, { io: 'input' });
    return { name, schema: { $schema, $id: `urn:tenantscope:schema:${name}:${version}`, ...rules } };
  });
}

/** `agentLifecycle` of an area as `area.agent-lifecycle`. */
function hyphenated(area: string, kinds: Readonly<Record<string, z.ZodType>>): Record<string, z.ZodType> {
  return Object.fromEntries(
    Object.entries(kinds).map(([kind, payload]) => [
      `${area}.${kind.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`,
      payload,
    ]),
  );
}
