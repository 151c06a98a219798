import { z } from 'zod';
import { actionPayload } from './domain/action.ts';
import { agentEvidencePayloads } from './domain/agent-evidence.ts';
import { compliancePayloads } from './domain/compliance.ts';
import { detectionPayload } from './domain/detection.ts';
import { notificationPayload } from './domain/notification.ts';
import { deletionPayload } from './domain/payload.ts';
import { policyScanPayload } from './domain/policy-scan.ts';
import { accountablePayload, entityPayloads } from './entity/payload.ts';

/** The payloads of producers, by the name of the record. */
const payloads: Readonly<Record<string, z.ZodType>> = {
  detection: detectionPayload,
  'policy-scan': policyScanPayload,
  notification: notificationPayload,
  action: actionPayload,
  ...hyphenateNames('entity', { ...entityPayloads, accountable: accountablePayload }),
  ...hyphenateNames('agent-evidence', agentEvidencePayloads),
  ...hyphenateNames('compliance', compliancePayloads),
  deletion: deletionPayload,
};

/** Optional members may be added within a major version; valid payloads stay valid. */
const version = '1.0';

export interface PublishedSchema {
  readonly name: string;
  readonly schema: Readonly<Record<string, unknown>>;
}

/**
 * JSON Schemas of the payloads, for producers. They are open: unknown members are allowed. Rules between members (a resolved
 * detection has a resolvedAt) are checked by the readers only.
 */
export function buildPublishedSchemas(): readonly PublishedSchema[] {
  return Object.entries(payloads).map(([name, payload]) => {
    const { $schema, ...rules } = z.toJSONSchema(payload, { io: 'input' });
    return { name, schema: { $schema, $id: `urn:tenantscope:schema:${name}:${version}`, ...rules } };
  });
}

/** Names `agentLifecycle` of an area `area.agent-lifecycle`. */
function hyphenateNames(area: string, kinds: Readonly<Record<string, z.ZodType>>): Record<string, z.ZodType> {
  return Object.fromEntries(
    Object.entries(kinds).map(([kind, payload]) => [
      `${area}.${kind.replace(/[A-Z]/g, (capital) => `-${capital.toLowerCase()}`)}`,
      payload,
    ]),
  );
}
