import { useQuery, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { ask, change } from '../../ask.ts';
import type { KeyDetail, MadeKey, Operations } from '../../asked.ts';
import { Asked } from '../../parts/asked.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Failure } from '../../parts/failure.tsx';
import { useMe } from '../../shell.tsx';
import { moment, useLanguage } from '../../words/words.tsx';
import { Choices } from './choices.tsx';
import { ExpiryPicker, useExpiry } from './expiry-picker.tsx';
import { nameMax } from './key-use.ts';
import { ScopePicker } from './scope-picker.tsx';
import { presets } from './scope-sets.ts';
import { Secret } from './secret.tsx';

interface Given {
  /** The key that this one takes the place of. */
  readonly replaces: KeyDetail['key'] | null;
  readonly close: () => void;
  readonly made: (id: string) => void;
}

const overlapHours = [1, 24, 168] as const;
const hourMs = 3_600_000;

/** Three decisions: what it is for, what it reads, until when. */
export function NewKey({ replaces, close, made }: Given) {
  const { words } = useLanguage();
  const [answer, setAnswer] = useState<MadeKey | null>(null);
  const scopes = useQuery({
    queryKey: ['operations'],
    queryFn: ({ signal }) => ask<Operations>('/operations', signal),
    staleTime: Number.POSITIVE_INFINITY,
  });
  if (answer)
    return (
      <Secret
        of={answer}
        done={() => {
          made(answer.key.id);
          close();
        }}
      />
    );
  return (
    <Dialog title={replaces ? words.newKey.rotateTitle(replaces.name) : words.newKey.title} close={close}>
      <Asked query={scopes}>
        {(known) => <Decisions replaces={replaces} scopes={known.scopes} close={close} made={setAnswer} />}
      </Asked>
    </Dialog>
  );
}

interface DecisionsGiven {
  readonly replaces: Given['replaces'];
  readonly scopes: readonly string[];
  readonly close: () => void;
  readonly made: (answer: MadeKey) => void;
}

const whole = 'whole';

function Decisions({ replaces, scopes, close, made }: DecisionsGiven) {
  const { words, language } = useLanguage();
  const { newKey, keys } = words;
  const { tenants } = useMe();
  const client = useQueryClient();
  const [name, setName] = useState(replaces ? nameAfter(replaces.name, newKey.replacement) : '');
  const [reads, setReads] = useState(replaces ? (replaces.tenantId ?? whole) : (tenants[0]?.id ?? whole));
  const [chosen, setChosen] = useState<readonly string[]>(replaces?.scopes ?? scopes.filter(presets.siem));
  const { expiresAt, picker } = useExpiry(null, { lifetime: 'in365', at: null });
  const [overlap, setOverlap] = useState<number | null>(null);
  const [error, setError] = useState<unknown>(null);
  const [isBusy, setBusy] = useState(false);

  // Not a mutation of the cache: what holds a secret is kept nowhere.
  const create = async () => {
    setBusy(true);
    setError(null);
    try {
      const answer = await change<MadeKey>('/keys', {
        name,
        tenantId: reads === whole ? null : reads,
        scopes: chosen,
        expiresAt,
        ...(replaces ? { replaces: replaces.id } : {}),
        ...(replaces && overlap !== null
          ? { oldKeyEndsAt: new Date(Date.now() + overlap * hourMs).toISOString() }
          : {}),
      });
      await client.invalidateQueries({ queryKey: ['keys'] });
      void client.invalidateQueries({ queryKey: ['key'] });
      made(answer);
    } catch (refusal) {
      setError(refusal);
      setBusy(false);
    }
  };
  const readsWords = reads === whole ? keys.whole : (tenants.find(({ id }) => id === reads)?.name ?? '');
  return (
    <form
      onSubmit={(event: FormEvent) => {
        event.preventDefault();
        void create();
      }}
    >
      <label className="field">
        <span>{newKey.name}</span>
        <input
          value={name}
          maxLength={nameMax}
          placeholder={newKey.nameHint}
          onChange={(event) => setName(event.target.value)}
          autoComplete="off"
          required
        />
      </label>
      <label className="field">
        <span>{newKey.reads}</span>
        <select value={reads} disabled={replaces !== null} onChange={(event) => setReads(event.target.value)}>
          <optgroup label={newKey.tenants}>
            {tenants.map(({ id, name: tenantName }) => (
              <option key={id} value={id}>
                {tenantName}
              </option>
            ))}
          </optgroup>
          <option value={whole}>{keys.whole}</option>
        </select>
      </label>
      <ScopePicker scopes={scopes} chosen={chosen} choose={setChosen} />
      <ExpiryPicker {...picker} />
      {replaces && (
        <fieldset className="stack-tight">
          <legend>{newKey.oldEnds}</legend>
          <Choices
            names={[null, ...overlapHours]}
            said={(hours) => (hours === null ? newKey.whenRevoked : newKey.inHours(hours))}
            chosen={overlap}
            choose={setOverlap}
          />
          {overlap !== null && <p className="hint">{newKey.oldUntil(moment(language, oldEnd(replaces, overlap)))}</p>}
        </fieldset>
      )}
      <p className="note note-accent" aria-live="polite">
        {newKey.sentence(
          keys.scopes(chosen.length),
          readsWords,
          expiresAt === null ? newKey.forever : newKey.until(moment(language, expiresAt)),
        )}
      </p>
      {error !== null && <Failure error={error} again={() => void create()} />}
      <div className="menu-foot">
        <button type="button" onClick={close}>
          {newKey.cancel}
        </button>
        <button type="submit" className="primary" disabled={isBusy}>
          {isBusy ? newKey.working : newKey.submit}
        </button>
      </div>
    </form>
  );
}

/** Never later than it would have ended anyway. */
const oldEnd = ({ expiresAt }: KeyDetail['key'], hours: number): string => {
  const end = new Date(Date.now() + hours * hourMs).toISOString();
  return expiresAt !== null && expiresAt < end ? expiresAt : end;
};

/** The name of the key that takes another's place, which may be such a key itself. */
function nameAfter(name: string, words: string): string {
  const own = name.endsWith(words) ? name.slice(0, -words.length) : name;
  return own.slice(0, nameMax - words.length) + words;
}
