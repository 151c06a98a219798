import { describe, expect, test } from 'vitest';
import { attemptAs, createAccessFixture, type SignedInMember } from './access-fixture.ts';
import { auditRefusals } from './audit-refusals.ts';
import { deadLetterRefusals } from './dead-letter-refusals.ts';
import { foreignKeyRefusals } from './foreign-key-refusals.ts';
import { keyRefusals } from './key-refusals.ts';
import { memberRefusals } from './member-refusals.ts';
import { organizationRefusals } from './organization-refusals.ts';
import type { RefusalCase } from './refusal-case.ts';
import { signInRefusals } from './sign-in-refusals.ts';

const stage = await createAccessFixture();
const { admin, superuser, members } = stage;

const cases = [
  auditRefusals,
  keyRefusals,
  foreignKeyRefusals,
  memberRefusals,
  signInRefusals,
  organizationRefusals,
  deadLetterRefusals,
].flatMap((refusals) => Object.entries(refusals));

/** Limits the lifetime of keys for the cases about it. */
const withLimits = (name: string, work: () => Promise<void>): Promise<void> =>
  /organization allows/.test(name) ? stage.withLifetime(2, work) : work();

const actorFor = ({ actor: by = 'ann', sessionOf: other }: RefusalCase): SignedInMember | null =>
  by === null ? null : { ...members[by], ...(other === undefined ? {} : { sessionId: other(stage) }) };

describe('the database', () => {
  test.each(cases)('refuses the console role: %s', (name, refused) =>
    withLimits(name, async () => {
      await expect(attemptAs(admin, actorFor(refused), refused.sql(stage))).rejects.toThrow(refused.error);
    }),
  );
});

describe('the database without the check', () => {
  test.each(cases)('permits the console role: %s', (name, refused) =>
    withLimits(name, async () => {
      await attemptAs(superuser, actorFor(refused), refused.sql(stage), refused.disable);
    }),
  );
});

describe('the console without the check in the database', () => {
  test.each(cases.filter(([, { request }]) => request !== undefined))('refuses: %s', async (_, refused) => {
    await superuser.query(refused.disable);
    try {
      await refused.request?.(stage);
    } finally {
      await superuser.query(refused.enable);
    }
  });
});
