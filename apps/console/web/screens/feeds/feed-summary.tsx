import type { Feed } from '../../../api/feeds.ts';
import { clock, span } from '../../labels/format.ts';
import { useLanguage } from '../../labels/language.tsx';

/** A summary of all feeds, above the table. */
export function FeedSummary({ feeds }: { feeds: readonly Feed[] }) {
  const { labels, language } = useLanguage();
  const strings = labels.feeds;
  const unproven = feeds.filter(({ state }) => state === 'unproven');
  const stalled = feeds.filter(({ lanes }) => lanes.some(({ state }) => state !== 'running'));
  const late = feeds
    .filter(({ state, lateMs }) => state === 'late' || (state === 'stopped' && lateMs >= stoppedMs))
    .sort((one, other) => other.lateMs - one.lateMs);
  const joinNames = (some: readonly Feed[]) => strings.list(some.map(({ feed }) => strings.names[feed]));
  const [worst] = late;
  if (unproven.length + stalled.length === 0 && worst === undefined) {
    const slowest = feeds.reduce((one, other) => (other.lagMs > one.lagMs ? other : one));
    // To the next tenth: what is promised holds.
    const within = Math.max(1, Math.ceil(slowest.lagMs / tenthMs)) * tenthMs;
    return (
      <p className="sentence">
        {strings.allSettled(span(language, within), slowest.settledTo === null ? '–' : `${clock(slowest.settledTo)}Z`)}
      </p>
    );
  }
  return (
    <div className="stack-tight" role="status">
      {worst !== undefined && (
        <p className="sentence">
          {late.length === feeds.length
            ? strings.everyLate(span(language, worst.lateMs))
            : strings.someLate(late.map(({ feed, lateMs }) => [strings.names[feed], span(language, lateMs)]))}
        </p>
      )}
      {stalled.length > 0 && <p className="sentence">{strings.stalled(joinNames(stalled))}</p>}
      {unproven.length > 0 && <p className="sentence">{strings.unproven(joinNames(unproven))}</p>}
    </div>
  );
}

const tenthMs = 100;
const stoppedMs = 60_000;
