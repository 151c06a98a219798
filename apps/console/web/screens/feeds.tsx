import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { listFeeds } from '../../api/feeds.ts';
import { call } from '../client/api-client.ts';
import { useTenant } from '../frame/current-user.ts';
import { ScreenHeader } from '../frame/screen-header.tsx';
import { useUnreachable } from '../frame/status/connection-status.ts';
import { useLabels } from '../labels/language.tsx';
import { QueryResult } from '../parts/query/query-result.tsx';
import { FeedDetail } from './feeds/feed-detail.tsx';
import { FeedSummary } from './feeds/feed-summary.tsx';
import { FeedTable } from './feeds/feed-table.tsx';
import { Sources } from './feeds/sources.tsx';

const everyMs = 2_000;

/** Completeness and lag of each feed. */
export function Feeds() {
  const labels = useLabels();
  const tenant = useTenant();
  const silent = useUnreachable();
  const { feed: chosen } = useSearch({ from: '/frame/feeds' });
  const navigate = useNavigate({ from: '/feeds' });
  const shown = useQuery({
    queryKey: ['feeds'],
    queryFn: ({ signal }) => call(listFeeds, {}, { signal, timeoutMs: 4_000 }),
    refetchInterval: everyMs,
    staleTime: 0,
    retry: false,
  });
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
        {({ feeds, sources, pending, apiResponds }) => {
          const open = feeds.find(({ feed }) => feed === chosen);
          const own = sources.filter(({ tenantId }) => tenant === null || tenantId === tenant.id);
          return (
            <>
              {!apiResponds && silent === null && <p className="note note-bad">■ {labels.feeds.apiUnreachable}</p>}
              {silent === null ? (
                <FeedSummary feeds={feeds} />
              ) : (
                <p className="sentence">{labels.frame.unknown(labels.states.components[silent])}.</p>
              )}
              <div className={open ? 'split split-open' : 'split'}>
                <FeedTable feeds={feeds} sources={own} chosen={chosen} show={show} />
                {open && (
                  <FeedDetail
                    key={open.feed}
                    of={open}
                    sources={own.filter(({ feed }) => feed === open.feed)}
                    close={() => show(undefined)}
                  />
                )}
              </div>
              <DeadLetterNotice count={pending} />
              <Sources sources={own} />
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
