import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type * as z from 'zod/mini';
import { type CurrentSession, reauthenticate } from '../../../api/current-session.ts';
import { listSignInMethods } from '../../../api/sign-in.ts';
import { call } from '../../client/api-client.ts';
import { getPasskey, supportsPasskeys } from '../../client/passkey.ts';
import { useLabels } from '../../labels/language.tsx';
import { Dialog } from '../dialog.tsx';
import { CredentialError } from './credential-error.tsx';
import { OidcPopup } from './oidc-popup.tsx';
import { PasswordForm } from './password-form.tsx';

type Credentials = z.input<typeof reauthenticate.input>;

/** Authenticates the member again within a session, over the action that required it; `done` continues that action. */
export function ReauthenticateDialog({ close, done }: { close: () => void; done: () => void }) {
  const { frame, signIn, states } = useLabels();
  const client = useQueryClient();
  const source = client.getQueryData<CurrentSession>(['me'])?.member.source;
  const methods = useQuery({
    queryKey: ['passkey-availability'],
    queryFn: ({ signal }) => call(listSignInMethods, {}, { signal }),
    enabled: source === 'local',
  });
  const [error, setError] = useState<unknown>(null);
  const [isBusy, setBusy] = useState(false);
  const confirm = async (read: () => Promise<Credentials> | Credentials) => {
    setError(null);
    setBusy(true);
    try {
      await call(reauthenticate, await read());
      // A recovery code may have been used up.
      void client.invalidateQueries({ queryKey: ['credentials'] });
      done();
    } catch (failure) {
      setError(failure);
      setBusy(false);
    }
  };
  return (
    <Dialog title={frame.confirm} close={close}>
      <p>{signIn.confirmHelp}</p>
      <div className="stack sign-in-methods">
        {source === 'demo' && (
          <button
            type="button"
            className="primary"
            disabled={isBusy}
            onClick={() => void confirm(() => ({ demo: true }))}
          >
            {signIn.confirm}
          </button>
        )}
        {source === 'local' && methods.data?.passkey && supportsPasskeys && (
          <>
            <button
              type="button"
              disabled={isBusy}
              onClick={() => void confirm(async () => ({ passkey: await getPasskey() }))}
            >
              {signIn.passkey}
            </button>
            <span className="or">{signIn.or}</span>
          </>
        )}
        {source === 'local' && (
          <PasswordForm
            submitLabel={signIn.confirm}
            submit={({ password, second }) => confirm(() => ({ password, second }))}
          />
        )}
        {source === 'oidc' && (
          <OidcPopup search={{ reauthenticate: '1' }} className="button primary" done={done}>
            {signIn.confirmAtProvider}
          </OidcPopup>
        )}
        {error !== null && <CredentialError error={error} />}
      </div>
      <div className="menu-foot">
        <button type="button" onClick={close}>
          {states.cancel}
        </button>
      </div>
    </Dialog>
  );
}
