import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { ask, change } from '../ask.ts';
import type { WaysIn } from '../asked.ts';
import { Copy } from '../parts/copy.tsx';
import { Door } from '../parts/door.tsx';
import { useHold } from '../parts/hold.ts';
import { ProofFailure } from '../parts/proof-failure.tsx';
import { QrCode } from '../parts/qr-code.tsx';
import { knowsPasskeys, makePasskey } from '../passkey.ts';
import { tell } from '../session.ts';
import { makeTotpSecret, totpLink } from '../totp-secret.ts';
import { useWords } from '../words/words.tsx';

/** The token stands behind the # of the address, which browsers send to nobody; it is taken out of the address at once. */
function tokenOfAddress(): string {
  const token = location.hash.replace(/^#(token=)?/, '');
  if (token !== '') history.replaceState(history.state, '', location.pathname);
  return token;
}

export function SetUp() {
  const { setUp } = useWords();
  const [codes, setCodes] = useState<readonly string[] | null>(null);
  return (
    <Door title={setUp.title} words={codes ? setUp.made : setUp.words}>
      {codes ? <Recovery codes={codes} /> : <Account made={setCodes} />}
    </Door>
  );
}

const factors = ['passkey', 'totp'] as const;
type Factor = (typeof factors)[number];

function Account({ made }: { made: (codes: readonly string[]) => void }) {
  const { setUp } = useWords();
  const [token, setToken] = useState(tokenOfAddress);
  // Whoever came by the link brought it along.
  const [hadToken] = useState(token !== '');
  const [secret] = useState(makeTotpSecret);
  const [name, setName] = useState('');
  const [chosen, setChosen] = useState<Factor | null>(null);
  const [error, setError] = useState<unknown>(null);
  const [isBusy, setBusy] = useState(false);
  const ways = useQuery({ queryKey: ['ways-in'], queryFn: ({ signal }) => ask<WaysIn>('/sign-in', signal) });
  const hasPasskeys = ways.data?.passkey === true && knowsPasskeys;
  const factor = chosen ?? (hasPasskeys ? 'passkey' : 'totp');
  const proofOf = async (given: FormData): Promise<object> => {
    if (factor === 'totp') return { totp: { secret, code: String(given.get('code')).replaceAll(/\s/g, '') } };
    const response = await makePasskey('/set-up/passkey/options', { name });
    return { passkey: { name: String(given.get('passkey')), response } };
  };
  const send = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const given = new FormData(event.currentTarget);
    setBusy(true);
    setError(null);
    try {
      const body = { token: token.trim(), name, password: given.get('password'), ...(await proofOf(given)) };
      const { recoveryCodes } = await change<{ recoveryCodes: string[] }>('/set-up', body);
      tell('signed in');
      made(recoveryCodes);
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
            <p className="hint">{setUp.passkeyWords}</p>
            <label className="field">
              <span>{setUp.passkeyName}</span>
              <input name="passkey" defaultValue={setUp.thisDevice} maxLength={100} autoComplete="off" required />
            </label>
          </>
        )}
      </fieldset>
      {error !== null && <ProofFailure error={error} />}
      <div>
        <button type="submit" className="primary" disabled={isBusy}>
          {factor === 'totp' ? setUp.submit : setUp.submitPasskey}
        </button>
      </div>
    </form>
  );
}

function Authenticator({ secret, name }: { secret: string; name: string }) {
  const { setUp } = useWords();
  return (
    <>
      <QrCode text={totpLink(secret, name || 'admin')} label={setUp.scan} />
      <div className="field">
        <span>{setUp.secret}</span>
        <code className="secret">{secret.match(/.{4}/g)?.join(' ')}</code>
        <div className="row">
          <Copy text={secret} />
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
  const { setUp, newKey } = useWords();
  const navigate = useNavigate();
  const [isStored, setStored] = useState(false);
  useHold(!isStored, setUp.leave);
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
        <Copy text={codes.join('\n')} copied={() => setStored(true)} />
      </div>
      <label className="tick">
        <input type="checkbox" checked={isStored} onChange={(event) => setStored(event.target.checked)} />
        {setUp.goOn}
      </label>
      <div>
        <button type="button" className="primary" disabled={!isStored} onClick={() => void navigate({ to: '/' })}>
          {newKey.done}
        </button>
      </div>
    </section>
  );
}
