import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { change } from '../../ask.ts';
import type { Letter, LetterRequest } from '../../asked.ts';
import { Failure } from '../../parts/failure.tsx';
import { useWords } from '../../words/words.tsx';
import { Progress } from './progress.tsx';
import { SureToDiscard, SureToReplay } from './sure.tsx';

interface Wanted {
  readonly act: LetterRequest['act'];
  readonly letters: readonly Letter[];
  readonly reason?: string;
}

/** What can be done with the letters that are chosen. Ingestion does it; what became of each is shown. */
export function Acts({ chosen, hasAny }: { chosen: readonly Letter[]; hasAny: boolean }) {
  const { letters: said } = useWords();
  const [asked, setAsked] = useState<{ act: 'replay' | 'discard'; letters: readonly Letter[] } | null>(null);
  const requesting = useMutation({
    mutationFn: ({ letters, ...wanted }: Wanted) =>
      change<{ id: string }>('/dead-letters/requests', { ...wanted, ids: letters.map(({ id }) => id) }),
    onSuccess: () => setAsked(null),
  });
  const none = chosen.length === 0;
  const close = () => {
    setAsked(null);
    requesting.reset();
  };
  const failure = requesting.error && (
    <Failure error={requesting.error} again={() => requesting.variables && requesting.mutate(requesting.variables)} />
  );
  return (
    <>
      {hasAny && (
        <div className="row">
          <button
            type="button"
            disabled={none || requesting.isPending}
            onClick={() => requesting.mutate({ act: 'dryRun', letters: chosen })}
          >
            {said.dryRun}
          </button>
          <button type="button" disabled={none} onClick={() => setAsked({ act: 'replay', letters: chosen })}>
            {said.replay(chosen.length)}
          </button>
          <button
            type="button"
            className="danger"
            disabled={none}
            onClick={() => setAsked({ act: 'discard', letters: chosen })}
          >
            {said.discard}
          </button>
          <span className="muted" role="status">
            {said.chosen(chosen.length)}
          </span>
        </div>
      )}
      {asked === null && failure}
      {requesting.data && requesting.variables && (
        <Progress key={requesting.data.id} id={requesting.data.id} letters={requesting.variables.letters} />
      )}
      {asked?.act === 'replay' && (
        <SureToReplay letters={asked.letters} close={close} go={() => requesting.isPending || requesting.mutate(asked)}>
          {failure}
        </SureToReplay>
      )}
      {asked?.act === 'discard' && (
        <SureToDiscard
          letters={asked.letters}
          close={close}
          go={(reason) => requesting.isPending || requesting.mutate({ ...asked, reason })}
        >
          {failure}
        </SureToDiscard>
      )}
    </>
  );
}
