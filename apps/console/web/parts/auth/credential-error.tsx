import { PasskeyError } from '../../client/passkey.ts';
import { useLabels } from '../../labels/language.tsx';
import { ErrorMessage } from '../query/error-message.tsx';

/** A failed authentication: an error of the browser with a label of the page, any other with the message of the server. */
export function CredentialError({ error, again }: { error: unknown; again?: (() => void) | undefined }) {
  const { signIn } = useLabels();
  if (!(error instanceof PasskeyError)) return <ErrorMessage error={error} again={again} />;
  return (
    <p className="note note-warn" role="alert">
      {signIn.noPasskey[error.reason]}
    </p>
  );
}
