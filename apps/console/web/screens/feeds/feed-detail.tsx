import { useState } from 'react';
import type { FeedHour, FeedName, Lane, Source } from '../../../api/feeds.ts';
import { number, span, timeOfDay } from '../../labels/format.ts';
import { useLabels, useLanguage } from '../../labels/language.tsx';
import { CopyButton } from '../../parts/copy-button.tsx';
import { DetailPanel } from '../../parts/detail-panel.tsx';
import { Status, type StatusLevel } from '../../parts/status.tsx';
import { Timestamp } from '../../parts/time.tsx';
import { summarizeLag } from './feed-table.tsx';
import { mainCluster, shortLaneName } from './lane-name.ts';
import { SourceName, SourceState } from './source-labels.tsx';

const statusLevels: Readonly<Record<Lane['state'], StatusLevel>> = {
  running: 'good',
  late: 'warn',
  stalled: 'bad',
  stopped: 'bad',
  tripped: 'bad',
  unbound: 'unknown',
};

const nameOf = ({ topic, partition }: Lane): string => `${topic}/${partition}`;
const keyOf = (lane: Lane): string => `${lane.cluster} ${nameOf(lane)}`;

interface Props {
  readonly feed: FeedName;
  /** Null until they are loaded. */
  readonly lanes: readonly Lane[] | null;
  /** Null until it is loaded. */
  readonly hour: FeedHour | null;
  readonly sources: readonly Source[];
  readonly close: () => void;
}

/** The lanes of a feed, the slowest first, which determines the feed; and its sources. */
export function FeedDetail({ feed, lanes, hour, sources, close }: Props) {
  const { feeds: strings } = useLabels();
  // The slowest lane can change while the panel is open.
  const [first, setFirst] = useState<string | null>(null);
  if (first === null && lanes?.[0]) setFirst(keyOf(lanes[0]));
  return (
    <DetailPanel label={strings.lanesTitle(strings.names[feed])} close={close}>
      <h2>{strings.lanesTitle(strings.names[feed])}</h2>
      {lanes?.length === 0 && <p>{strings.noLanes}</p>}
      <ul className="stack-tight">
        {lanes?.map((lane) => (
          <li key={keyOf(lane)}>
            <details className="fold" open={keyOf(lane) === first || statusLevels[lane.state] === 'bad'}>
              <summary>
                <LaneSummary of={lane} />
              </summary>
              <LaneFacts of={lane} />
            </details>
          </li>
        ))}
      </ul>
      <h3>{strings.sources}</h3>
      {sources.length === 0 && <p className="muted">{strings.noSources}</p>}
      <ul className="stack-tight">
        {sources.map((source) => (
          <li key={`${source.tenantId} ${source.source}`} className="row apart">
            <SourceName of={source} hasTenant />
            {source.state !== 'heard' && <SourceState of={source} />}
            {source.state === 'heard' && source.lastOccurredAt !== null && (
              <span>
                {strings.lastEvent} <Timestamp at={source.lastOccurredAt} isShort />
              </span>
            )}
          </li>
        ))}
      </ul>
      {hour && <HourTable hour={hour} />}
    </DetailPanel>
  );
}

function HourTable({ hour }: { hour: FeedHour }) {
  const { labels, language } = useLanguage();
  const strings = labels.feeds;
  return (
    <details>
      <summary>{strings.lastHourTable}</summary>
      <p className="hint">{summarizeLag(labels, language, hour)}</p>
      <div className="scroll">
        <table className="tight">
          <caption className="hidden">{strings.lastHourTable}</caption>
          <thead>
            <tr>
              <th scope="col">{labels.states.time}</th>
              <th scope="col" className="number">
                {strings.maxLag}
              </th>
              <th scope="col" className="number">
                {strings.rows}
              </th>
            </tr>
          </thead>
          <tbody>
            {hour.lagMs.map((lag, index) => {
              const at = new Date(Date.parse(hour.from) + index * 60_000).toISOString();
              return (
                <tr key={at}>
                  <th scope="row" className="mono">
                    {at.slice(11, 16)}
                  </th>
                  <td className="number">{lag === null ? strings.notRunning : span(language, lag)}</td>
                  <td className="number">{lag === null ? '–' : number(language, hour.rows[index] ?? 0)}</td>
                </tr>
              );
            })}
          </tbody>
        </table>
      </div>
    </details>
  );
}

function LaneSummary({ of: lane }: { of: Lane }) {
  const { labels, language } = useLanguage();
  const strings = labels.feeds;
  return (
    <span className="row">
      <code>{shortLaneName(lane)}</code>
      <Status level={statusLevels[lane.state]}>{strings.laneStates[lane.state]}</Status>
      <span className="small muted">{span(language, lane.lateMs)}</span>
      {lane.unread !== null && lane.unread > 0 && (
        <span className="small muted">{strings.unreadCount(lane.unread)}</span>
      )}
    </span>
  );
}

function LaneFacts({ of: lane }: { of: Lane }) {
  const { labels, language } = useLanguage();
  const strings = labels.feeds;
  const { state, reason, stall, stalledSince, isRead, unread, worker, assignedAt, observedAt } = lane;
  const option = lane.cluster === mainCluster ? '' : ` --cluster ${lane.cluster}`;
  const resume = `npx tenantscope lanes resume ${nameOf(lane)}${option}`;
  return (
    <div className="stack-tight">
      {stall !== null && stalledSince !== null && (
        <p className="note note-bad">
          {strings.stalledSince(timeOfDay(stalledSince, 'seconds'))} {strings.stallCauses[stall]}
        </p>
      )}
      {(state === 'stopped' || state === 'tripped') && (
        <div className="note note-bad stack-tight">
          {reason !== null && <p lang="en">{reason}</p>}
          <p>{state === 'tripped' ? strings.trippedHelp : strings.stoppedHelp}</p>
          <div className="row">
            <code>{resume}</code>
            <CopyButton text={resume} />
          </div>
        </div>
      )}
      <dl className="facts">
        <dt>{strings.lane}</dt>
        <dd>
          <code>{nameOf(lane)}</code>
        </dd>
        {lane.cluster !== mainCluster && (
          <>
            <dt>{strings.cluster}</dt>
            <dd>
              <code>{lane.cluster}</code>
            </dd>
          </>
        )}
        <dt>{strings.settledTo}</dt>
        <dd>
          <span className="mono">{timeOfDay(lane.settledAt)}</span> · {span(language, lane.lagMs)}
        </dd>
        <dt>{strings.nextOffset}</dt>
        <dd className="mono">{number(language, lane.nextOffset)}</dd>
        <dt>{strings.unread}</dt>
        <dd>
          {unread === null ? strings.unknown : number(language, unread)}
          {lane.unreadSince !== null && (
            <>
              {' '}
              · {strings.since} <span className="mono">{timeOfDay(lane.unreadSince, 'seconds')}</span>
            </>
          )}
        </dd>
        <dt>{strings.consumer}</dt>
        <dd>
          {isRead && worker !== null && assignedAt !== null ? (
            <>
              <code>{worker}</code> · {strings.since} <Timestamp at={assignedAt} />
            </>
          ) : (
            <span className="muted">
              {strings.noConsumer}
              {observedAt !== null && (
                <>
                  ; {strings.consumerLastSeen} <Timestamp at={observedAt} />
                </>
              )}
            </span>
          )}
        </dd>
        <dt>{strings.written}</dt>
        <dd>{lane.writtenAt === null ? '–' : <Timestamp at={lane.writtenAt} />}</dd>
      </dl>
    </div>
  );
}
