import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { ask } from '../ask.ts';
import type { Feeds as FeedsAnswer } from '../asked.ts';
import { useSilent } from '../frame/beating.ts';
import { useTenant } from '../frame/signed.ts';
import { Asked } from '../parts/asked.tsx';
import { Head } from '../shell.tsx';
import { useWords } from '../words/words.tsx';
import { FeedTable } from './feeds/feed-table.tsx';
import { Lanes } from './feeds/lanes.tsx';
import { Sentence } from './feeds/sentence.tsx';
import { Sources } from './feeds/sources.tsx';

const everyMs = 2_000;

/** Is anything missing or late? */
export function Feeds() {
  const words = useWords();
  const tenant = useTenant();
  const silent = useSilent();
  const { feed: chosen } = useSearch({ from: '/frame/feeds' });
  const navigate = useNavigate({ from: '/feeds' });
  const shown = useQuery({
    queryKey: ['feeds'],
    queryFn: ({ signal }) => ask<FeedsAnswer>('/feeds', signal, 4_000),
    refetchInterval: everyMs,
    staleTime: 0,
    retry: false,
  });
  const show = (feed: string | undefined) =>
    void navigate({ search: (before) => ({ ...before, feed }) as typeof before, replace: true });
  return (
    <>
      <Head title={words.screens.feeds}>
        <Link className="button" to="/feeds/dead-letters">
          {words.screens.deadLetters}
        </Link>
      </Head>
      <Asked query={shown}>
        {({ feeds, sources, parked, apiAnswers }) => {
          const open = feeds.find(({ feed }) => feed === chosen);
          const own = sources.filter(({ tenantId }) => tenant === null || tenantId === tenant.id);
          return (
            <>
              {!apiAnswers && silent === null && <p className="note note-bad">■ {words.feeds.apiSilent}</p>}
              {silent === null ? (
                <Sentence feeds={feeds} />
              ) : (
                <p className="sentence">{words.frame.unknown(words.states.who[silent])}.</p>
              )}
              <div className={open ? 'split split-open' : 'split'}>
                <FeedTable feeds={feeds} sources={own} chosen={chosen} show={show} />
                {open && (
                  <Lanes
                    key={open.feed}
                    of={open}
                    sources={own.filter(({ feed }) => feed === open.feed)}
                    close={() => show(undefined)}
                  />
                )}
              </div>
              <Parked count={parked} />
              <Sources sources={own} />
            </>
          );
        }}
      </Asked>
    </>
  );
}

function Parked({ count }: { count: number }) {
  const { feeds } = useWords();
  if (count === 0) return null;
  return (
    <p className="note note-warn">
      ▲ {feeds.parkedWords(count)}. <Link to="/feeds/dead-letters">{feeds.parkedLink}</Link>
    </p>
  );
}
