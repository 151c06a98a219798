import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { change } from '../../ask.ts';
import type { KeyDetail } from '../../asked.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { Failure } from '../../parts/failure.tsx';
import { moment, useLanguage } from '../../words/words.tsx';
import { ExpiryPicker, useExpiry } from './expiry-picker.tsx';
import { hasEnded, nameMax } from './key-use.ts';

/** Another name, another end. What somebody else changed since this was opened is told, not overwritten. */
export function ChangeKey({ of, close }: { of: KeyDetail['key']; close: () => void }) {
  const { words, language } = useLanguage();
  const { newKey, keys, people, states } = words;
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
      change(
        `/keys/${seen.id}`,
        { name, ...(isMoved ? { expiresAt } : {}), was: { name: seen.name, expiresAt: seen.expiresAt } },
        'PATCH',
      ),
    onSuccess: close,
    onSettled: () => {
      void client.invalidateQueries({ queryKey: ['keys'] });
      void client.invalidateQueries({ queryKey: ['key'] });
    },
  });
  return (
    <Dialog title={keys.changeTitle(seen.name)} close={close}>
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
        {isOver ? <p className="hint">{keys.onlyName}</p> : <ExpiryPicker {...picker} />}
        {isMoved && (
          <p className="note note-accent" aria-live="polite">
            {keys.willEnd(expiresAt === null ? newKey.forever : newKey.until(moment(language, expiresAt)))}
          </p>
        )}
        {saving.error && <Failure error={saving.error} again={() => saving.mutate()} />}
        <div className="menu-foot">
          <button type="button" onClick={close}>
            {states.cancel}
          </button>
          <button
            type="submit"
            className="primary"
            disabled={saving.isPending || (name.trim() === seen.name && !isMoved)}
          >
            {people.save}
          </button>
        </div>
      </form>
    </Dialog>
  );
}

const isSameDay = (one: string | null, other: string | null): boolean =>
  one !== null && one.slice(0, 10) === other?.slice(0, 10);
