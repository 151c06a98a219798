import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { ask, change } from '../../ask.ts';
import type { LetterRequest } from '../../asked.ts';
import { Asked } from '../../parts/asked.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Failure } from '../../parts/failure.tsx';
import { Status } from '../../parts/status.tsx';
import { useWords } from '../../words/words.tsx';
import { reasonWords } from './reason-words.ts';

type Act = LetterRequest['act'];
interface Wanted {
  readonly act: Act;
  readonly ids: readonly string[];
  readonly reason?: string;
}

/** What can be done with the letters that are chosen. Ingestion does it; what became of each is shown. */
export function Acts({ chosen, hasAny }: { chosen: readonly string[]; hasAny: boolean }) {
  const { letters: said } = useWords();
  const [asked, setAsked] = useState<'replay' | 'discard' | null>(null);
  const [why, setWhy] = useState('');
  const close = () => setAsked(null);
  const requesting = useMutation({
    mutationFn: (wanted: Wanted) => change<{ id: string }>('/dead-letters/requests', wanted),
    onSuccess: close,
  });
  const none = chosen.length === 0;
  const want = (act: Act, reason?: string) =>
    requesting.mutate({ act, ids: chosen, ...(reason === undefined ? {} : { reason }) });
  const failure = requesting.error && (
    <Failure error={requesting.error} again={() => requesting.variables && requesting.mutate(requesting.variables)} />
  );
  return (
    <>
      {hasAny && (
        <div className="row">
          <button type="button" disabled={none} onClick={() => want('dryRun')}>
            {said.dryRun}
          </button>
          <button type="button" disabled={none} onClick={() => setAsked('replay')}>
            {said.replay}
          </button>
          <button type="button" className="danger" disabled={none} onClick={() => setAsked('discard')}>
            {said.discard}
          </button>
          <span className="muted" role="status">
            {said.chosen(chosen.length)}
          </span>
        </div>
      )}
      {asked === null && failure}
      {requesting.data && <Progress key={requesting.data.id} id={requesting.data.id} />}
      {asked === 'replay' && (
        <Sure title={said.sure(chosen.length)} close={close} submit={said.acts.replay} go={() => want('replay')}>
          <p>{said.sureWords}</p>
          {failure}
        </Sure>
      )}
      {asked === 'discard' && (
        <Sure
          title={said.giveUp(chosen.length)}
          close={close}
          submit={said.acts.discard}
          go={() => want('discard', why)}
        >
          <label className="field">
            <span>{said.why}</span>
            <input value={why} maxLength={1_000} onChange={(event) => setWhy(event.target.value)} required />
          </label>
          {failure}
        </Sure>
      )}
    </>
  );
}

interface SureGiven {
  readonly title: string;
  readonly submit: string;
  readonly close: () => void;
  readonly go: () => void;
  readonly children: ReactNode;
}

function Sure({ title, submit, close, go, children }: SureGiven) {
  const { states } = useWords();
  return (
    <Dialog title={title} close={close}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          go();
        }}
      >
        {children}
        <div className="menu-foot">
          <button type="button" onClick={close}>
            {states.cancel}
          </button>
          <button type="submit" className="primary">
            {submit}
          </button>
        </div>
      </form>
    </Dialog>
  );
}

const everyMs = 1_000;
const good: ReadonlySet<string> = new Set(['passes', 'projected', 'settled', 'discarded']);

/** How far ingestion has come with a request, and what became of each letter. */
function Progress({ id }: { id: string }) {
  const words = useWords();
  const { letters: said } = words;
  const client = useQueryClient();
  const shown = useQuery({
    queryKey: ['letter-request', id],
    queryFn: async ({ signal }) => {
      const request = await ask<LetterRequest>(`/dead-letters/requests/${id}`, signal);
      if (request.state === 'done') void client.invalidateQueries({ queryKey: ['letters'] });
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
              {said.acts[act]}: {said.running[state]} {trouble !== null && `(${trouble})`}
            </p>
            <ul>
              {counted(results).map(({ result, reason, detail, count }) => (
                <li key={`${result} ${reason} ${detail}`} className="row">
                  <Status standing={good.has(result) ? 'good' : 'warn'}>
                    {count} × {said.results[result]}
                  </Status>
                  {reason !== null && (
                    <span className="muted">{[reasonWords(words, reason), detail].filter(Boolean).join(': ')}</span>
                  )}
                </li>
              ))}
            </ul>
          </>
        )}
      </Asked>
    </section>
  );
}

type Result = LetterRequest['results'][number];

/** Letters that came to the same end together. */
function counted(results: readonly Result[]): readonly (Omit<Result, 'letterId'> & { count: number })[] {
  const ends = new Map<string, Omit<Result, 'letterId'> & { count: number }>();
  for (const { result, reason, detail } of results) {
    const place = JSON.stringify([result, reason, detail]);
    ends.set(place, { result, reason, detail, count: (ends.get(place)?.count ?? 0) + 1 });
  }
  return [...ends.values()];
}
