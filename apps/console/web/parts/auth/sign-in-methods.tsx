import { signInByPasskey, signInLocally, signInToDemo } from '../../../api/sign-in.ts';
import { call } from '../../client/api-client.ts';
import { getPasskey } from '../../client/passkey.ts';
import { useLabels } from '../../labels/language.tsx';
import { OidcPopup } from './oidc-popup.tsx';
import { PasswordForm } from './password-form.tsx';

export interface SignInMethodProps {
  readonly isFirst: boolean;
  readonly isBusy: boolean;
  readonly attempt: (work: () => Promise<unknown>) => Promise<void>;
}

const emphasis = (isFirst: boolean): string => (isFirst ? 'primary' : '');

export function DemoMethod({ isFirst, isBusy, attempt }: SignInMethodProps) {
  const { signIn } = useLabels();
  return (
    <div className="stack-tight">
      <button
        type="button"
        className={emphasis(isFirst)}
        disabled={isBusy}
        onClick={() => void attempt(() => call(signInToDemo, {}))}
      >
        {signIn.demo}
      </button>
      <p className="hint">{signIn.demoHint}</p>
    </div>
  );
}

interface OidcMethodProps extends SignInMethodProps {
  readonly provider: string;
  /** Null: in a popup. */
  readonly to: string | null;
  readonly done: () => void;
}

export function OidcMethod({ isFirst, provider, to, done }: OidcMethodProps) {
  const { signIn } = useLabels();
  const className = `button ${emphasis(isFirst)}`;
  if (to === null)
    return (
      <OidcPopup search={{}} className={className} done={done}>
        {signIn.oidc(provider)}
      </OidcPopup>
    );
  return (
    <a className={className} href={`/console/auth/start?${new URLSearchParams({ to })}`}>
      {signIn.oidc(provider)}
    </a>
  );
}

export function PasskeyMethod({ isFirst, isBusy, attempt }: SignInMethodProps) {
  const { signIn } = useLabels();
  return (
    <button
      type="button"
      className={emphasis(isFirst)}
      disabled={isBusy}
      onClick={() => void attempt(async () => call(signInByPasskey, { response: await getPasskey() }))}
    >
      {signIn.passkey}
    </button>
  );
}

/** `isCollapsed`: a method of one click comes before it. */
export function LocalMethod({ isFirst, attempt, isCollapsed }: SignInMethodProps & { readonly isCollapsed: boolean }) {
  const { signIn } = useLabels();
  const form = (
    <PasswordForm hasName isFirst={isFirst} submit={(credentials) => attempt(() => call(signInLocally, credentials))} />
  );
  if (!isCollapsed) return form;
  return (
    <details>
      <summary>{signIn.local}</summary>
      {form}
    </details>
  );
}
