import type { ApiKey, Status } from '@tenantscope/store';
import { withAdmin } from './admin.ts';
import type { Answer } from './answer.ts';
import type { Surroundings } from './surroundings.ts';
import { table } from './table.ts';

export async function showStatus(around: Surroundings): Promise<Answer> {
  const [status, keys] = await withAdmin(around.environment, (admin) =>
    Promise.all([admin.status(), admin.keys.list()]),
  );
  const counted = countKeys(keys, new Date().toISOString());
  const { active, expired, revoked } = counted;
  const text = [...paragraphs(status), `Keys: ${active} active, ${expired} expired, ${revoked} revoked.`].join('\n\n');
  return { document: { ...status, keys: counted }, text };
}

/** Times are printed alike, so text compares as they do. */
export function countKeys(keys: readonly Pick<ApiKey, 'revokedAt' | 'expiresAt'>[], now: string) {
  const revoked = keys.filter(({ revokedAt }) => revokedAt !== null).length;
  const expired = keys.filter(
    ({ revokedAt, expiresAt }) => revokedAt === null && expiresAt !== null && expiresAt <= now,
  ).length;
  return { active: keys.length - revoked - expired, expired, revoked };
}

/** What a look at the service should tell: how far each feed is complete, what stands still, what waits for somebody. */
function paragraphs(status: Status): string[] {
  const { aheadDays, retainedFrom, keepDays } = status.partitions;
  const idle = status.lanes.filter((lane) => lane.state !== 'running');
  return [
    table(
      Object.entries(status.feeds),
      [
        ['feed', ([feed]) => feed],
        ['complete through', ([, { completeThrough }]) => completeThrough],
        ['behind', ([, { lagMs }]) => (lagMs === null ? null : `${lagMs.toLocaleString('en')} ms`)],
      ],
      'No feed.',
    ),
    `Lanes: ${status.lanes.length}, of which ${idle.length} stand still${idle.length > 0 ? '' : '.'}`.concat(
      ...idle.map((lane) => `\n${lane.topic}/${lane.partition} ${lane.state}: ${lane.reason ?? 'no reason given'}`),
    ),
    table(
      status.deadLetters.parked,
      [
        ['parked dead letters', ({ count }) => count.toLocaleString('en')],
        ['reason', ({ reason }) => reason],
        ['tenant', ({ tenantId }) => tenantId],
      ],
      'No dead letter is parked.',
    ),
    `History since ${retainedFrom ?? '–'}, kept for ${keepDays} days; partitions for ${aheadDays ?? 0} days ahead.`,
  ];
}
