import type { Feed } from '../../asked.ts';
import { Detail } from '../../parts/detail.tsx';
import { Status } from '../../parts/status.tsx';
import { clock, useLanguage, utc } from '../../words/words.tsx';

/** The lanes of a feed, the slowest first: the feed is as far as that one. */
export function Lanes({ of: { feed, lanes }, close }: { of: Feed; close: () => void }) {
  const { words } = useLanguage();
  const said = words.feeds;
  return (
    <Detail label={said.lanesOf(said.names[feed])} close={close}>
      <h2>{said.lanesOf(said.names[feed])}</h2>
      {lanes.length === 0 && <p>{said.noLane}</p>}
      <ul className="stack">
        {lanes.map(({ topic, partition, nextOffset, settledAt, writtenAt, state, reason }) => (
          <li key={`${topic} ${partition}`} className="stack-tight">
            <code>
              {topic}/{partition}
            </code>
            <dl className="facts">
              <dt>{said.state}</dt>
              <dd>
                <Status standing={state === 'running' ? 'good' : 'bad'}>{said.laneStates[state]}</Status>
              </dd>
              <dt>{said.settledTo}</dt>
              <dd className="mono">{clock(settledAt)}Z</dd>
              <dt>{said.nextOffset}</dt>
              <dd className="mono">{nextOffset}</dd>
              <dt>{said.written}</dt>
              <dd className="mono">{writtenAt === null ? '–' : utc(writtenAt)}</dd>
              {reason !== null && (
                <>
                  <dt>{said.why}</dt>
                  <dd>{reason}</dd>
                </>
              )}
            </dl>
          </li>
        ))}
      </ul>
    </Detail>
  );
}
