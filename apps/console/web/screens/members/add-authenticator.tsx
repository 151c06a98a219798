import { type FormEvent, useState } from 'react';
import { addAuthenticator } from '../../../api/account.ts';
import { call } from '../../client/api-client.ts';
import { useCurrentUser } from '../../frame/current-user.ts';
import { useLabels } from '../../labels/language.tsx';
import { AuthenticatorFields } from '../../parts/auth/authenticator-fields.tsx';
import { createTotpSecret } from '../../parts/auth/totp-secret.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { ErrorMessage } from '../../parts/query/error-message.tsx';

/** Enrols another authenticator app of the own account. */
export function AddAuthenticator({ close, done }: { close: () => void; done: () => void }) {
  const { members: strings, states } = useLabels();
  const { member } = useCurrentUser();
  const [secret] = useState(createTotpSecret);
  const [error, setError] = useState<unknown>(null);
  const [isBusy, setBusy] = useState(false);
  const send = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const fields = new FormData(event.currentTarget);
    const code = String(fields.get('code')).replaceAll(/\s/g, '');
    setBusy(true);
    setError(null);
    try {
      await call(addAuthenticator, { name: String(fields.get('name')), totp: { secret, code } });
      done();
    } catch (failure) {
      setError(failure);
      setBusy(false);
    }
  };
  return (
    <Dialog title={strings.addAuthenticatorTitle} close={close}>
      <form className="stack" onSubmit={(event) => void send(event)}>
        <label className="field">
          <span>{strings.authenticatorName}</span>
          <input name="name" maxLength={100} autoComplete="off" required />
        </label>
        <AuthenticatorFields secret={secret} name={member.name} />
        {error !== null && <ErrorMessage error={error} />}
        <div className="menu-foot">
          <button type="button" onClick={close}>
            {states.cancel}
          </button>
          <button type="submit" className="primary" disabled={isBusy}>
            {strings.addAuthenticatorTitle}
          </button>
        </div>
      </form>
    </Dialog>
  );
}
