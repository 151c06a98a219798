import { describe, expect, test } from 'vitest';
import { refusedOfAudit } from './audit.ts';
import { refusedOfKeys } from './keys.ts';
import { refusedOfOthersKeys } from './keys-of-others.ts';
import { refusedOfLetters } from './letters.ts';
import { refusedOfOrganization } from './organization.ts';
import { refusedOfPeople } from './people.ts';
import type { Refused } from './refused.ts';
import { attempt, type Somebody, wallsStage } from './stage.ts';
import { refusedOfWaysIn } from './ways-in.ts';

const stage = await wallsStage();
const { admin, superuser, people } = stage;

const cases = [
  refusedOfAudit,
  refusedOfKeys,
  refusedOfOthersKeys,
  refusedOfPeople,
  refusedOfWaysIn,
  refusedOfOrganization,
  refusedOfLetters,
].flatMap((refusals) => Object.entries(refusals));

/** Of the laws about lifetimes: where one holds at all. */
const inItsPlace = (name: string, work: () => Promise<void>): Promise<void> =>
  /organization allows/.test(name) ? stage.withLifetime(2, work) : work();

const actorOf = ({ by = 'ann', in: other }: Refused): Somebody | null =>
  by === null ? null : { ...people[by], ...(other === undefined ? {} : { sessionId: other(stage) }) };

describe('the console’s login, without the console before it, is refused', () => {
  test.each(cases)('%s', (name, refused) =>
    inItsPlace(name, async () => {
      await expect(attempt(admin, actorOf(refused), refused.sql(stage))).rejects.toThrow(refused.says);
    }),
  );
});

describe('and by this wall: without it the same is done', () => {
  test.each(cases)('%s', (name, refused) =>
    inItsPlace(name, async () => {
      await attempt(superuser, actorOf(refused), refused.sql(stage), refused.down);
    }),
  );
});

describe('with the database’s wall taken away the console refuses', () => {
  test.each(cases.filter(([, { asked }]) => asked !== undefined))('%s', async (_, refused) => {
    await superuser.query(refused.down);
    try {
      await refused.asked?.(stage);
    } finally {
      await superuser.query(refused.up);
    }
  });
});
