import type { EntityKind } from '@tenantscope/contract';
import { z } from 'zod';
import { count, shown, text, time } from '../domain/payload.ts';

const known = <Schema extends z.ZodType>(schema: Schema) => schema.nullish().transform((value) => value ?? null);
const moment = known(time.transform(shown));
const yesNo = known(z.boolean());
const words = known(text);

/** How far an app or an agent reaches, beyond what is served. */
const reach = {
  reachBasis: known(z.enum(['permissions', 'observed', 'both'])),
  reachComputedAt: moment,
  protectedFileReachCount: known(count),
  siteReachCount: known(count),
  mailboxReachCount: known(count),
};
const verification = { verifiedPublisherId: words, verifiedPublisherAt: moment };

/** What a producer may tell of an entity beside what is served: kept for rules and evidence alone. */
export const privateMembers = {
  agent: {
    instructionsHash: known(z.string().regex(/^[0-9a-f]{64}$/, 'expected a SHA-256 in lower-case hex')),
    environmentId: words,
    lastPublishedAt: moment,
    isPublisherVerified: yesNo,
    ...verification,
    dataSensitivity: words,
    elementPermissions: known(z.array(text)),
    labeledFileReachCount: known(count),
    ...reach,
  },
  app: {
    ...verification,
    ictServiceType: words,
    contractRef: words,
    providerCode: known(z.object({ code: text, codeType: words })),
    ...reach,
  },
  file: { externalUserIds: known(z.array(text)) },
} as const satisfies Partial<Record<EntityKind, z.ZodRawShape>>;
