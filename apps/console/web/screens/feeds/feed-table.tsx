import { Link } from '@tanstack/react-router';
import type { Feed, Hour, Source } from '../../asked.ts';
import { LagLine } from '../../parts/lag-line.tsx';
import { type Standing, Status } from '../../parts/status.tsx';
import { Time } from '../../parts/time.tsx';
import type { Words } from '../../words/en.ts';
import { clock, type Language, number, span, useLanguage } from '../../words/words.tsx';
import { laneName } from './lane-name.ts';

const standings: Readonly<Record<Feed['state'], Standing>> = {
  settled: 'good',
  late: 'warn',
  stopped: 'bad',
  unproven: 'bad',
};

interface Given {
  readonly feeds: readonly Feed[];
  readonly sources: readonly Source[];
  readonly chosen: string | undefined;
  readonly show: (feed: string) => void;
}

export function FeedTable({ feeds, sources, chosen, show }: Given) {
  const { words, language } = useLanguage();
  const said = words.feeds;
  return (
    <div className="scroll">
      <table className="cards feeds">
        <caption className="hidden">{said.table}</caption>
        <thead>
          <tr>
            <th scope="col">{said.feed}</th>
            <th scope="col">{said.state}</th>
            <th scope="col">{said.settledTo}</th>
            <th scope="col">{said.lag}</th>
            <th scope="col" className="number">
              {said.rowsPerMinute}
            </th>
            <th scope="col" className="told-beside">
              {said.lanes}
            </th>
            <th scope="col" className="told-beside">
              {said.lastEvent}
            </th>
            <th scope="col" className="number">
              {said.parked}
            </th>
          </tr>
        </thead>
        <tbody>
          {feeds.map((one) => (
            <tr key={one.feed} aria-current={one.feed === chosen ? 'true' : undefined}>
              <th scope="row">
                <span className="named">
                  <button type="button" className="plain" onClick={() => show(one.feed)}>
                    {said.names[one.feed]}
                  </button>
                </span>
              </th>
              <td data-name={said.state}>
                <span className="stack-tight">
                  <Status standing={standings[one.state]}>{said.states[one.state]}</Status>
                  {one.state === 'settled' && one.hour.isQuiet && (
                    <span className="small muted" title={said.quietWords}>
                      {said.quiet}
                    </span>
                  )}
                </span>
              </td>
              <td data-name={said.settledTo}>
                <span className="mono">{one.settledTo === null ? '–' : `${clock(one.settledTo)}Z`}</span>
              </td>
              <td data-name={said.lag}>
                <Behind of={one} />
              </td>
              <td data-name={said.rowsPerMinute} className="number">
                {rate(language, one.hour.rowsPerMinute)}
              </td>
              <td data-name={said.lanes} className="told-beside">
                <span className="stack-tight">
                  <span>{number(language, one.lanes.length)}</span>
                  {one.lanes[0] && one.lanes.length > 1 && (
                    <span className="small muted">
                      {said.slowest} <code>{laneName(one.lanes[0])}</code>
                    </span>
                  )}
                </span>
              </td>
              <td data-name={said.lastEvent} className="told-beside">
                <LastEvent sources={sources.filter(({ feed }) => feed === one.feed)} />
              </td>
              <td data-name={said.parked} className="number">
                {one.parked > 0 ? (
                  <Link to="/feeds/dead-letters" className="small">
                    <Status standing="warn">{number(language, one.parked)}</Status>
                  </Link>
                ) : (
                  0
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Behind({ of: { settledTo, lateMs, unread, hour } }: { of: Feed }) {
  const { words, language } = useLanguage();
  return (
    <span className="behind">
      <span>{settledTo === null ? '–' : span(language, lateMs)}</span>
      <LagLine lagMs={hour.lagMs} words={hourWords(words, language, hour)} />
      {unread !== null && unread > 0 && <span className="small muted">{words.feeds.unreadWords(unread)}</span>}
    </span>
  );
}

/** What the line shows, for whoever does not see it. */
export function hourWords({ feeds: said }: Words, language: Language, { from, lagMs }: Hour): string {
  const known = lagMs.flatMap((lag, index) => (lag === null ? [] : [{ lag, index }]));
  const gaps = lagMs.length - known.length;
  const [first] = known;
  if (first === undefined) return said.hourUnknown;
  const most = known.reduce((one, other) => (other.lag > one.lag ? other : one), first);
  const at = new Date(Date.parse(from) + most.index * 60_000).toISOString().slice(11, 16);
  return said.hour(span(language, most.lag), `${at}Z`, gaps);
}

function LastEvent({ sources }: { sources: readonly Source[] }) {
  const last = sources
    .map(({ lastOccurredAt }) => lastOccurredAt ?? '')
    .sort()
    .at(-1);
  return last ? <Time at={last} isShort /> : '–';
}

const rate = (language: Language, rows: number | null): string =>
  rows === null ? '–' : number(language, rows < 10 ? Math.round(rows * 10) / 10 : Math.round(rows));
