import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { type DeadLetter, type DeadLetterRequest, requestDeadLetterAction } from '../../../api/dead-letters.ts';
import { call } from '../../client/api-client.ts';
import { useLabels } from '../../labels/language.tsx';
import { ErrorMessage } from '../../parts/query/error-message.tsx';
import { ConfirmDiscard, ConfirmReplay } from './confirm-dialogs.tsx';
import { RequestProgress } from './request-progress.tsx';

interface ActionRequest {
  readonly action: DeadLetterRequest['action'];
  readonly deadLetters: readonly DeadLetter[];
  readonly reason?: string;
}

/** Actions on the selected dead letters. Ingest executes them; the result of each is shown. */
export function DeadLetterActions({ selected, hasAny }: { selected: readonly DeadLetter[]; hasAny: boolean }) {
  const { deadLetters: strings } = useLabels();
  const [confirming, setConfirming] = useState<{
    action: 'replay' | 'discard';
    deadLetters: readonly DeadLetter[];
  } | null>(null);
  const requesting = useMutation({
    mutationFn: ({ deadLetters, ...request }: ActionRequest) =>
      call(requestDeadLetterAction, { ...request, ids: deadLetters.map(({ id }) => id) }),
    onSuccess: () => setConfirming(null),
  });
  const isEmpty = selected.length === 0;
  const close = () => {
    setConfirming(null);
    requesting.reset();
  };
  const error = requesting.error && (
    <ErrorMessage
      error={requesting.error}
      again={() => requesting.variables && requesting.mutate(requesting.variables)}
    />
  );
  return (
    <>
      {hasAny && (
        <div className="row">
          <button
            type="button"
            disabled={isEmpty || requesting.isPending}
            onClick={() => requesting.mutate({ action: 'dryRun', deadLetters: selected })}
          >
            {strings.dryRun}
          </button>
          <button
            type="button"
            disabled={isEmpty}
            onClick={() => setConfirming({ action: 'replay', deadLetters: selected })}
          >
            {strings.replay(selected.length)}
          </button>
          <button
            type="button"
            className="danger"
            disabled={isEmpty}
            onClick={() => setConfirming({ action: 'discard', deadLetters: selected })}
          >
            {strings.discard}
          </button>
          <span className="muted" role="status">
            {strings.selected(selected.length)}
          </span>
        </div>
      )}
      {confirming === null && error}
      {requesting.data && requesting.variables && (
        <RequestProgress
          key={requesting.data.id}
          id={requesting.data.id}
          deadLetters={requesting.variables.deadLetters}
        />
      )}
      {confirming?.action === 'replay' && (
        <ConfirmReplay
          deadLetters={confirming.deadLetters}
          close={close}
          go={() => requesting.isPending || requesting.mutate(confirming)}
        >
          {error}
        </ConfirmReplay>
      )}
      {confirming?.action === 'discard' && (
        <ConfirmDiscard
          deadLetters={confirming.deadLetters}
          close={close}
          go={(reason) => requesting.isPending || requesting.mutate({ ...confirming, reason })}
        >
          {error}
        </ConfirmDiscard>
      )}
    </>
  );
}
