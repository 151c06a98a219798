import { useMutation } from '@tanstack/react-query';
import { ask } from '../../ask.ts';
import type { Letter, OpenedLetter } from '../../asked.ts';
import { Detail } from '../../parts/detail.tsx';
import { Failure } from '../../parts/failure.tsx';
import { Time } from '../../parts/time.tsx';
import { number, useLanguage } from '../../words/words.tsx';
import { visible } from '../playground/lines.ts';
import { reasonWords } from './reason-words.ts';

/** One letter. What arrived is shown when it is asked for: looking at it is an act of its own. */
export function LetterDetail({ of: letter, close }: { of: Letter | null; close: () => void }) {
  const { words } = useLanguage();
  const { letters: said } = words;
  const opening = useMutation({ mutationFn: (id: string) => ask<OpenedLetter>(`/dead-letters/${id}`), gcTime: 0 });
  return (
    <Detail label={said.open} close={close}>
      <h2>{letter ? reasonWords(words, letter.reason) : said.open}</h2>
      {letter && (
        <>
          <p>{visible(letter.detail)}</p>
          <dl className="facts">
            <dt>{said.reason}</dt>
            <dd>
              <code>{letter.reason}</code>
            </dd>
            <dt>{said.where}</dt>
            <dd>
              <code>
                {letter.topic}/{letter.partition}@{letter.offset}#{letter.element}
              </code>
            </dd>
            <dt>{said.state}</dt>
            <dd>{said.states[letter.state]}</dd>
            <dt>{said.since}</dt>
            <dd>
              <Time at={letter.setAsideAt} />
            </dd>
          </dl>
          {!opening.data && (
            <div className="stack-tight">
              <div>
                <button type="button" disabled={opening.isPending} onClick={() => opening.mutate(letter.id)}>
                  {said.show}
                </button>
              </div>
              <p className="hint">{said.audited}</p>
            </div>
          )}
          {opening.error && <Failure error={opening.error} again={() => opening.mutate(letter.id)} />}
          {opening.data && <Arrived letter={opening.data} />}
          <p className="hint">
            {said.cli} <code>npx tenantscope dead-letters show {letter.id}</code>
          </p>
        </>
      )}
    </Detail>
  );
}

function Arrived({ letter: { key, value, headers } }: { letter: OpenedLetter }) {
  const { words, language } = useLanguage();
  const { letters: said } = words;
  const part = (name: string, of: OpenedLetter['value']) =>
    of && (
      <div className="stack-tight">
        <h3>{name}</h3>
        <p className="hint">{said.bytes(number(language, of.bytes), of.encoding)}</p>
        <pre className="lines">{of.text.split('\n').map(visible).join('\n')}</pre>
      </div>
    );
  return (
    <>
      {part(said.payload, value)}
      {part(said.key, key)}
      {headers.length > 0 && (
        <div className="stack-tight">
          <h3>{said.headers}</h3>
          <dl className="facts">
            {headers.map(({ name, value: of }, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: a header may come twice, and none ever moves
              <div key={index} className="fact">
                <dt>{name}</dt>
                <dd>
                  <code>{visible(of?.text ?? '')}</code>
                </dd>
              </div>
            ))}
          </dl>
        </div>
      )}
    </>
  );
}
