import { Link } from '@tanstack/react-router';
import type { FeedSummary as Feed, FeedActivity, FeedHour, FeedName } from '../../../api/feeds.ts';
import { useCurrentUser } from '../../frame/current-user.ts';
import type { Labels } from '../../labels/en.ts';
import { number, span, timeOfDay } from '../../labels/format.ts';
import { type Language, useLanguage } from '../../labels/language.tsx';
import { LagChart } from '../../parts/lag-chart.tsx';
import { Status, type StatusLevel } from '../../parts/status.tsx';
import { Timestamp } from '../../parts/time.tsx';
import { shortLaneName } from './lane-name.ts';

const statusLevels: Readonly<Record<Feed['state'], StatusLevel>> = {
  settled: 'good',
  late: 'warn',
  stalled: 'bad',
  unproven: 'bad',
};

interface Props {
  readonly feeds: readonly Feed[];
  /** Empty until they are loaded. */
  readonly hours: ReadonlyMap<FeedName, FeedActivity>;
  readonly chosen: string | undefined;
  readonly show: (feed: string) => void;
}

export function FeedTable({ feeds, hours, chosen, show }: Props) {
  const { labels, language } = useLanguage();
  const strings = labels.feeds;
  // Ingestion is shared by all tenants: where there is a tenant switch, figures that do not follow it say so.
  const isShared = useCurrentUser().tenants.length > 1;
  const wholeService = isShared && <span className="small muted scope-of">{strings.wholeService}</span>;
  const cardLabel = (label: string) => (isShared ? `${label} · ${strings.wholeService}` : label);
  return (
    <div className="scroll">
      <table className="cards feeds">
        <caption className="hidden">{strings.table}</caption>
        <thead>
          <tr>
            <th scope="col">{strings.feed}</th>
            <th scope="col">{strings.state}</th>
            <th scope="col">{strings.settledTo}</th>
            <th scope="col">
              {strings.lag} {wholeService}
            </th>
            <th scope="col" className="number">
              {strings.rowsPerMinute} {wholeService}
            </th>
            <th scope="col" className="hidden-in-split">
              {strings.lanes} {wholeService}
            </th>
            <th scope="col" className="hidden-in-split">
              {strings.lastEvent}
            </th>
            <th scope="col" className="number">
              {strings.deadLettered}
            </th>
          </tr>
        </thead>
        <tbody>
          {feeds.map((one) => (
            <tr key={one.feed} aria-current={one.feed === chosen ? 'true' : undefined}>
              <th scope="row">
                <span className="named">
                  <button type="button" className="plain" onClick={() => show(one.feed)}>
                    {strings.names[one.feed]}
                  </button>
                </span>
              </th>
              <td data-name={strings.state}>
                <span className="stack-tight">
                  <Status level={statusLevels[one.state]}>{strings.states[one.state]}</Status>
                  {one.state === 'settled' && hours.get(one.feed)?.isQuiet && (
                    <span className="small muted" title={strings.quietHelp}>
                      {strings.quiet}
                    </span>
                  )}
                </span>
              </td>
              <td data-name={strings.settledTo}>
                <span className="stack-tight">
                  <span className="mono">{one.settledTo === null ? '–' : timeOfDay(one.settledTo)}</span>
                  {one.state !== 'settled' && one.settledTo !== null && one.unreadSince !== null && (
                    <span className="small muted">{strings.behindSince(timeOfDay(one.unreadSince, 'seconds'))}</span>
                  )}
                </span>
              </td>
              <td data-name={cardLabel(strings.lag)}>
                <LagCell of={one} hour={hours.get(one.feed) ?? null} />
              </td>
              <td data-name={cardLabel(strings.rowsPerMinute)} className="number">
                {rate(language, hours.get(one.feed)?.rowsPerMinute ?? null)}
              </td>
              <td data-name={cardLabel(strings.lanes)} className="hidden-in-split">
                <span className="stack-tight">
                  <span>{number(language, one.laneCount)}</span>
                  {one.slowestLane && one.laneCount > 1 && (
                    <span className="small muted">
                      {strings.slowest} <code>{shortLaneName(one.slowestLane)}</code>
                    </span>
                  )}
                </span>
              </td>
              <td data-name={strings.lastEvent} className="hidden-in-split">
                <LastEvent at={hours.get(one.feed)?.lastOccurredAt ?? null} />
              </td>
              <td data-name={strings.deadLettered} className="number">
                {one.pending > 0 ? (
                  <Link to="/feeds/dead-letters" className="small">
                    <Status level="warn">{number(language, one.pending)}</Status>
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

function LagCell({ of: { settledTo, lateMs, unread }, hour }: { of: Feed; hour: FeedHour | null }) {
  const { labels, language } = useLanguage();
  return (
    <span className="behind">
      <span>{settledTo === null ? '–' : span(language, lateMs)}</span>
      {hour && <LagChart lagMs={hour.lagMs} label={summarizeLag(labels, language, hour)} />}
      {unread !== null && unread > 0 && <span className="small muted">{labels.feeds.unreadCount(unread)}</span>}
    </span>
  );
}

/** The text alternative of the lag chart. */
export function summarizeLag({ feeds: strings }: Labels, language: Language, { from, lagMs }: FeedHour): string {
  const measured = lagMs.flatMap((lag, index) => (lag === null ? [] : [{ lag, index }]));
  const gaps = lagMs.length - measured.length;
  const [first] = measured;
  if (first === undefined) return strings.lastHourUnknown;
  const most = measured.reduce((one, other) => (other.lag > one.lag ? other : one), first);
  const at = new Date(Date.parse(from) + most.index * 60_000).toISOString().slice(11, 16);
  return strings.lastHour(span(language, most.lag), `${at}Z`, gaps);
}

function LastEvent({ at }: { at: string | null }) {
  return at === null ? '–' : <Timestamp at={at} isShort />;
}

const rate = (language: Language, rows: number | null): string =>
  rows === null ? '–' : number(language, rows < 10 ? Math.round(rows * 10) / 10 : Math.round(rows));
