import type { EntityKind } from '@tenantscope/contract';
import { z } from 'zod';
import { count, formatInstant, text, time } from '../domain/payload.ts';

const nullable = <Schema extends z.ZodType>(schema: Schema) => schema.nullish().transform((value) => value ?? null);
const nullableTime = nullable(time.transform(formatInstant));
const nullableFlag = nullable(z.boolean());
const nullableText = nullable(text);

/** The reach of an app or an agent, beyond the served members. */
const reach = {
  reachBasis: nullable(z.enum(['permissions', 'observed', 'both'])),
  reachComputedAt: nullableTime,
  protectedFileReachCount: nullable(count),
  siteReachCount: nullable(count),
  mailboxReachCount: nullable(count),
};
const verification = { verifiedPublisherId: nullableText, verifiedPublisherAt: nullableTime };

/** Members of an entity that are not served: stored for rules and evidence only. */
export const privateMembers = {
  agent: {
    instructionsHash: nullable(z.string().regex(/^[0-9a-f]{64}$/, 'expected a SHA-256 in lower-case hex')),
    environmentId: nullableText,
    lastPublishedAt: nullableTime,
    isPublisherVerified: nullableFlag,
    ...verification,
    dataSensitivity: nullableText,
    elementPermissions: nullable(z.array(text)),
    labeledFileReachCount: nullable(count),
    ...reach,
  },
  app: {
    ...verification,
    ictServiceType: nullableText,
    contractRef: nullableText,
    providerCode: nullable(z.object({ code: text, codeType: nullableText })),
    ...reach,
  },
  file: { externalUserIds: nullable(z.array(text)) },
} as const satisfies Partial<Record<EntityKind, z.ZodRawShape>>;
