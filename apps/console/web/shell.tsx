import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, Outlet, useNavigate, useRouter } from '@tanstack/react-router';
import { createContext, type ReactNode, useContext, useEffect, useState } from 'react';
import { ask, change, Refused } from './ask.ts';
import type { Me, Role, Settled } from './asked.ts';
import { Failure } from './parts/failure.tsx';
import { SignInAgain } from './parts/sign-in-again.tsx';
import { Speech } from './parts/speech.tsx';
import { Status } from './parts/status.tsx';
import { clock, span, useLanguage, useWords } from './words/words.tsx';

const Signed = createContext<Me | null>(null);

/** Who is signed in. */
export function useMe(): Me {
  const me = useContext(Signed);
  if (!me) throw new TypeError('screens stand inside the shell');
  return me;
}

const screens = [
  { to: '/keys', name: 'keys', roles: ['admin'] },
  { to: '/playground', name: 'playground', roles: ['admin', 'officer'] },
  { to: '/feeds', name: 'feeds', roles: ['admin', 'officer', 'viewer'] },
  { to: '/audit', name: 'audit', roles: ['admin', 'officer', 'viewer'] },
  { to: '/people', name: 'people', roles: ['admin', 'officer', 'viewer'] },
] as const satisfies readonly { to: string; name: string; roles: readonly Role[] }[];

/** The frame of every screen: where one is, and how far all that is shown is settled. */
export function Shell() {
  const { words } = useLanguage();
  const router = useRouter();
  const client = useQueryClient();
  const navigate = useNavigate();
  const me = useQuery({ queryKey: ['me'], queryFn: ({ signal }) => ask<Me>('/me', signal), staleTime: 60_000 });
  const isSignedOut = me.error instanceof Refused && me.error.status === 401;
  const hasBeenIn = me.data !== undefined;
  useEffect(() => {
    if (!isSignedOut || hasBeenIn) return;
    const { href } = router.history.location;
    void navigate({ to: '/sign-in', search: { to: href.replace(/^\/console/, '') || '/' }, replace: true });
  }, [isSignedOut, hasBeenIn, navigate, router]);
  if (!me.data)
    return (
      <main className="alone">
        {me.error && !isSignedOut ? <Failure error={me.error} again={() => void me.refetch()} /> : null}
      </main>
    );
  return (
    <Signed value={me.data}>
      <a className="skip" href="#content">
        {words.frame.skip}
      </a>
      <div className="frame">
        <Rail me={me.data} />
        <main id="content" tabIndex={-1}>
          <Outlet />
        </main>
      </div>
      {isSignedOut && <SignInAgain done={() => void client.invalidateQueries()} />}
    </Signed>
  );
}

function Rail({ me: { person, organization, tenants } }: { me: Me }) {
  const { words } = useLanguage();
  const client = useQueryClient();
  const navigate = useNavigate();
  const [isOpen, setOpen] = useState(false);
  const leave = async () => {
    const { signOutUrl } = await change<{ signOutUrl?: string }>('/sign-out');
    if (signOutUrl) return location.assign(signOutUrl);
    await navigate({ to: '/sign-in', search: {} });
    // All that was known to who left; the sign-in screen asks for its ways in already.
    client.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== 'ways-in' });
  };
  return (
    <header className="rail" data-open={isOpen}>
      <button type="button" className="menu" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        {words.frame.menu}
      </button>
      <span className="brand">{words.product}</span>
      <div className="rail-nav">
        <p className="muted organization">
          {organization.name} · {words.frame.tenants(tenants.length)}
        </p>
        <nav aria-label={words.frame.menu}>
          {screens
            .filter(({ roles }) => (roles as readonly Role[]).includes(person.role))
            .map(({ to, name }) => (
              <Link key={to} to={to} activeOptions={{ includeSearch: false }} onClick={() => setOpen(false)}>
                {words.screens[name]}
              </Link>
            ))}
        </nav>
      </div>
      <SettledLine />
      <div className="rail-foot">
        <p className="muted">
          {person.name} · {words.roles[person.role]}
        </p>
        <Speech />
        <div>
          <button type="button" className="plain" onClick={() => void leave()}>
            {words.frame.signOut}
          </button>
        </div>
      </div>
    </header>
  );
}

const settledEveryMs = 2_000;

export const useSettled = () =>
  useQuery({
    queryKey: ['settled'],
    queryFn: ({ signal }) => ask<Settled>('/settled', signal, 4_000),
    refetchInterval: settledEveryMs,
    staleTime: 0,
    retry: false,
  });

/** Old numbers are never shown as new: without an answer the line says that it does not know. */
function SettledLine() {
  const { words, language } = useLanguage();
  const { data, isError } = useSettled();
  const line = () => {
    if (isError || !data) return <Status standing="unknown">{isError ? words.frame.unknown : '…'}</Status>;
    if (data.state === 'unproven' || data.settledTo === null)
      return <Status standing="bad">{words.frame.unproven}</Status>;
    if (data.worst)
      return (
        <Status standing="warn">
          {words.frame.late(words.feeds.names[data.worst.feed], span(language, data.worst.lagMs))}
        </Status>
      );
    return <Status standing="good">{words.frame.settled(clock(data.settledTo))}</Status>;
  };
  return (
    <Link to="/feeds" className="settled">
      {line()}
    </Link>
  );
}

/** The head of a screen: what it is and what can be done here. */
export function Head({ title, children }: { title: string; children?: ReactNode }) {
  const { product } = useWords();
  useEffect(() => {
    document.title = `${title} · ${product}`;
  }, [title, product]);
  return (
    <div className="head">
      <h1>{title}</h1>
      <div className="acts">{children}</div>
    </div>
  );
}

/** Every screen waits for the same key to go to its filter. */
export function useSlash(find: () => HTMLElement | null): void {
  useEffect(() => {
    const listen = (event: KeyboardEvent) => {
      const isTyping = event.target instanceof HTMLElement && event.target.closest('input, textarea, select, dialog');
      if (event.key !== '/' || isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      find()?.focus();
    };
    window.addEventListener('keydown', listen);
    return () => window.removeEventListener('keydown', listen);
  }, [find]);
}
