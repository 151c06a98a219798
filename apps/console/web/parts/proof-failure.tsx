import { NoPasskey } from '../passkey.ts';
import { useWords } from '../words/words.tsx';
import { Failure } from './failure.tsx';

/** What failed about proving who one is: the browser’s part in words of ours, all else as the server says it. */
export function ProofFailure({ error, again }: { error: unknown; again?: (() => void) | undefined }) {
  const { signIn } = useWords();
  if (!(error instanceof NoPasskey)) return <Failure error={error} again={again} />;
  return (
    <p className="note note-warn" role="alert">
      {signIn.noPasskey[error.reason]}
    </p>
  );
}
