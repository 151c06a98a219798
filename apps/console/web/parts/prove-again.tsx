import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { change } from '../ask.ts';
import type { Me } from '../asked.ts';
import { useWords } from '../words/words.tsx';
import { Dialog } from './dialog.tsx';
import { Failure } from './failure.tsx';
import { LocalProof } from './local-proof.tsx';

/** Asks, within a session, whether it is still the same person; over what was about to be done, which goes on. */
export function ProveAgain({ close, done }: { close: () => void; done: () => void }) {
  const { frame, signIn, states } = useWords();
  const me = useQueryClient().getQueryData<Me>(['me']);
  const [error, setError] = useState<unknown>(null);
  const prove = async (body: object) => {
    setError(null);
    try {
      await change('/reauthenticate', body);
      done();
    } catch (refusal) {
      setError(refusal);
    }
  };
  return (
    <Dialog title={frame.confirm} close={close}>
      {me?.person.source === 'demo' && (
        <div>
          <button type="button" className="primary" onClick={() => void prove({ demo: true })}>
            {signIn.prove}
          </button>
        </div>
      )}
      {me?.person.source === 'local' && <LocalProof prove={prove} />}
      {me?.person.source === 'oidc' && (
        <a
          className="button"
          href={`/console/auth/start?${new URLSearchParams({ reauthenticate: '1', to: location.pathname + location.search })}`}
        >
          {frame.confirm}
        </a>
      )}
      {error !== null && <Failure error={error} />}
      <div className="menu-foot">
        <button type="button" onClick={close}>
          {states.cancel}
        </button>
      </div>
    </Dialog>
  );
}
