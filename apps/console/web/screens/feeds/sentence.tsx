import type { Feed } from '../../asked.ts';
import { clock, span, useLanguage } from '../../words/words.tsx';

/** The answer of the screen, before any table. */
export function Sentence({ feeds }: { feeds: readonly Feed[] }) {
  const { words, language } = useLanguage();
  const said = words.feeds;
  const unproven = feeds.filter(({ state }) => state === 'unproven');
  const standing = feeds.filter(({ lanes }) => lanes.some(({ state }) => state !== 'running'));
  const late = feeds
    .filter(({ state, lateMs }) => state === 'late' || (state === 'stopped' && lateMs >= stoppedMs))
    .sort((one, other) => other.lateMs - one.lateMs);
  const named = (some: readonly Feed[]) => said.list(some.map(({ feed }) => said.names[feed]));
  const [worst] = late;
  if (unproven.length + standing.length === 0 && worst === undefined) {
    const slowest = feeds.reduce((one, other) => (other.lagMs > one.lagMs ? other : one));
    // To the next tenth: what is promised holds.
    const within = Math.max(1, Math.ceil(slowest.lagMs / tenthMs)) * tenthMs;
    return (
      <p className="sentence">
        {said.allSettled(span(language, within), slowest.settledTo === null ? '–' : `${clock(slowest.settledTo)}Z`)}
      </p>
    );
  }
  return (
    <div className="stack-tight" role="status">
      {worst !== undefined && (
        <p className="sentence">
          {late.length === feeds.length
            ? said.everyLate(span(language, worst.lateMs))
            : said.someLate(late.map(({ feed, lateMs }) => [said.names[feed], span(language, lateMs)]))}
        </p>
      )}
      {standing.length > 0 && <p className="sentence">{said.standing(named(standing))}</p>}
      {unproven.length > 0 && <p className="sentence">{said.unproven(named(unproven))}</p>}
    </div>
  );
}

const tenthMs = 100;
const stoppedMs = 60_000;
