import { type ReactNode, useState } from 'react';
import type { DeadLetter } from '../../../api/dead-letters.ts';
import { number } from '../../labels/format.ts';
import { useLanguage } from '../../labels/language.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { CommandLine } from './command-line.tsx';

/** The limit that ingest enforces. */
const replaysASecond = 50;

interface Props {
  readonly deadLetters: readonly DeadLetter[];
  readonly close: () => void;
  /** What failed, where it was tried. */
  readonly children: ReactNode;
}

/** Confirms a replay: records per topic, rate, and replays left. */
export function ConfirmReplay({ deadLetters, close, go, children }: Props & { go: () => unknown }) {
  const { labels, language } = useLanguage();
  const { deadLetters: strings, states } = labels;
  const byTopic = [...Map.groupBy(deadLetters, ({ topic }) => topic)];
  const left = deadLetters.map(({ replaysLeft }) => replaysLeft);
  const exhausted = left.filter((count) => count === 0).length;
  return (
    <Dialog title={strings.replayTitle(deadLetters.length)} close={close}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          go();
        }}
      >
        <p>{strings.replayHelp}</p>
        <dl className="facts">
          <dt>{strings.topic}</dt>
          <dd>
            <ul>
              {byTopic.map(([topic, some]) => (
                <li key={topic}>
                  <code>{topic}</code>: {number(language, some.length)}
                </li>
              ))}
            </ul>
          </dd>
          <dt>{strings.rate}</dt>
          <dd>{strings.rateHelp(replaysASecond)}</dd>
          <dt>{strings.replaysLeft}</dt>
          <dd>{strings.replaysLeftRange(Math.min(...left), Math.max(...left))}</dd>
        </dl>
        {exhausted > 0 && <p className="note note-warn">▲ {strings.exhausted(exhausted)}</p>}
        <CommandLine command="replay" ids={deadLetters.map(({ id }) => id)} />
        {children}
        <div className="menu-foot">
          <button type="button" onClick={close}>
            {states.cancel}
          </button>
          <button type="submit" className="primary">
            {strings.actions.replay}
          </button>
        </div>
      </form>
    </Dialog>
  );
}

/** Confirms a discard, with a reason for the audit log. */
export function ConfirmDiscard({ deadLetters, close, go, children }: Props & { go: (reason: string) => unknown }) {
  const { labels } = useLanguage();
  const { deadLetters: strings, states } = labels;
  const [reason, setReason] = useState('');
  return (
    <Dialog title={strings.discardTitle(deadLetters.length)} close={close}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          go(reason);
        }}
      >
        <p>{strings.discardHelp}</p>
        <label className="field">
          <span>{strings.discardReason}</span>
          <input
            value={reason}
            maxLength={1_000}
            pattern=".*\S.*"
            onChange={(event) => setReason(event.target.value)}
            required
          />
        </label>
        <CommandLine command="discard" ids={deadLetters.map(({ id }) => id)} />
        {children}
        <div className="menu-foot">
          <button type="button" onClick={close}>
            {states.cancel}
          </button>
          <button type="submit" className="primary danger">
            {strings.actions.discard}
          </button>
        </div>
      </form>
    </Dialog>
  );
}
