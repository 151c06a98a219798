import { useNavigate } from '@tanstack/react-router';
import { type FormEvent, useEffect, useState } from 'react';
import { change } from '../ask.ts';
import { Copy } from '../parts/copy.tsx';
import { Failure } from '../parts/failure.tsx';
import { useHold } from '../parts/hold.ts';
import { Speech } from '../parts/speech.tsx';
import { makeTotpSecret, totpLink } from '../totp-secret.ts';
import { useWords } from '../words/words.tsx';

/** The token stands behind the # of the address, which browsers send to nobody; it is taken out of the address at once. */
function tokenOfAddress(): string {
  const token = location.hash.replace(/^#(token=)?/, '');
  if (token !== '') history.replaceState(history.state, '', location.pathname);
  return token;
}

export function SetUp() {
  const { setUp, screens, product } = useWords();
  const [codes, setCodes] = useState<readonly string[] | null>(null);
  useEffect(() => {
    document.title = `${screens.setUp} · ${product}`;
  }, [screens.setUp, product]);
  return (
    <main className="alone alone-wide">
      <h1>{setUp.title}</h1>
      {codes ? <Recovery codes={codes} /> : <Account made={setCodes} />}
      <Speech />
    </main>
  );
}

function Account({ made }: { made: (codes: readonly string[]) => void }) {
  const { setUp } = useWords();
  const [token, setToken] = useState(tokenOfAddress);
  const [secret] = useState(makeTotpSecret);
  const [name, setName] = useState('');
  const [error, setError] = useState<unknown>(null);
  const [isBusy, setBusy] = useState(false);
  const send = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const given = new FormData(event.currentTarget);
    setBusy(true);
    setError(null);
    try {
      const totp = { secret, code: String(given.get('code')).replaceAll(/\s/g, '') };
      const body = { token: token.trim(), name, password: given.get('password'), totp };
      made((await change<{ recoveryCodes: string[] }>('/set-up', body)).recoveryCodes);
    } catch (refusal) {
      setError(refusal);
      setBusy(false);
    }
  };
  return (
    <form className="stack" onSubmit={(event) => void send(event)}>
      <p>{setUp.words}</p>
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
      <label className="field">
        <span>{setUp.name}</span>
        <input value={name} onChange={(event) => setName(event.target.value)} autoComplete="username" required />
      </label>
      <label className="field">
        <span>{setUp.password}</span>
        <input name="password" type="password" minLength={12} autoComplete="new-password" required />
      </label>
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
      {error !== null && <Failure error={error} />}
      <div>
        <button type="submit" className="primary" disabled={isBusy}>
          {setUp.submit}
        </button>
      </div>
    </form>
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
