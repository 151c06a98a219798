import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { escapeInvisible } from '../../../api/escape-invisible.ts';
import { formatKeyId, type KeyDetail, revokeKey } from '../../../api/keys.ts';
import { call } from '../../client/api-client.ts';
import { useDataTime } from '../../client/data-time.ts';
import { number, timeOfDay } from '../../labels/format.ts';
import { useLanguage } from '../../labels/language.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { ErrorMessage } from '../../parts/query/error-message.tsx';
import { useRelativeTime } from '../../parts/time.tsx';
import { confirmationCode, countRequests, isInUse } from './key-usage.ts';

/** Revokes a key. A key in use requires its first characters as confirmation. */
export function RevokeKey({ of: key, close }: { of: KeyDetail['key']; close: () => void }) {
  const { labels, language } = useLanguage();
  const { revoke } = labels;
  const client = useQueryClient();
  const [typed, setTyped] = useState('');
  const dataMs = useDataTime();
  const formatAgo = useRelativeTime();
  const requests = countRequests(key, 24, dataMs);
  const code = confirmationCode(key);
  const requiresCode = isInUse(key, dataMs);
  const ending = useMutation({
    mutationFn: () => call(revokeKey, { id: key.id }),
    onSuccess: () => {
      void client.invalidateQueries({ queryKey: ['keys'] });
      void client.invalidateQueries({ queryKey: ['key'] });
    },
  });
  return (
    <Dialog title={revoke.title(escapeInvisible(key.name))} close={close}>
      {ending.data ? (
        <>
          <p role="status">{revoke.done(timeOfDay(ending.data.key.revokedAt ?? ''))}</p>
          <p>{revoke.refusedSince(number(language, key.refusedAfterEnd))}</p>
          <div className="menu-foot">
            <button type="button" className="primary" onClick={close}>
              {labels.newKey.done}
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
          <code>{formatKeyId(key)}</code>
          <p>{key.lastUsedAt === null ? revoke.unused : revoke.recentUse(requests, formatAgo(key.lastUsedAt))}</p>
          {key.callers.length > 0 && (
            <ul className="stack-tight">
              {key.callers.map(({ address, agent, lastUsedAt }) => (
                <li key={`${address} ${agent}`} className="muted">
                  <code>{address}</code> {agent} · {formatAgo(lastUsedAt)}
                </li>
              ))}
            </ul>
          )}
          <p>{revoke.warning}</p>
          {requiresCode && (
            <label className="field">
              <span>{revoke.typeToConfirm(code)}</span>
              <input
                className="mono"
                aria-label={revoke.confirmation}
                value={typed}
                maxLength={4}
                autoComplete="off"
                spellCheck={false}
                onChange={(event) => setTyped(event.target.value)}
              />
            </label>
          )}
          {ending.error && <ErrorMessage error={ending.error} again={() => ending.mutate()} />}
          <div className="menu-foot">
            <button type="button" onClick={close}>
              {revoke.cancel}
            </button>
            <button
              type="submit"
              className="primary danger"
              disabled={ending.isPending || (requiresCode && typed !== code)}
            >
              {revoke.submit}
            </button>
          </div>
        </form>
      )}
    </Dialog>
  );
}
