import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { change } from '../../ask.ts';
import type { KeyDetail } from '../../asked.ts';
import { useOfMs } from '../../of.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { Failure } from '../../parts/failure.tsx';
import { useAgo } from '../../parts/time.tsx';
import { clock, number, useLanguage } from '../../words/words.tsx';
import { firstLetters, isInUse, requestsIn, shownId } from './key-use.ts';

/** Ends a key for good. What is in use asks for a sign that it is the right one. */
export function Revoke({ of: key, close }: { of: KeyDetail['key']; close: () => void }) {
  const { words, language } = useLanguage();
  const { revoke } = words;
  const client = useQueryClient();
  const [typed, setTyped] = useState('');
  const ofMs = useOfMs();
  const agoOf = useAgo();
  const requests = number(language, requestsIn(key, 24, ofMs));
  const letters = firstLetters(key);
  const asksLetters = isInUse(key, ofMs);
  const ending = useMutation({
    mutationFn: () => change<{ key: { revokedAt: string } }>(`/keys/${key.id}/revoke`),
    onSuccess: () => {
      void client.invalidateQueries({ queryKey: ['keys'] });
      void client.invalidateQueries({ queryKey: ['key'] });
    },
  });
  return (
    <Dialog title={revoke.title(key.name)} close={close}>
      {ending.data ? (
        <>
          <p role="status">{revoke.done(`${clock(ending.data.key.revokedAt)}Z`)}</p>
          <p>{revoke.since(number(language, key.refusedAfterEnd))}</p>
          <div className="menu-foot">
            <button type="button" className="primary" onClick={close}>
              {words.newKey.done}
            </button>
          </div>
        </>
      ) : (
        <form
          onSubmit={(event) => {
            event.preventDefault();
            ending.mutate();
          }}
        >
          <code>{shownId(key)}</code>
          <p>{key.lastUsedAt === null ? revoke.unused : revoke.use(requests, agoOf(key.lastUsedAt))}</p>
          {key.callers.length > 0 && (
            <ul className="stack-tight">
              {key.callers.map(({ address, agent, lastUsedAt }) => (
                <li key={`${address} ${agent}`} className="muted">
                  <code>{address}</code> {agent} · {agoOf(lastUsedAt)}
                </li>
              ))}
            </ul>
          )}
          <p>{revoke.breaks}</p>
          {asksLetters && (
            <label className="field">
              <span>{revoke.type(letters)}</span>
              <input
                className="mono"
                aria-label={revoke.letters}
                value={typed}
                maxLength={4}
                autoComplete="off"
                spellCheck={false}
                onChange={(event) => setTyped(event.target.value)}
              />
            </label>
          )}
          {ending.error && <Failure error={ending.error} again={() => ending.mutate()} />}
          <div className="menu-foot">
            <button type="button" onClick={close}>
              {revoke.cancel}
            </button>
            <button
              type="submit"
              className="primary danger"
              disabled={ending.isPending || (asksLetters && typed !== letters)}
            >
              {revoke.submit}
            </button>
          </div>
        </form>
      )}
    </Dialog>
  );
}
