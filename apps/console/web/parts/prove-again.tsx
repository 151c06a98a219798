import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { ask, change } from '../ask.ts';
import type { Me, WaysIn } from '../asked.ts';
import { askPasskey, knowsPasskeys } from '../passkey.ts';
import { useWords } from '../words/words.tsx';
import { Beside } from './beside.tsx';
import { Dialog } from './dialog.tsx';
import { LocalProof } from './local-proof.tsx';
import { ProofFailure } from './proof-failure.tsx';

/** Asks, within a session, whether it is still the same person; over what was about to be done, which goes on. */
export function ProveAgain({ close, done }: { close: () => void; done: () => void }) {
  const { frame, signIn, states } = useWords();
  const client = useQueryClient();
  const source = client.getQueryData<Me>(['me'])?.person.source;
  const ways = useQuery({
    queryKey: ['passkeys-possible'],
    queryFn: ({ signal }) => ask<WaysIn>('/sign-in', signal),
    enabled: source === 'local',
  });
  const [error, setError] = useState<unknown>(null);
  const [isBusy, setBusy] = useState(false);
  const prove = async (proof: () => Promise<object> | object) => {
    setError(null);
    setBusy(true);
    try {
      await change('/reauthenticate', await proof());
      // A recovery code is spent.
      void client.invalidateQueries({ queryKey: ['proofs'] });
      done();
    } catch (refusal) {
      setError(refusal);
      setBusy(false);
    }
  };
  return (
    <Dialog title={frame.confirm} close={close}>
      <p>{signIn.proveWords}</p>
      <div className="stack ways">
        {source === 'demo' && (
          <button
            type="button"
            className="primary"
            disabled={isBusy}
            onClick={() => void prove(() => ({ demo: true }))}
          >
            {signIn.prove}
          </button>
        )}
        {source === 'local' && ways.data?.passkey && knowsPasskeys && (
          <>
            <button
              type="button"
              disabled={isBusy}
              onClick={() => void prove(async () => ({ passkey: (await askPasskey()) as object }))}
            >
              {signIn.passkey}
            </button>
            <span className="or">{signIn.or}</span>
          </>
        )}
        {source === 'local' && <LocalProof words={signIn.prove} prove={(body) => prove(() => body)} />}
        {source === 'oidc' && (
          <Beside search={{ reauthenticate: '1' }} className="button primary" done={done}>
            {signIn.proveThere}
          </Beside>
        )}
        {error !== null && <ProofFailure error={error} />}
      </div>
      <div className="menu-foot">
        <button type="button" onClick={close}>
          {states.cancel}
        </button>
      </div>
    </Dialog>
  );
}
