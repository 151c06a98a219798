import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { ask } from '../../ask.ts';
import type { Letter, LetterRequest } from '../../asked.ts';
import { Asked } from '../../parts/asked.tsx';
import { Status } from '../../parts/status.tsx';
import { useWords } from '../../words/words.tsx';
import { visible } from '../playground/visible.ts';
import { reasonWords } from './reason-words.ts';

const everyMs = 1_000;
/** A process of ingestion asks every two seconds what is wanted. */
const takenWithinMs = 6_000;
const good: ReadonlySet<string> = new Set(['passes', 'projected', 'settled', 'discarded']);

/** How far ingestion has come with a request, and what became of each letter. */
export function Progress({ id, letters }: { id: string; letters: readonly Letter[] }) {
  const words = useWords();
  const { letters: said } = words;
  const client = useQueryClient();
  const [askedMs] = useState(Date.now);
  const shown = useQuery({
    queryKey: ['letter-request', id],
    queryFn: async ({ signal }) => {
      const request = await ask<LetterRequest>(`/dead-letters/requests/${id}`, signal);
      if (request.state === 'done')
        for (const queryKey of [['letters'], ['feeds'], ['settled']]) void client.invalidateQueries({ queryKey });
      return request;
    },
    refetchInterval: ({ state }) => (state.data?.state === 'done' ? false : everyMs),
  });
  return (
    <section className="note stack-tight" aria-live="polite">
      <Asked query={shown}>
        {({ act, state, trouble, results }) => (
          <>
            <p>
              <strong>{said.acts[act]}</strong>: {said.running[state]}
              {state !== 'done' && ` · ${said.soFar(results.length, letters.length)}`}
            </p>
            {trouble !== null && state !== 'done' && (
              <p>▲ {trouble.startsWith('Kafka') ? said.kafkaAway : said.otherTrouble}</p>
            )}
            {state === 'waiting' && trouble === null && Date.now() - askedMs > takenWithinMs && (
              <p>▲ {said.ingestionAway}</p>
            )}
            <ul>
              {counted(results).map(({ result, reason, detail, count }) => (
                <li key={`${result} ${reason} ${detail}`} className="row">
                  <Status standing={good.has(result) ? 'good' : 'warn'}>
                    {count} × {said.results[result]}
                  </Status>
                  <Why words={words} reason={reason} detail={detail} />
                </li>
              ))}
            </ul>
            {results.length > 1 && (
              <details>
                <summary>{said.each}</summary>
                <ul>
                  {results.map(({ letterId, result, reason, detail }) => (
                    <li key={letterId} className="row">
                      <code>{placeOf(letters, letterId)}</code>
                      <Status standing={good.has(result) ? 'good' : 'warn'}>{said.results[result]}</Status>
                      <Why words={words} reason={reason} detail={detail} />
                    </li>
                  ))}
                </ul>
              </details>
            )}
          </>
        )}
      </Asked>
    </section>
  );
}

type Result = LetterRequest['results'][number];

function Why({ words, reason, detail }: { words: ReturnType<typeof useWords> } & Pick<Result, 'reason' | 'detail'>) {
  const parts = [reason === null ? null : reasonWords(words, reason), detail === null ? null : visible(detail)];
  const text = parts.filter(Boolean).join(': ');
  return text === '' ? null : <span className="muted">{text}</span>;
}

function placeOf(letters: readonly Letter[], id: string): string {
  const letter = letters.find((one) => one.id === id);
  return letter ? `${letter.topic}/${letter.partition}@${letter.offset}#${letter.element}` : id;
}

/** Letters that came to the same end together. */
function counted(results: readonly Result[]): readonly (Omit<Result, 'letterId'> & { count: number })[] {
  const ends = new Map<string, Omit<Result, 'letterId'> & { count: number }>();
  for (const { result, reason, detail } of results) {
    const place = JSON.stringify([result, reason, detail]);
    ends.set(place, { result, reason, detail, count: (ends.get(place)?.count ?? 0) + 1 });
  }
  return [...ends.values()];
}
