import type { FeedSummary as Feed, OverallState } from '../../../api/feeds.ts';
import { span, timeOfDay } from '../../labels/format.ts';
import { useLanguage } from '../../labels/language.tsx';

/** A summary of all feeds, above the table: a sentence for each state that a feed is in. */
export function FeedSummary({ feeds, overall }: { feeds: readonly Feed[]; overall: OverallState }) {
  const { labels, language } = useLanguage();
  const strings = labels.feeds;
  if (overall.state === 'settled') {
    const slowest = feeds.reduce((one, other) => (other.lagMs > one.lagMs ? other : one));
    // To the next tenth: what is promised holds.
    const within = Math.max(1, Math.ceil(slowest.lagMs / tenthMs)) * tenthMs;
    return (
      <p className="sentence">
        {strings.allSettled(span(language, within), slowest.settledTo === null ? '–' : timeOfDay(slowest.settledTo))}
      </p>
    );
  }
  const inState = (state: Feed['state']) =>
    feeds.filter((feed) => feed.state === state).sort((one, other) => other.lateMs - one.lateMs);
  const joinNames = (some: readonly Feed[]) => strings.list(some.map(({ feed }) => strings.names[feed]));
  const [unproven, stalled, late] = [inState('unproven'), inState('stalled'), inState('late')];
  const worstLag = span(language, overall.lateMs);
  return (
    <div className="stack-tight" role="status">
      {stalled.length > 0 && (
        <p className="sentence">
          {stalled.length === feeds.length ? strings.everyStalled(worstLag) : strings.stalled(joinNames(stalled))}
        </p>
      )}
      {late.length > 0 && (
        <p className="sentence">
          {late.length === feeds.length
            ? strings.everyLate(worstLag)
            : strings.someLate(late.map(({ feed, lateMs }) => [strings.names[feed], span(language, lateMs)]))}
        </p>
      )}
      {unproven.length > 0 && <p className="sentence">{strings.unproven(joinNames(unproven))}</p>}
    </div>
  );
}

const tenthMs = 100;
