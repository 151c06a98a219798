import { useQuery, useQueryClient } from '@tanstack/react-query';
import { hourMs } from '@tenantscope/contract/durations';
import { type FormEvent, useState } from 'react';
import { escapeInvisible } from '../../../api/escape-invisible.ts';
import { type CreatedKey, createKey, type KeyDetail } from '../../../api/keys.ts';
import { listOperations } from '../../../api/playground.ts';
import { call } from '../../client/api-client.ts';
import { useCurrentUser, useTenant } from '../../frame/current-user.ts';
import { dayAndTime } from '../../labels/format.ts';
import { useLanguage } from '../../labels/language.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { ErrorMessage } from '../../parts/query/error-message.tsx';
import { QueryResult } from '../../parts/query/query-result.tsx';
import { SegmentedControl } from '../../parts/segmented-control.tsx';
import { ExpiryPicker, useExpiry } from './expiry-picker.tsx';
import { KeySecret } from './key-secret.tsx';
import { nameMax } from './key-usage.ts';
import { ScopePicker } from './scope-picker.tsx';
import { presets, type Scope } from './scope-presets.ts';

interface Props {
  /** The key that this one takes the place of. */
  readonly replaces: KeyDetail['key'] | null;
  readonly close: () => void;
  readonly onCreated: (id: string) => void;
}

const overlapHours = [1, 24, 168] as const;

/** Creates a key: name, access, scopes and expiry. */
export function NewKey({ replaces, close, onCreated }: Props) {
  const { labels } = useLanguage();
  const [created, setCreated] = useState<CreatedKey | null>(null);
  // While the key is created the dialog stays: the response is the only one with its secret.
  const [isBusy, setBusy] = useState(false);
  const scopes = useQuery({
    queryKey: ['operations'],
    queryFn: ({ signal }) => call(listOperations, {}, { signal }),
    staleTime: Number.POSITIVE_INFINITY,
  });
  if (created)
    return (
      <KeySecret
        of={created}
        done={() => {
          onCreated(created.key.id);
          close();
        }}
      />
    );
  return (
    <Dialog
      title={replaces ? labels.newKey.rotateTitle(escapeInvisible(replaces.name)) : labels.newKey.title}
      close={close}
      isPersistent={isBusy}
    >
      <QueryResult query={scopes}>
        {(data) => (
          <NewKeyForm
            replaces={replaces}
            scopes={data.scopes}
            isBusy={isBusy}
            setBusy={setBusy}
            close={close}
            onCreated={setCreated}
          />
        )}
      </QueryResult>
    </Dialog>
  );
}

interface NewKeyFormProps {
  readonly replaces: Props['replaces'];
  readonly scopes: readonly Scope[];
  readonly isBusy: boolean;
  readonly setBusy: (isBusy: boolean) => void;
  readonly close: () => void;
  readonly onCreated: (created: CreatedKey) => void;
}

const whole = 'whole';

function NewKeyForm({ replaces, scopes, isBusy, setBusy, close, onCreated }: NewKeyFormProps) {
  const { labels, language } = useLanguage();
  const { newKey, keys } = labels;
  const { tenants, member } = useCurrentUser();
  const tenant = useTenant();
  const client = useQueryClient();
  const [name, setName] = useState(replaces ? replacementName(replaces.name, newKey.replacement) : '');
  const [reads, setReads] = useState(
    replaces ? (replaces.tenantId ?? whole) : (tenant?.id ?? (tenants.length === 1 ? (tenants[0]?.id ?? '') : '')),
  );
  const [chosen, setChosen] = useState<readonly string[]>(replaces?.scopes ?? scopes.filter(presets.siem));
  const { expiresAt, picker } = useExpiry(null, { lifetime: 'in365', at: null });
  const [overlap, setOverlap] = useState<number | null>(null);
  const [error, setError] = useState<unknown>(null);

  // Not a query mutation: a response with a secret must not be cached.
  const create = async () => {
    setBusy(true);
    setError(null);
    try {
      const created = await call(createKey, {
        name,
        tenantId: reads === whole ? null : reads,
        scopes: [...chosen],
        expiresAt,
        ...(replaces ? { replaces: replaces.id } : {}),
        ...(replaces && overlap !== null
          ? { oldKeyEndsAt: new Date(Date.now() + overlap * hourMs).toISOString() }
          : {}),
      });
      void client.invalidateQueries({ queryKey: ['keys'] });
      void client.invalidateQueries({ queryKey: ['key'] });
      onCreated(created);
    } catch (refusal) {
      setError(refusal);
      setBusy(false);
    }
  };
  const accessLabel = reads === whole ? keys.wholeOrganization : (tenants.find(({ id }) => id === reads)?.name ?? '');
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
        <span>{newKey.access}</span>
        <select value={reads} disabled={replaces !== null} required onChange={(event) => setReads(event.target.value)}>
          {reads === '' && <option value="">{newKey.choose}</option>}
          <optgroup label={newKey.tenants}>
            {tenants.map(({ id, name: tenantName }) => (
              <option key={id} value={id}>
                {tenantName}
              </option>
            ))}
          </optgroup>
          {(member.hasEveryTenant || reads === whole) && <option value={whole}>{keys.wholeOrganization}</option>}
        </select>
      </label>
      <ScopePicker scopes={scopes} chosen={chosen} choose={setChosen} />
      <ExpiryPicker {...picker} />
      {replaces && <OverlapPicker replaces={replaces} selected={overlap} select={setOverlap} />}
      <p className="note note-accent" aria-live="polite">
        {accessLabel === ''
          ? newKey.chooseAccess
          : newKey.summary(
              keys.scopes(chosen.length),
              accessLabel,
              expiresAt === null ? newKey.untilRevoked : newKey.until(dayAndTime(language, expiresAt)),
            )}
      </p>
      {error !== null && <ErrorMessage error={error} again={() => void create()} />}
      <div className="menu-foot">
        <button type="button" disabled={isBusy} onClick={close}>
          {newKey.cancel}
        </button>
        <button type="submit" className="primary" disabled={isBusy}>
          {isBusy ? newKey.working : newKey.submit}
        </button>
      </div>
    </form>
  );
}

interface OverlapPickerProps {
  readonly replaces: KeyDetail['key'];
  /** Hours until the old key expires; null: when it is revoked. */
  readonly selected: number | null;
  readonly select: (hours: number | null) => void;
}

function OverlapPicker({ replaces, selected, select }: OverlapPickerProps) {
  const { labels, language } = useLanguage();
  const { newKey } = labels;
  return (
    <fieldset className="stack-tight">
      <legend>{newKey.oldKeyExpires}</legend>
      <SegmentedControl
        names={[null, ...overlapHours]}
        label={(hours) => (hours === null ? newKey.whenRevoked : newKey.inHours(hours))}
        chosen={selected}
        choose={select}
      />
      {selected !== null && (
        <p className="hint">{newKey.oldUntil(dayAndTime(language, oldKeyExpiry(replaces, selected)))}</p>
      )}
    </fieldset>
  );
}

/** Never later than it would have ended anyway. */
const oldKeyExpiry = ({ expiresAt }: KeyDetail['key'], hours: number): string => {
  const end = new Date(Date.now() + hours * hourMs).toISOString();
  return expiresAt !== null && expiresAt < end ? expiresAt : end;
};

/** The name of the key that takes another's place, which may be such a key itself. */
function replacementName(name: string, suffix: string): string {
  const own = name.endsWith(suffix) ? name.slice(0, -suffix.length) : name;
  return own.slice(0, nameMax - suffix.length) + suffix;
}
