import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { listFeeds, readFeedActivity } from '../../api/feeds.ts';
import { call } from '../client/api-client.ts';
import { useTenant } from '../frame/current-user.ts';
import { ScreenHeader } from '../frame/screen-header.tsx';
import { useUnreachable } from '../frame/status/connection-status.ts';
import { useLabels } from '../labels/language.tsx';
import { PendingQuery } from '../parts/query/pending-query.tsx';
import { QueryResult } from '../parts/query/query-result.tsx';
import { Bindings } from './feeds/bindings.tsx';
import { Failovers } from './feeds/failovers.tsx';
import { FeedDetail } from './feeds/feed-detail.tsx';
import { FeedSummary } from './feeds/feed-summary.tsx';
import { FeedTable } from './feeds/feed-table.tsx';
import { RejectedFormats } from './feeds/rejected-formats.tsx';
import { Sources } from './feeds/sources.tsx';

const everyMs = 2_000;
const activityEveryMs = 10_000;

/** Completeness and lag of each feed. */
export function Feeds() {
  const labels = useLabels();
  const tenant = useTenant();
  const silent = useUnreachable();
  const { feed: chosen } = useSearch({ from: '/frame/feeds' });
  const navigate = useNavigate({ from: '/feeds' });
  const shown = useQuery({
    queryKey: ['feeds', tenant?.id, chosen],
    queryFn: ({ signal }) => call(listFeeds, { tenantId: tenant?.id, lanesOf: chosen }, { signal, timeoutMs: 4_000 }),
    placeholderData: (before) => before,
    refetchInterval: everyMs,
    staleTime: 0,
    retry: false,
  });
  const activity = useQuery({
    queryKey: ['feed activity', tenant?.id],
    queryFn: ({ signal }) => call(readFeedActivity, { tenantId: tenant?.id }, { signal, timeoutMs: 4_000 }),
    placeholderData: (before) => before,
    refetchInterval: activityEveryMs,
    staleTime: 0,
    retry: false,
  });
  const hours = new Map(activity.data?.feeds.map((feed) => [feed.feed, feed]));
  const show = (feed: string | undefined) =>
    void navigate({ search: (before) => ({ ...before, feed }) as typeof before, replace: true });
  return (
    <>
      <ScreenHeader title={labels.screens.feeds}>
        <Link className="button" to="/feeds/dead-letters">
          {labels.screens.deadLetters}
        </Link>
      </ScreenHeader>
      <QueryResult query={shown}>
        {({ feeds, overall, unavailableCells, lanes, lanesOf, pending, apiResponds }) => {
          if (activity.data === undefined) return <PendingQuery query={activity} />;
          const open = feeds.find(({ feed }) => feed === chosen);
          const own = activity.data.sources.filter(({ tenantId }) => tenant === null || tenantId === tenant.id);
          return (
            <>
              {!apiResponds && silent === null && <p className="note note-bad">■ {labels.feeds.apiUnreachable}</p>}
              {unavailableCells.length > 0 && (
                <p className="note note-warn" role="status">
                  ▲ {labels.feeds.unavailableCells(unavailableCells)}
                </p>
              )}
              {silent === null ? (
                <FeedSummary feeds={feeds} overall={overall} />
              ) : (
                <p className="sentence">{labels.frame.unknown(labels.states.components[silent])}.</p>
              )}
              <div className={open ? 'split split-open' : 'split'}>
                <FeedTable feeds={feeds} hours={hours} chosen={chosen} show={show} />
                {open && (
                  <FeedDetail
                    key={open.feed}
                    feed={open.feed}
                    lanes={lanesOf === open.feed ? lanes : null}
                    hour={hours.get(open.feed) ?? null}
                    sources={own.filter(({ feed }) => feed === open.feed)}
                    close={() => show(undefined)}
                  />
                )}
              </div>
              <DeadLetterNotice count={pending} />
              {(own.length > 0 || !activity.isPlaceholderData) && (
                <Sources sources={own} otherTenants={activity.data.otherTenants} />
              )}
              <RejectedFormats
                formats={activity.data.rejected.filter(({ tenantId }) => tenant === null || tenantId === tenant.id)}
              />
              <Bindings
                bindings={activity.data.bindings.filter(({ tenantId }) => tenant === null || tenantId === tenant.id)}
              />
              <Failovers failovers={activity.data.failovers} />
            </>
          );
        }}
      </QueryResult>
    </>
  );
}

function DeadLetterNotice({ count }: { count: number }) {
  const { feeds } = useLabels();
  if (count === 0) return null;
  return (
    <p className="note note-warn">
      ▲ {feeds.deadLetterCount(count)}. <Link to="/feeds/dead-letters">{feeds.viewDeadLetters}</Link>
    </p>
  );
}
