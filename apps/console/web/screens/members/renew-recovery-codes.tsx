import { useState } from 'react';
import { renewRecoveryCodes } from '../../../api/account.ts';
import { call } from '../../client/api-client.ts';
import { useLabels } from '../../labels/language.tsx';
import { RecoveryCodes } from '../../parts/auth/recovery-codes.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { ErrorMessage } from '../../parts/query/error-message.tsx';

/** Replaces the own recovery codes; the new ones are shown once. */
export function RenewRecoveryCodes({ close, done }: { close: () => void; done: () => void }) {
  const { members: strings, setUp, states } = useLabels();
  const [codes, setCodes] = useState<readonly string[] | null>(null);
  const [error, setError] = useState<unknown>(null);
  const [isBusy, setBusy] = useState(false);
  // Not a query mutation: a response with secrets must not be cached.
  const renew = async () => {
    setBusy(true);
    setError(null);
    try {
      setCodes((await call(renewRecoveryCodes, {})).recoveryCodes);
    } catch (failure) {
      setError(failure);
    }
    setBusy(false);
  };
  if (codes)
    return (
      <Dialog title={strings.renewCodesTitle} close={() => {}} isPersistent>
        <p>{setUp.recovery}</p>
        <RecoveryCodes codes={codes} done={done} />
      </Dialog>
    );
  return (
    <Dialog title={strings.renewCodesTitle} close={close} isPersistent={isBusy}>
      <p>{strings.renewCodesHelp}</p>
      {error !== null && <ErrorMessage error={error} again={() => void renew()} />}
      <div className="menu-foot">
        <button type="button" disabled={isBusy} onClick={close}>
          {states.cancel}
        </button>
        <button type="button" className="primary" disabled={isBusy} onClick={() => void renew()}>
          {strings.renewCodesTitle}
        </button>
      </div>
    </Dialog>
  );
}
