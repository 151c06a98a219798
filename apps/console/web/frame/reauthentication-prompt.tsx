import { Suspense, useEffect, useState } from 'react';
import { onReauthenticationRequired } from '../client/reauthentication.ts';
import { ReauthenticateDialog } from '../parts/auth/lazy-auth-dialogs.ts';

/** Shows the dialog that a request requires, over the screen that sent it. */
export function ReauthenticationPrompt() {
  const [resolve, setResolve] = useState<{ readonly with: (isDone: boolean) => void } | null>(null);
  useEffect(() => onReauthenticationRequired(() => new Promise((settle) => setResolve({ with: settle }))), []);
  if (resolve === null) return null;
  const settle = (isDone: boolean) => {
    setResolve(null);
    resolve.with(isDone);
  };
  return (
    <Suspense>
      <ReauthenticateDialog close={() => settle(false)} done={() => settle(true)} />
    </Suspense>
  );
}
