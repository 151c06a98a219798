import { useMutation } from '@tanstack/react-query';
import { ask } from '../../ask.ts';
import type { Letter, OpenedLetter } from '../../asked.ts';
import { useMe } from '../../frame/signed.ts';
import { Detail } from '../../parts/detail.tsx';
import { Failure } from '../../parts/failure.tsx';
import { Time } from '../../parts/time.tsx';
import { number, useLanguage } from '../../words/words.tsx';
import { visible } from '../playground/visible.ts';
import { Arrived } from './arrived.tsx';
import { CommandLine } from './command-line.tsx';
import { reasonMeaning, reasonWords } from './reason-words.ts';

interface Given {
  readonly id: string;
  /** Null: the list goes without it, and it shows when it is opened. */
  readonly listed: Letter | null;
  readonly close: () => void;
}

/** One letter. What arrived is shown when it is asked for: looking at it is an act of its own. */
export function LetterDetail({ id, listed, close }: Given) {
  const { words } = useLanguage();
  const { letters: said } = words;
  const opening = useMutation({ mutationFn: () => ask<OpenedLetter>(`/dead-letters/${id}`), gcTime: 0 });
  const letter = listed ?? opening.data ?? null;
  return (
    <Detail label={said.open} close={close}>
      <h2>{letter ? reasonWords(words, letter.reason) : said.open}</h2>
      {letter && <LetterFacts of={letter} />}
      {!opening.data && (
        <div className="stack-tight">
          <div>
            <button type="button" disabled={opening.isPending} onClick={() => opening.mutate()}>
              {said.show}
            </button>
          </div>
          <p className="hint">{said.audited}</p>
        </div>
      )}
      {opening.error && <Failure error={opening.error} again={() => opening.mutate()} />}
      {opening.data && <Arrived letter={opening.data} />}
      <CommandLine act="show" ids={[id]} />
    </Detail>
  );
}

function LetterFacts({ of: letter }: { of: Letter }) {
  const { words, language } = useLanguage();
  const { letters: said } = words;
  const { tenants } = useMe();
  const tenant = tenants.find(({ id }) => id === letter.tenantId)?.name ?? letter.tenantId ?? '–';
  return (
    <>
      <p>{reasonMeaning(words, letter.reason)}</p>
      <dl className="facts">
        <dt>{said.reason}</dt>
        <dd>
          <code>{letter.reason}</code>
        </dd>
        <dt>{said.detail}</dt>
        <dd>{visible(letter.detail)}</dd>
        <dt>{said.topic}</dt>
        <dd>
          <code>{letter.topic}</code>
        </dd>
        <dt>{said.position}</dt>
        <dd>{said.place(letter.partition, number(language, letter.offset), letter.element)}</dd>
        <dt>{said.tenant}</dt>
        <dd>{tenant}</dd>
        <dt>{said.state}</dt>
        <dd>
          {said.states[letter.state]}
          {letter.state !== 'parked' && (
            <>
              {' '}
              · <Time at={letter.changedAt} />
            </>
          )}
        </dd>
        <dt>{said.since}</dt>
        <dd>
          <Time at={letter.setAsideAt} />
        </dd>
        <dt>{said.left}</dt>
        <dd>{said.leftOf(letter.replaysLeft, letter.replaysLeft + letter.replays)}</dd>
      </dl>
    </>
  );
}
