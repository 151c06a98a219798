import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, Outlet, useNavigate } from '@tanstack/react-router';
import { createContext, useContext, useEffect, useState } from 'react';
import { ask, change, Refused } from './ask.ts';
import type { Me, Role, Settled } from './asked.ts';
import { Failure } from './parts/failure.tsx';
import { Status } from './parts/status.tsx';
import { clock, type Language, languages, span, useLanguage, useWords } from './words/words.tsx';

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
  const navigate = useNavigate();
  const me = useQuery({ queryKey: ['me'], queryFn: ({ signal }) => ask<Me>('/me', signal), staleTime: 60_000 });
  const [isOpen, setOpen] = useState(false);
  const isSignedOut = me.error instanceof Refused && me.error.status === 401;
  useEffect(() => {
    if (isSignedOut) void navigate({ to: '/sign-in' });
  }, [isSignedOut, navigate]);
  if (!me.data)
    return (
      <main className="alone">
        {me.error && !isSignedOut ? <Failure error={me.error} again={() => void me.refetch()} /> : null}
      </main>
    );
  const { person, organization } = me.data;
  return (
    <Signed value={me.data}>
      <a className="skip" href="#content">
        {words.frame.skip}
      </a>
      <div className="frame">
        <header className="rail" data-open={isOpen}>
          <div className="brand">
            <span>{words.product}</span>
            <button type="button" className="menu" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
              {words.frame.menu}
            </button>
          </div>
          <div className="rail-body">
            <p className="muted organization">{organization.name}</p>
            <nav>
              {screens
                .filter(({ roles }) => (roles as readonly Role[]).includes(person.role))
                .map(({ to, name }) => (
                  <Link key={to} to={to} onClick={() => setOpen(false)}>
                    {words.screens[name]}
                  </Link>
                ))}
            </nav>
            <div className="rail-foot">
              <SettledLine />
              <p className="muted">
                {person.name} · {words.roles[person.role]}
              </p>
              <Settings />
            </div>
          </div>
        </header>
        <main id="content" tabIndex={-1}>
          <Outlet />
        </main>
      </div>
    </Signed>
  );
}

const settledEveryMs = 2_000;

export const useSettled = () =>
  useQuery({
    queryKey: ['settled'],
    queryFn: ({ signal }) => ask<Settled>('/settled', signal),
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

const themes = ['system', 'light', 'dark'] as const;

function Settings() {
  const { language, speak, words } = useLanguage();
  const client = useQueryClient();
  const navigate = useNavigate();
  const [theme, setTheme] = useState(document.documentElement.dataset.theme ?? 'system');
  const nextTheme = themes[(themes.indexOf(theme as (typeof themes)[number]) + 1) % themes.length] ?? 'system';
  return (
    <div className="settings">
      <select aria-label="Language" value={language} onChange={(event) => speak(event.target.value as Language)}>
        {Object.entries(languages).map(([name, spoken]) => (
          <option key={name} value={name}>
            {spoken.language}
          </option>
        ))}
      </select>
      <button
        type="button"
        aria-label={words.frame.theme}
        onClick={() => {
          document.documentElement.dataset.theme = nextTheme;
          localStorage.setItem('theme', nextTheme);
          setTheme(nextTheme);
        }}
      >
        ◐
      </button>
      <button
        type="button"
        onClick={async () => {
          await change('/sign-out');
          client.clear();
          await navigate({ to: '/sign-in' });
        }}
      >
        {words.frame.signOut}
      </button>
    </div>
  );
}

/** The head of a screen: what it is and what can be done here. */
export function Head({ title, children }: { title: string; children?: React.ReactNode }) {
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
