import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import type * as z from 'zod/mini';
import {
  listSignInMethods,
  offerFirstPasskey,
  readSetUpToken,
  type SetUpTokenState,
  setUp as setUpRoute,
} from '../../api/sign-in.ts';
import { call } from '../client/api-client.ts';
import { createPasskey, supportsPasskeys } from '../client/passkey.ts';
import { broadcast } from '../client/session.ts';
import { dayAndTime } from '../labels/format.ts';
import { useLabels, useLanguage } from '../labels/language.tsx';
import { AuthenticatorFields } from '../parts/auth/authenticator-fields.tsx';
import { CredentialError } from '../parts/auth/credential-error.tsx';
import { RecoveryCodes } from '../parts/auth/recovery-codes.tsx';
import { createTotpSecret } from '../parts/auth/totp-secret.ts';
import { PublicLayout } from '../parts/public-layout.tsx';
import { QueryResult } from '../parts/query/query-result.tsx';

/** The token is in the fragment of the URL, which browsers do not send; it is removed from the URL at once. */
function tokenOfAddress(): string {
  const token = location.hash.replace(/^#(token=)?/, '');
  if (token !== '') history.replaceState(history.state, '', location.pathname);
  return token;
}

export function SetUp() {
  const { setUp } = useLabels();
  const navigate = useNavigate();
  const [token, setToken] = useState(tokenOfAddress);
  // A link includes the token; without one it is entered.
  const [hadToken] = useState(token !== '');
  const [codes, setCodes] = useState<readonly string[] | null>(null);
  const link = useQuery({
    queryKey: ['set-up-token', token],
    queryFn: ({ signal }) => call(readSetUpToken, { token }, { signal }),
    enabled: hadToken,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });
  if (codes)
    return (
      <PublicLayout title={setUp.title} description={setUp.done}>
        <section className="panel">
          <h2>{setUp.recovery}</h2>
          <RecoveryCodes codes={codes} done={() => void navigate({ to: '/' })} />
        </section>
      </PublicLayout>
    );
  const account = <Account token={token} setToken={hadToken ? null : setToken} onCreated={setCodes} />;
  return (
    <PublicLayout title={setUp.title} description={setUp.intro}>
      {hadToken ? (
        <QueryResult query={link}>
          {(state) =>
            state.state === 'valid' ? (
              <>
                <LinkTarget of={state} />
                {account}
              </>
            ) : (
              <EndedLink of={state} />
            )
          }
        </QueryResult>
      ) : (
        account
      )}
    </PublicLayout>
  );
}

/** Which account the link creates. */
function LinkTarget({ of: { invitation } }: { of: SetUpTokenState }) {
  const { setUp, roles } = useLabels();
  if (invitation === null) return null;
  return <p className="note note-accent">{setUp.linkFor(invitation.organization, roles[invitation.role])}</p>;
}

/** Why the link creates no account, and what to do. */
function EndedLink({ of: { state, invitation } }: { of: SetUpTokenState }) {
  const { labels, language } = useLanguage();
  const { setUp } = labels;
  return (
    <div className="panel stack" role="alert">
      <h2>{setUp.ended[state === 'valid' ? 'unknown' : state]}</h2>
      {state === 'expired' && invitation !== null && <p>{setUp.endedAt(dayAndTime(language, invitation.expiresAt))}</p>}
      <p>{setUp.endedHelp}</p>
      <p className="hint">
        {setUp.endedOnHost} <code>npx tenantscope console set-up</code>
      </p>
      {state === 'used' && (
        <div>
          <Link className="button" to="/sign-in">
            {setUp.signIn}
          </Link>
        </div>
      )}
    </div>
  );
}

const factors = ['passkey', 'totp'] as const;
type Factor = (typeof factors)[number];

interface AccountProps {
  readonly token: string;
  /** Null: the link includes the token. */
  readonly setToken: ((token: string) => void) | null;
  readonly onCreated: (codes: readonly string[]) => void;
}

function Account({ token, setToken, onCreated }: AccountProps) {
  const { setUp } = useLabels();
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
      {setToken !== null && (
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
          <AuthenticatorFields secret={secret} name={name} />
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
