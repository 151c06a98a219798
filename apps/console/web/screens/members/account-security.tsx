import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useLabels } from '../../labels/language.tsx';
import { AddAuthenticator } from './add-authenticator.tsx';
import { ChangePassword } from './change-password.tsx';
import { RenewRecoveryCodes } from './renew-recovery-codes.tsx';

type Action = 'password' | 'codes' | 'authenticator';

/** Changes of the own password, recovery codes and authenticator apps. */
export function AccountSecurity() {
  const { members: strings } = useLabels();
  const client = useQueryClient();
  const [open, setOpen] = useState<Action | null>(null);
  const [message, setMessage] = useState('');
  const close = () => setOpen(null);
  const done = (text: string) => {
    close();
    setMessage(text);
    for (const queryKey of [['credentials'], ['sessions']]) void client.invalidateQueries({ queryKey });
  };
  const start = (action: Action) => {
    setMessage('');
    setOpen(action);
  };
  return (
    <div className="row">
      <button type="button" onClick={() => start('password')}>
        {strings.changePassword}
      </button>
      <button type="button" onClick={() => start('codes')}>
        {strings.renewCodes}
      </button>
      <button type="button" onClick={() => start('authenticator')}>
        {strings.addAuthenticator}
      </button>
      <span role="status">{message}</span>
      {open === 'password' && <ChangePassword close={close} done={(ended) => done(strings.passwordChanged(ended))} />}
      {open === 'codes' && <RenewRecoveryCodes close={close} done={() => done(strings.codesRenewed)} />}
      {open === 'authenticator' && <AddAuthenticator close={close} done={() => done(strings.authenticatorAdded)} />}
    </div>
  );
}
