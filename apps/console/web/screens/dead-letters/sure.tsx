import { type ReactNode, useState } from 'react';
import type { Letter } from '../../asked.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { number, useLanguage } from '../../words/words.tsx';
import { CommandLine } from './command-line.tsx';

/** As ingestion keeps it. */
const replaysASecond = 50;

interface Given {
  readonly letters: readonly Letter[];
  readonly close: () => void;
  /** What failed, where it was tried. */
  readonly children: ReactNode;
}

/** What a replay is going to do: how many of which topic, how fast, and how often it may be tried yet. */
export function SureToReplay({ letters, close, go, children }: Given & { go: () => unknown }) {
  const { words, language } = useLanguage();
  const { letters: said, states } = words;
  const byTopic = [...Map.groupBy(letters, ({ topic }) => topic)];
  const left = letters.map(({ replaysLeft }) => replaysLeft);
  const exhausted = left.filter((count) => count === 0).length;
  return (
    <Dialog title={said.sure(letters.length)} close={close}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          go();
        }}
      >
        <p>{said.sureWords}</p>
        <dl className="facts">
          <dt>{said.topic}</dt>
          <dd>
            <ul>
              {byTopic.map(([topic, some]) => (
                <li key={topic}>
                  <code>{topic}</code>: {number(language, some.length)}
                </li>
              ))}
            </ul>
          </dd>
          <dt>{said.rate}</dt>
          <dd>{said.rateWords(replaysASecond)}</dd>
          <dt>{said.left}</dt>
          <dd>{said.leftWords(Math.min(...left), Math.max(...left))}</dd>
        </dl>
        {exhausted > 0 && <p className="note note-warn">▲ {said.exhausted(exhausted)}</p>}
        <CommandLine act="replay" ids={letters.map(({ id }) => id)} />
        {children}
        <div className="menu-foot">
          <button type="button" onClick={close}>
            {states.cancel}
          </button>
          <button type="submit" className="primary">
            {said.acts.replay}
          </button>
        </div>
      </form>
    </Dialog>
  );
}

/** Who gives records up says why; the audit keeps it. */
export function SureToDiscard({ letters, close, go, children }: Given & { go: (reason: string) => unknown }) {
  const { words } = useLanguage();
  const { letters: said, states } = words;
  const [why, setWhy] = useState('');
  return (
    <Dialog title={said.giveUp(letters.length)} close={close}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          go(why);
        }}
      >
        <p>{said.giveUpWords}</p>
        <label className="field">
          <span>{said.why}</span>
          <input
            value={why}
            maxLength={1_000}
            pattern=".*\S.*"
            onChange={(event) => setWhy(event.target.value)}
            required
          />
        </label>
        <CommandLine act="discard" ids={letters.map(({ id }) => id)} />
        {children}
        <div className="menu-foot">
          <button type="button" onClick={close}>
            {states.cancel}
          </button>
          <button type="submit" className="primary danger">
            {said.acts.discard}
          </button>
        </div>
      </form>
    </Dialog>
  );
}
