import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { ask } from '../ask.ts';
import type { Feed, Feeds as FeedsAnswer } from '../asked.ts';
import { Asked } from '../parts/asked.tsx';
import { type Standing, Status } from '../parts/status.tsx';
import { Head } from '../shell.tsx';
import { clock, number, span, useLanguage } from '../words/words.tsx';
import { Lanes } from './feeds/lanes.tsx';
import { Sources } from './feeds/sources.tsx';

const everyMs = 2_000;

const standings: Readonly<Record<Feed['state'], Standing>> = {
  settled: 'good',
  late: 'warn',
  stopped: 'bad',
  unproven: 'bad',
};

/** Is anything missing or late? */
export function Feeds() {
  const { words } = useLanguage();
  const { feed: chosen } = useSearch({ from: '/frame/feeds' });
  const navigate = useNavigate({ from: '/feeds' });
  const shown = useQuery({
    queryKey: ['feeds'],
    queryFn: ({ signal }) => ask<FeedsAnswer>('/feeds', signal, 4_000),
    refetchInterval: everyMs,
    staleTime: 0,
    retry: false,
  });
  const show = (feed: string | undefined) => void navigate({ search: feed ? { feed } : {}, replace: true });
  return (
    <>
      <Head title={words.screens.feeds}>
        <Link className="button" to="/feeds/dead-letters">
          {words.screens.deadLetters}
        </Link>
      </Head>
      <Asked query={shown}>
        {({ feeds, sources }) => {
          const open = feeds.find(({ feed }) => feed === chosen);
          return (
            <>
              <Sentence feeds={feeds} />
              <div className={open ? 'split split-open' : 'split'}>
                <FeedTable feeds={feeds} chosen={chosen} show={show} />
                {open && <Lanes of={open} close={() => show(undefined)} />}
              </div>
              <Parked count={feeds.reduce((sum, { parked }) => sum + parked, 0)} />
              <Sources sources={sources} />
            </>
          );
        }}
      </Asked>
    </>
  );
}

function Sentence({ feeds }: { feeds: readonly Feed[] }) {
  const { words, language } = useLanguage();
  const said = words.feeds;
  const named = (state: (feed: Feed) => boolean) =>
    said.list(
      feeds
        .filter(state)
        .map(({ feed, lagMs, settledTo }) =>
          settledTo === null ? said.names[feed] : `${said.names[feed]} ${span(language, lagMs)}`,
        ),
    );
  const unproven = named(({ state }) => state === 'unproven');
  const late = named(({ state }) => state === 'late' || state === 'stopped');
  const slowest = feeds.reduce((one, other) => (other.lagMs > one.lagMs ? other : one));
  if (unproven === '' && late === '' && slowest.settledTo !== null)
    return <p className="sentence">{said.allSettled(span(language, slowest.lagMs), `${clock(slowest.settledTo)}Z`)}</p>;
  return (
    <div className="stack-tight" role="status">
      {late !== '' && <p className="sentence">{said.someLate(late)}</p>}
      {unproven !== '' && <p className="sentence">{said.unproven(unproven)}</p>}
    </div>
  );
}

interface TableGiven {
  readonly feeds: readonly Feed[];
  readonly chosen: string | undefined;
  readonly show: (feed: string) => void;
}

function FeedTable({ feeds, chosen, show }: TableGiven) {
  const { words, language } = useLanguage();
  const said = words.feeds;
  return (
    <div className="scroll">
      <table className="cards">
        <caption className="hidden">{said.table}</caption>
        <thead>
          <tr>
            <th scope="col">{said.feed}</th>
            <th scope="col">{said.state}</th>
            <th scope="col">{said.settledTo}</th>
            <th scope="col" className="number">
              {said.lag}
            </th>
            <th scope="col" className="number">
              {said.lanes}
            </th>
            <th scope="col" className="number">
              {said.parked}
            </th>
          </tr>
        </thead>
        <tbody>
          {feeds.map(({ feed, state, isQuiet, settledTo, lagMs, lanes, parked }) => (
            <tr key={feed} aria-current={feed === chosen ? 'true' : undefined}>
              <th scope="row">
                <span className="named">
                  <button type="button" className="plain" onClick={() => show(feed)}>
                    {said.names[feed]}
                  </button>
                </span>
              </th>
              <td data-name={said.state}>
                <span>
                  <Status standing={standings[state]}>{said.states[state]}</Status>
                  {isQuiet && <span className="small muted"> {said.quiet}</span>}
                </span>
              </td>
              <td data-name={said.settledTo} className="mono">
                {settledTo === null ? '–' : `${clock(settledTo)}Z`}
              </td>
              <td data-name={said.lag} className="number">
                {settledTo === null ? '–' : span(language, lagMs)}
              </td>
              <td data-name={said.lanes} className="number">
                {number(language, lanes.length)}
              </td>
              <td data-name={said.parked} className="number">
                {parked > 0 ? <Status standing="warn">{number(language, parked)}</Status> : 0}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Parked({ count }: { count: number }) {
  const { words } = useLanguage();
  if (count === 0) return null;
  return (
    <p className="note note-warn">
      ▲ {words.feeds.parkedWords(count)}. <Link to="/feeds/dead-letters">{words.feeds.parkedLink}</Link>
    </p>
  );
}
