import { type ReactNode, Suspense, useCallback, useState } from 'react';
import { ReauthenticateDialog } from '../parts/auth/lazy-auth-dialogs.ts';
import { type Reauthenticate, Reauthentication } from '../parts/auth/reauthentication.ts';

/** Shows the dialog that an error of a screen requests, over that screen. */
export function ReauthenticationProvider({ children }: { children: ReactNode }) {
  const [pending, setPending] = useState<{ readonly onDone: () => void } | null>(null);
  const reauthenticate = useCallback<Reauthenticate>((onDone) => setPending({ onDone }), []);
  return (
    <Reauthentication value={reauthenticate}>
      {children}
      {pending && (
        <Suspense>
          <ReauthenticateDialog
            close={() => setPending(null)}
            done={() => {
              setPending(null);
              pending.onDone();
            }}
          />
        </Suspense>
      )}
    </Reauthentication>
  );
}
