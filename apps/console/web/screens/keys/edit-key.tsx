import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { escapeInvisible } from '../../../api/escape-invisible.ts';
import { changeKey, type KeyDetail } from '../../../api/keys.ts';
import { call } from '../../client/api-client.ts';
import { dayAndTime } from '../../labels/format.ts';
import { useLanguage } from '../../labels/language.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { ErrorMessage } from '../../parts/query/error-message.tsx';
import { ExpiryPicker, useExpiry } from './expiry-picker.tsx';
import { hasEnded, nameMax } from './key-usage.ts';

/** Edits name and expiry. A concurrent change of another administrator is reported, not overwritten. */
export function EditKey({ of, close }: { of: KeyDetail['key']; close: () => void }) {
  const { labels, language } = useLanguage();
  const { newKey, keys, members, states } = labels;
  const client = useQueryClient();
  // As it was when it was opened: the detail behind goes on being asked for.
  const [seen] = useState(of);
  const [name, setName] = useState(seen.name);
  const isOver = hasEnded(seen);
  const first = { lifetime: seen.expiresAt === null ? ('never' as const) : ('onDate' as const), at: seen.expiresAt };
  const { expiresAt, picker } = useExpiry(Date.parse(seen.createdAt), first);
  const isMoved = !isOver && expiresAt !== seen.expiresAt && !isSameDay(expiresAt, seen.expiresAt);
  const saving = useMutation({
    mutationFn: () =>
      call(changeKey, {
        id: seen.id,
        name,
        ...(isMoved ? { expiresAt } : {}),
        expected: { name: seen.name, expiresAt: seen.expiresAt },
      }),
    onSuccess: close,
    onSettled: () => {
      void client.invalidateQueries({ queryKey: ['keys'] });
      void client.invalidateQueries({ queryKey: ['key'] });
    },
  });
  return (
    <Dialog title={keys.editTitle(escapeInvisible(seen.name))} close={close}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          saving.mutate();
        }}
      >
        <label className="field">
          <span>{newKey.name}</span>
          <input
            value={name}
            maxLength={nameMax}
            autoComplete="off"
            required
            onChange={({ target }) => setName(target.value)}
          />
        </label>
        {isOver ? <p className="hint">{keys.endedKeyHelp}</p> : <ExpiryPicker {...picker} />}
        {isMoved && (
          <p className="note note-accent" aria-live="polite">
            {keys.newExpiry(expiresAt === null ? newKey.untilRevoked : newKey.until(dayAndTime(language, expiresAt)))}
          </p>
        )}
        {saving.error && <ErrorMessage error={saving.error} again={() => saving.mutate()} />}
        <div className="menu-foot">
          <button type="button" onClick={close}>
            {states.cancel}
          </button>
          <button
            type="submit"
            className="primary"
            disabled={saving.isPending || (name.trim() === seen.name && !isMoved)}
          >
            {members.save}
          </button>
        </div>
      </form>
    </Dialog>
  );
}

const isSameDay = (one: string | null, other: string | null): boolean =>
  one !== null && one.slice(0, 10) === other?.slice(0, 10);
