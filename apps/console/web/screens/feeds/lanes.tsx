import { useState } from 'react';
import type { Feed, Lane, Source } from '../../asked.ts';
import { Copy } from '../../parts/copy.tsx';
import { Detail } from '../../parts/detail.tsx';
import { Status } from '../../parts/status.tsx';
import { Time } from '../../parts/time.tsx';
import { clock, number, span, useLanguage } from '../../words/words.tsx';
import { hourWords } from './feed-table.tsx';
import { laneName } from './lane-name.ts';
import { SourceName, SourceState } from './source-name.tsx';

const nameOf = ({ topic, partition }: Lane): string => `${topic}/${partition}`;

interface Given {
  readonly of: Feed;
  readonly sources: readonly Source[];
  readonly close: () => void;
}

/** The lanes of a feed, the slowest first: the feed is as far as that one. And who told what of it. */
export function Lanes({ of: { feed, lanes, hour }, sources, close }: Given) {
  const { words, language } = useLanguage();
  const said = words.feeds;
  // Which one is the slowest changes while somebody reads.
  const [first] = useState(lanes[0] && nameOf(lanes[0]));
  return (
    <Detail label={said.lanesOf(said.names[feed])} close={close}>
      <h2>{said.lanesOf(said.names[feed])}</h2>
      {lanes.length === 0 && <p>{said.noLane}</p>}
      <ul className="stack-tight">
        {lanes.map((lane) => (
          <li key={nameOf(lane)}>
            <details className="fold" open={nameOf(lane) === first || lane.state !== 'running'}>
              <summary>
                <LaneLine of={lane} />
              </summary>
              <LaneFacts of={lane} />
            </details>
          </li>
        ))}
      </ul>
      <h3>{said.sources}</h3>
      {sources.length === 0 && <p className="muted">{said.noSource}</p>}
      <ul className="stack-tight">
        {sources.map((source) => (
          <li key={`${source.tenantId} ${source.source}`} className="row apart">
            <SourceName of={source} hasTenant />
            {source.state !== 'heard' && <SourceState of={source} />}
            {source.state === 'heard' && source.lastOccurredAt !== null && (
              <span>
                {said.lastEvent} <Time at={source.lastOccurredAt} isShort />
              </span>
            )}
          </li>
        ))}
      </ul>
      <details>
        <summary>{said.hourTable}</summary>
        <p className="hint">{hourWords(words, language, hour)}</p>
        <div className="scroll">
          <table className="tight">
            <caption className="hidden">{said.hourTable}</caption>
            <thead>
              <tr>
                <th scope="col">{words.states.time}</th>
                <th scope="col" className="number">
                  {said.mostBehind}
                </th>
                <th scope="col" className="number">
                  {said.rows}
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
                    <td className="number">{lag === null ? said.notRunning : span(language, lag)}</td>
                    <td className="number">{lag === null ? '–' : number(language, hour.rows[index] ?? 0)}</td>
                  </tr>
                );
              })}
            </tbody>
          </table>
        </div>
      </details>
    </Detail>
  );
}

function LaneLine({ of: lane }: { of: Lane }) {
  const { words, language } = useLanguage();
  const said = words.feeds;
  return (
    <span className="row">
      <code>{laneName(lane)}</code>
      <Status standing={lane.state === 'running' ? 'good' : 'bad'}>{said.laneStates[lane.state]}</Status>
      <span className="small muted">{span(language, lane.lateMs)}</span>
      {lane.unread !== null && lane.unread > 0 && <span className="small muted">{said.unreadWords(lane.unread)}</span>}
    </span>
  );
}

function LaneFacts({ of: lane }: { of: Lane }) {
  const { words, language } = useLanguage();
  const said = words.feeds;
  const { state, reason, isRead, unread, worker, since, lookedAt } = lane;
  const resume = `npx tenantscope lanes resume ${nameOf(lane)}`;
  return (
    <div className="stack-tight">
      {state !== 'running' && (
        <div className="note note-bad stack-tight">
          {reason !== null && <p>{reason}</p>}
          <p>{state === 'tripped' ? said.trippedWords : said.stoppedWords}</p>
          <div className="row">
            <code>{resume}</code>
            <Copy text={resume} />
          </div>
        </div>
      )}
      <dl className="facts">
        <dt>{said.lane}</dt>
        <dd>
          <code>{nameOf(lane)}</code>
        </dd>
        <dt>{said.settledTo}</dt>
        <dd>
          <span className="mono">{clock(lane.settledAt)}Z</span> · {span(language, lane.lagMs)}
        </dd>
        <dt>{said.nextOffset}</dt>
        <dd className="mono">{number(language, lane.nextOffset)}</dd>
        <dt>{said.unread}</dt>
        <dd>
          {unread === null ? said.notKnown : number(language, unread)}
          {lane.unreadSince !== null && (
            <>
              {' '}
              · {said.since} <span className="mono">{clock(lane.unreadSince).slice(0, 8)}Z</span>
            </>
          )}
        </dd>
        <dt>{said.worker}</dt>
        <dd>
          {isRead && worker !== null && since !== null ? (
            <>
              <code>{worker}</code> · {said.since} <Time at={since} />
            </>
          ) : (
            <span className="muted">
              {said.noWorker} {lookedAt !== null && <Time at={lookedAt} />}
            </span>
          )}
        </dd>
        <dt>{said.written}</dt>
        <dd>{lane.writtenAt === null ? '–' : <Time at={lane.writtenAt} />}</dd>
      </dl>
    </div>
  );
}
