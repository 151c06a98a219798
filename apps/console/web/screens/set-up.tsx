import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import type * as z from 'zod/mini';
import { listSignInMethods, offerFirstPasskey, setUp as setUpRoute } from '../../api/sign-in.ts';
import { call } from '../client/api-client.ts';
import { createPasskey, supportsPasskeys } from '../client/passkey.ts';
import { broadcast } from '../client/session.ts';
import { useLabels } from '../labels/language.tsx';
import { CredentialError } from '../parts/auth/credential-error.tsx';
import { QrCode } from '../parts/auth/qr-code.tsx';
import { createTotpSecret, totpLink } from '../parts/auth/totp-secret.ts';
import { CopyButton } from '../parts/copy-button.tsx';
import { useLeaveGuard } from '../parts/leave-guard.ts';
import { PublicLayout } from '../parts/public-layout.tsx';

/** The token is in the fragment of the URL, which browsers do not send; it is removed from the URL at once. */
function tokenOfAddress(): string {
  const token = location.hash.replace(/^#(token=)?/, '');
  if (token !== '') history.replaceState(history.state, '', location.pathname);
  return token;
}

export function SetUp() {
  const { setUp } = useLabels();
  const [codes, setCodes] = useState<readonly string[] | null>(null);
  return (
    <PublicLayout title={setUp.title} description={codes ? setUp.done : setUp.intro}>
      {codes ? <Recovery codes={codes} /> : <Account onCreated={setCodes} />}
    </PublicLayout>
  );
}

const factors = ['passkey', 'totp'] as const;
type Factor = (typeof factors)[number];

function Account({ onCreated }: { onCreated: (codes: readonly string[]) => void }) {
  const { setUp } = useLabels();
  const [token, setToken] = useState(tokenOfAddress);
  // A set-up link includes the token.
  const [hadToken] = useState(token !== '');
  const [secret] = useState(createTotpSecret);
  const [name, setName] = useState('');
  const [chosen, setChosen] = useState<Factor | null>(null);
  const [error, setError] = useState<unknown>(null);
  const [isBusy, setBusy] = useState(false);
  const ways = useQuery({
    queryKey: ['sign-in-methods'],
    queryFn: ({ signal }) => call(listSignInMethods, {}, { signal }),
  });
  const hasPasskeys = ways.data?.passkey === true && supportsPasskeys;
  const factor = chosen ?? (hasPasskeys ? 'passkey' : 'totp');
  const proofOf = async (given: FormData): Promise<Pick<z.input<typeof setUpRoute.input>, 'totp' | 'passkey'>> => {
    if (factor === 'totp') return { totp: { secret, code: String(given.get('code')).replaceAll(/\s/g, '') } };
    const response = await createPasskey(await call(offerFirstPasskey, { name }));
    return { passkey: { name: String(given.get('passkey')), response } };
  };
  const send = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const given = new FormData(event.currentTarget);
    setBusy(true);
    setError(null);
    try {
      const input = { token: token.trim(), name, password: String(given.get('password')), ...(await proofOf(given)) };
      const { recoveryCodes } = await call(setUpRoute, input);
      broadcast('signed in');
      onCreated(recoveryCodes);
    } catch (refusal) {
      setError(refusal);
      setBusy(false);
    }
  };
  return (
    <form className="panel set-up" onSubmit={(event) => void send(event)}>
      {!hadToken && (
        <label className="field">
          <span>{setUp.token}</span>
          <input
            className="mono"
            value={token}
            onChange={(event) => setToken(event.target.value)}
            autoComplete="off"
            spellCheck={false}
            required
          />
        </label>
      )}
      <label className="field">
        <span>{setUp.name}</span>
        <input
          value={name}
          onChange={(event) => setName(event.target.value)}
          maxLength={100}
          autoComplete="username"
          required
        />
      </label>
      <label className="field">
        <span>{setUp.password}</span>
        <input name="password" type="password" minLength={12} autoComplete="new-password" required />
      </label>
      <fieldset className="stack">
        <legend>{setUp.factor}</legend>
        {hasPasskeys ? (
          <span className="segments">
            {factors.map((one) => (
              <button key={one} type="button" aria-pressed={factor === one} onClick={() => setChosen(one)}>
                {setUp.factors[one]}
              </button>
            ))}
          </span>
        ) : (
          ways.data && <p className="hint">{setUp.noPasskeys}</p>
        )}
        {factor === 'totp' ? (
          <Authenticator secret={secret} name={name} />
        ) : (
          <>
            <p className="hint">{setUp.passkeyHelp}</p>
            <label className="field">
              <span>{setUp.passkeyName}</span>
              <input name="passkey" defaultValue={setUp.thisDevice} maxLength={100} autoComplete="off" required />
            </label>
          </>
        )}
      </fieldset>
      {error !== null && <CredentialError error={error} />}
      <div>
        <button type="submit" className="primary" disabled={isBusy}>
          {factor === 'totp' ? setUp.submit : setUp.submitPasskey}
        </button>
      </div>
    </form>
  );
}

function Authenticator({ secret, name }: { secret: string; name: string }) {
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

function Recovery({ codes }: { codes: readonly string[] }) {
  const { setUp, newKey } = useLabels();
  const navigate = useNavigate();
  const [isStored, setStored] = useState(false);
  useLeaveGuard(!isStored, setUp.leaveWarning);
  return (
    <section className="panel">
      <h2>{setUp.recovery}</h2>
      <ul className="codes">
        {codes.map((code) => (
          <li key={code}>
            <code>{code}</code>
          </li>
        ))}
      </ul>
      <div>
        <CopyButton text={codes.join('\n')} copied={() => setStored(true)} />
      </div>
      <label className="tick">
        <input type="checkbox" checked={isStored} onChange={(event) => setStored(event.target.checked)} />
        {setUp.stored}
      </label>
      <div>
        <button type="button" className="primary" disabled={!isStored} onClick={() => void navigate({ to: '/' })}>
          {newKey.done}
        </button>
      </div>
    </section>
  );
}
