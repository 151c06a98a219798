import * as z from 'zod/mini';
import { defineRoute, nullableNumber } from './route.ts';

const maxLifetimeDays = 3_650;

/** The maximum lifetime of keys. Keys that already live longer are not changed; they cannot be prolonged. */
export const changeOrganization = defineRoute({
  method: 'PATCH',
  path: '/organization',
  roles: ['admin'],
  input: z.strictObject({
    keyLifetimeDays: z.nullable(z.int().check(z.minimum(1), z.maximum(maxLifetimeDays))),
    /** The value as the member saw it: it is changed only while it is still that. */
    expected: z.optional(z.nullable(z.int())),
  }),
  output: z.object({ organization: z.object({ id: z.string(), name: z.string(), keyLifetimeDays: nullableNumber }) }),
  requiresReauthentication: () => true,
});
