import { useLabels } from '../../labels/language.tsx';
import { CopyButton } from '../copy-button.tsx';
import { QrCode } from './qr-code.tsx';
import { totpLink } from './totp-secret.ts';

/** The secret of a new authenticator app, and the field `code` for a code that the app computes from it. */
export function AuthenticatorFields({ secret, name }: { secret: string; name: string }) {
  const { setUp } = useLabels();
  return (
    <>
      <QrCode text={totpLink(secret, name || 'admin')} label={setUp.scan} />
      <div className="field">
        <span>{setUp.secret}</span>
        <code className="secret">{secret.match(/.{4}/g)?.join(' ')}</code>
        <div className="row">
          <CopyButton text={secret} />
          <a href={totpLink(secret, name || 'admin')}>{setUp.link}</a>
        </div>
      </div>
      <label className="field">
        <span>{setUp.code}</span>
        <input name="code" className="mono" inputMode="numeric" autoComplete="one-time-code" required />
      </label>
    </>
  );
}
