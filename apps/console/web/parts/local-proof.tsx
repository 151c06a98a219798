import { type FormEvent, useState } from 'react';
import { useWords } from '../words/words.tsx';

interface Given {
  /** Whether it asks for the name too. */
  readonly hasName?: boolean;
  /** Whether there is no shorter way beside it. */
  readonly isFirst?: boolean;
  /** What its button says, where it does not let in. */
  readonly words?: string;
  readonly prove: (body: Record<string, FormDataEntryValue>) => Promise<void>;
}

/** What a person of a local account proves itself by. */
export function LocalProof({ hasName = false, isFirst = true, words, prove }: Given) {
  const { signIn } = useWords();
  const [isBusy, setBusy] = useState(false);
  const send = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    setBusy(true);
    await prove(Object.fromEntries(new FormData(event.currentTarget)));
    setBusy(false);
  };
  return (
    <form className="stack" onSubmit={(event) => void send(event)}>
      {hasName && (
        <label className="field">
          <span>{signIn.name}</span>
          <input name="name" autoComplete="username" required />
        </label>
      )}
      <label className="field">
        <span>{signIn.password}</span>
        <input name="password" type="password" autoComplete="current-password" required />
      </label>
      <label className="field">
        <span>{signIn.second}</span>
        <input name="second" className="mono" autoComplete="one-time-code" spellCheck={false} required />
      </label>
      <button type="submit" className={isFirst ? 'primary' : ''} disabled={isBusy}>
        {words ?? signIn.submit}
      </button>
    </form>
  );
}
