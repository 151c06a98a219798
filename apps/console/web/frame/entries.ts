import { useQueries, useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { ask } from '../ask.ts';
import type { Keys, KeyView, Operations } from '../asked.ts';
import { showTheme, themes, useTheme } from '../theme.ts';
import { type Language, languages, useLanguage } from '../words/words.tsx';
import { performSoon } from './acts.ts';
import type { Sought } from './found.ts';
import { areLettersOn } from './letters.ts';
import { screensOf } from './screens.ts';
import { useSignOut } from './sign-out.ts';
import { useMe, useTenant } from './signed.ts';
import { narrowedTo } from './tenant-search.ts';
import { useScreen } from './use-screen.ts';

export interface Entry extends Sought {
  readonly id: string;
  /** The keys that do the same. */
  readonly keys?: string;
  readonly act: () => void;
}

export interface Group {
  readonly name: 'screens' | 'tenants' | 'keys' | 'operations' | 'acts';
  readonly entries: readonly Entry[];
  /** How many are shown before anything is typed, where that is not a few. */
  readonly shown?: number;
}

const views = ['active', 'ended'] as const satisfies readonly KeyView[];

/** Everything that this person can go to or do, and whether all of it is known by now. */
export function useEntries(): { readonly groups: readonly Group[]; readonly isWhole: boolean } {
  const { person } = useMe();
  const isAdmin = person.role === 'admin';
  const maySend = person.role !== 'viewer';
  const keys = useQueries({
    queries: views.map((view) => ({
      queryKey: ['keys', 'palette', view],
      queryFn: ({ signal }: { signal: AbortSignal }) => ask<Keys>(`/keys?view=${view}`, signal),
      enabled: isAdmin,
    })),
  });
  const operations = useQuery({
    queryKey: ['operations'],
    queryFn: ({ signal }) => ask<Operations>('/operations', signal),
    staleTime: Number.POSITIVE_INFINITY,
    enabled: maySend,
  });
  const isInPlayground = useScreen()?.name === 'playground';
  const ofOperations = useOperationEntries(operations.data);
  const groups: Group[] = [
    { name: 'screens', entries: useScreenEntries(), shown: 10 },
    { name: 'tenants', entries: useTenantEntries() },
    { name: 'keys', entries: useKeyEntries(keys.map(({ data }) => data)) },
    { name: 'operations', entries: ofOperations, ...(isInPlayground ? { shown: ofOperations.length } : {}) },
    { name: 'acts', entries: useActEntries(), shown: 10 },
  ];
  // In the playground it is an operation that is looked for.
  if (isInPlayground)
    groups.sort((one, other) => Number(other.name === 'operations') - Number(one.name === 'operations'));
  const asked = [...(isAdmin ? keys : []), ...(maySend ? [operations] : [])];
  return { groups, isWhole: asked.every(({ isPending }) => !isPending) };
}

/** Letters that do nothing are not shown. */
const lettersOf = (personId: string, keys: string) => (areLettersOn(personId) ? { keys } : {});

function useScreenEntries(): readonly Entry[] {
  const { words } = useLanguage();
  const { person } = useMe();
  const navigate = useNavigate();
  return screensOf(person.role).map(({ name, to, letter }) => ({
    id: `screen-${name}`,
    label: words.screens[name],
    ...lettersOf(person.id, `g ${letter}`),
    act: () => void navigate({ to }),
  }));
}

function useTenantEntries(): readonly Entry[] {
  const { frame, palette } = useLanguage().words;
  const { tenants } = useMe();
  const chosen = useTenant();
  const navigate = useNavigate();
  if (tenants.length < 2) return [];
  const narrowTo = (id: string | undefined) => void navigate({ to: '.', search: narrowedTo(id) });
  const named = tenants.map(({ id, name, azureTenantId }) => ({
    id: `tenant-${id}`,
    label: name,
    hint: [palette.tenant, id, azureTenantId].filter(Boolean).join(' · '),
    act: () => narrowTo(id),
  }));
  return chosen === null
    ? named
    : [{ id: 'tenant', label: frame.allTenants, act: () => narrowTo(undefined) }, ...named];
}

function useKeyEntries(known: readonly (Keys | undefined)[]): readonly Entry[] {
  const { keys: said } = useLanguage().words;
  const navigate = useNavigate();
  return known.flatMap((answer, index) => {
    const view = views[index];
    return (answer?.keys ?? []).map((key) => ({
      id: `key-${key.id}`,
      label: key.name,
      hint: [
        `tscope_live_${key.display}…`,
        key.tenantName ?? said.whole,
        ...(view === 'ended' ? [said.views.ended] : []),
      ].join(' · '),
      act: () => void navigate({ to: '/keys', search: { key: key.id, ...(view === 'ended' ? { view } : {}) } }),
    }));
  });
}

function useOperationEntries(known: Operations | undefined): readonly Entry[] {
  const navigate = useNavigate();
  const { mode } = useSearch({ strict: false });
  return (known?.operations ?? [])
    .filter(({ isAllowed }) => isAllowed)
    .map(({ name, path, summary }) => ({
      id: `operation-${name}`,
      label: mode === 'mcp' ? name : `GET ${path}`,
      hint: `${mode === 'mcp' ? path : name} · ${summary}`,
      act: () => void navigate({ to: '/playground', search: { operation: name, ...(mode ? { mode } : {}) } }),
    }));
}

function useActEntries(): readonly Entry[] {
  const { words, language, speak } = useLanguage();
  const { frame, palette, audit, keys, people } = words;
  const { person } = useMe();
  const navigate = useNavigate();
  const signOut = useSignOut();
  const theme = useTheme();
  const ofAdmin: readonly Entry[] = [
    {
      id: 'new-key',
      label: keys.create,
      ...lettersOf(person.id, 'n'),
      act: () => void navigate({ to: '/keys' }).then(() => performSoon('new')),
    },
    { id: 'verify', label: audit.verify, act: () => void navigate({ to: '/audit' }).then(() => performSoon('verify')) },
  ];
  return [
    ...(person.role === 'admin' ? ofAdmin : []),
    ...(Object.keys(languages) as Language[])
      .filter((other) => other !== language)
      .map((other) => ({
        id: `language-${other}`,
        label: palette.named(frame.language, languages[other]),
        act: () => speak(other),
      })),
    ...themes
      .filter((other) => other !== theme)
      .map((other) => ({
        id: `theme-${other}`,
        label: palette.named(frame.theme, frame.themes[other]),
        act: () => showTheme(other),
      })),
    { id: 'sessions', label: people.sessions, act: () => void navigate({ to: '/people', hash: 'sessions' }) },
    { id: 'help', label: frame.help, ...lettersOf(person.id, '?'), act: () => performSoon('help') },
    { id: 'sign-out', label: frame.signOut, act: signOut },
  ];
}
