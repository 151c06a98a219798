import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { changePassword } from '../../../api/account.ts';
import { listSignInMethods } from '../../../api/sign-in.ts';
import { call } from '../../client/api-client.ts';
import { getPasskey, supportsPasskeys } from '../../client/passkey.ts';
import { useLabels } from '../../labels/language.tsx';
import { CredentialError } from '../../parts/auth/credential-error.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { SegmentedControl } from '../../parts/segmented-control.tsx';

interface Props {
  readonly close: () => void;
  /** Receives how many other sessions ended. */
  readonly done: (ended: number) => void;
}

/** Changes the own password, with the current one and a second factor. */
export function ChangePassword({ close, done }: Props) {
  const { members: strings, setUp, signIn, states } = useLabels();
  const methods = useQuery({
    queryKey: ['passkey-availability'],
    queryFn: ({ signal }) => call(listSignInMethods, {}, { signal }),
  });
  const hasPasskeys = methods.data?.passkey === true && supportsPasskeys;
  const [factor, setFactor] = useState<'totp' | 'passkey'>('totp');
  const [error, setError] = useState<unknown>(null);
  const [isBusy, setBusy] = useState(false);
  const send = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const fields = new FormData(event.currentTarget);
    const text = (name: string) => String(fields.get(name) ?? '');
    const passwords = { current: text('current'), password: text('password') };
    setBusy(true);
    setError(null);
    try {
      const second = factor === 'totp' ? { second: text('second') } : { passkey: await getPasskey() };
      done((await call(changePassword, { ...passwords, ...second })).ended);
    } catch (failure) {
      setError(failure);
      setBusy(false);
    }
  };
  return (
    <Dialog title={strings.changePasswordTitle} close={close}>
      <p>{strings.changePasswordHelp}</p>
      <form className="stack" onSubmit={(event) => void send(event)}>
        <label className="field">
          <span>{strings.currentPassword}</span>
          <input name="current" type="password" autoComplete="current-password" required />
        </label>
        <label className="field">
          <span>{strings.newPassword}</span>
          <input name="password" type="password" minLength={12} autoComplete="new-password" required />
        </label>
        {hasPasskeys && (
          <fieldset className="stack-tight">
            <legend>{setUp.factor}</legend>
            <SegmentedControl
              names={['totp', 'passkey'] as const}
              label={(one) => strings.secondFactors[one]}
              chosen={factor}
              choose={setFactor}
            />
          </fieldset>
        )}
        {factor === 'totp' && (
          <label className="field">
            <span>{signIn.second}</span>
            <input name="second" className="mono" autoComplete="one-time-code" spellCheck={false} required />
          </label>
        )}
        {error !== null && <CredentialError error={error} />}
        <div className="menu-foot">
          <button type="button" onClick={close}>
            {states.cancel}
          </button>
          <button type="submit" className="primary" disabled={isBusy}>
            {strings.changePasswordTitle}
          </button>
        </div>
      </form>
    </Dialog>
  );
}
