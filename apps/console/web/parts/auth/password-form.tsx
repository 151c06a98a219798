import { type FormEvent, useState } from 'react';
import { useLabels } from '../../labels/language.tsx';

interface Credentials {
  /** Empty where the form has no name field. */
  readonly name: string;
  readonly password: string;
  readonly second: string;
}

interface Props {
  readonly hasName?: boolean;
  /** Whether it is the first sign-in method of the page. */
  readonly isFirst?: boolean;
  /** Of its button; by default that it signs in. */
  readonly submitLabel?: string;
  readonly submit: (credentials: Credentials) => Promise<void>;
}

/** Password and second factor of a local account. */
export function PasswordForm({ hasName = false, isFirst = true, submitLabel, submit }: Props) {
  const { signIn } = useLabels();
  const [isBusy, setBusy] = useState(false);
  const send = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const fields = new FormData(event.currentTarget);
    const text = (name: string) => String(fields.get(name) ?? '');
    setBusy(true);
    await submit({ name: text('name'), password: text('password'), second: text('second') });
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
        {submitLabel ?? signIn.submit}
      </button>
    </form>
  );
}
