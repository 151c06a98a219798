import { everybody, route } from '../route.ts';
import { feedsOf, standsStill, worstOf } from './feeds.ts';
import { sightOf } from './letters.ts';

/** The line in the frame of every screen. From the same question as feed health, so that the two never contradict each other. */
export const settled = route({
  method: 'GET',
  path: '/settled',
  roles: everybody,
  async answer({ console, store, session }) {
    const [report, apiAnswers] = await Promise.all([store.feeds(sightOf(session)), console.api.answers()]);
    const { databaseNow, parked, feeds } = feedsOf(report);
    const worst = worstOf(feeds);
    return {
      databaseNow,
      state: worst.state === 'stopped' ? 'late' : worst.state,
      settledTo: worst.settledTo === null ? null : (feeds.map(({ settledTo }) => settledTo ?? '').sort()[0] ?? null),
      lagMs: worst.lagMs,
      worst:
        worst.state === 'settled' ? null : { feed: worst.feed, lagMs: worst.lateMs, standsStill: standsStill(worst) },
      parked,
      apiAnswers,
    };
  },
});
