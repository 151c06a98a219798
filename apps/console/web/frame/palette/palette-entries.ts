import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { escapeInvisible } from '../../../api/escape-invisible.ts';
import { formatKeyId, type KeyName, listKeyNames } from '../../../api/keys.ts';
import { listOperations, type OperationList } from '../../../api/playground.ts';
import { call } from '../../client/api-client.ts';
import { type Language, languages, useLanguage } from '../../labels/language.tsx';
import { showTheme, themes, useTheme } from '../../theme.ts';
import { useCurrentScreen } from '../current-screen.ts';
import { useCurrentUser, useTenant } from '../current-user.ts';
import { runActionWhenReady } from '../keyboard/actions.ts';
import { areShortcutsEnabled } from '../keyboard/shortcut-setting.ts';
import { screenLabel, screensForRole } from '../screens.ts';
import { useSignOut } from '../sign-out.ts';
import { selectTenant } from '../tenant-search.ts';
import type { Searchable } from './search-rank.ts';

export interface PaletteEntry extends Searchable {
  readonly id: string;
  /** The keyboard shortcut of the same action. */
  readonly keys?: string;
  readonly run: () => void;
}

export interface PaletteGroup {
  readonly name: 'screens' | 'tenants' | 'keys' | 'operations' | 'actions';
  readonly entries: readonly PaletteEntry[];
  /** How many are shown before the user types; by default a few. */
  readonly initialCount?: number;
}

/** Every screen, tenant, key, operation and action of the member; `isComplete`: all of them are loaded. */
export function usePaletteEntries(): { readonly groups: readonly PaletteGroup[]; readonly isComplete: boolean } {
  const { member } = useCurrentUser();
  const isAdmin = member.role === 'admin';
  const canUsePlayground = member.role !== 'viewer';
  const keys = useQuery({
    queryKey: ['keys', 'names'],
    queryFn: ({ signal }) => call(listKeyNames, {}, { signal }),
    enabled: isAdmin,
  });
  const operations = useQuery({
    queryKey: ['operations'],
    queryFn: ({ signal }) => call(listOperations, {}, { signal }),
    staleTime: Number.POSITIVE_INFINITY,
    enabled: canUsePlayground,
  });
  const isInPlayground = useCurrentScreen()?.name === 'playground';
  const operationEntries = useOperationEntries(operations.data);
  const groups: PaletteGroup[] = [
    { name: 'screens', entries: useScreenEntries(), initialCount: 10 },
    { name: 'tenants', entries: useTenantEntries() },
    { name: 'keys', entries: useKeyEntries(keys.data?.keys ?? []) },
    {
      name: 'operations',
      entries: operationEntries,
      ...(isInPlayground ? { initialCount: operationEntries.length } : {}),
    },
    { name: 'actions', entries: useActionEntries(), initialCount: 10 },
  ];
  // In the playground operations come first.
  if (isInPlayground)
    groups.sort((one, other) => Number(other.name === 'operations') - Number(one.name === 'operations'));
  const queries = [...(isAdmin ? [keys] : []), ...(canUsePlayground ? [operations] : [])];
  return { groups, isComplete: queries.every(({ isPending }) => !isPending) };
}

/** The keys of a shortcut; none while shortcuts are disabled. */
const shortcutKeys = (memberId: string, keys: string) => (areShortcutsEnabled(memberId) ? { keys } : {});

function useScreenEntries(): readonly PaletteEntry[] {
  const { labels } = useLanguage();
  const { member } = useCurrentUser();
  const navigate = useNavigate();
  return screensForRole(member.role).map(({ name, to, shortcut }) => ({
    id: `screen-${name}`,
    label: screenLabel(labels.screens, name, member.role),
    ...shortcutKeys(member.id, `g ${shortcut}`),
    run: () => void navigate({ to }),
  }));
}

function useTenantEntries(): readonly PaletteEntry[] {
  const { frame, palette } = useLanguage().labels;
  const { tenants } = useCurrentUser();
  const chosen = useTenant();
  const navigate = useNavigate();
  if (tenants.length < 2) return [];
  const select = (id: string | undefined) => void navigate({ to: '.', search: selectTenant(id) });
  const named = tenants.map(({ id, name, azureTenantId }) => ({
    id: `tenant-${id}`,
    label: name,
    hint: [palette.tenant, id, azureTenantId].filter(Boolean).join(' · '),
    run: () => select(id),
  }));
  return chosen === null ? named : [{ id: 'tenant', label: frame.allTenants, run: () => select(undefined) }, ...named];
}

/** Active keys first. */
function useKeyEntries(keys: readonly KeyName[]): readonly PaletteEntry[] {
  const { keys: labels } = useLanguage().labels;
  const navigate = useNavigate();
  return keys
    .toSorted((one, other) => Number(one.hasEnded) - Number(other.hasEnded))
    .map((key) => ({
      id: `key-${key.id}`,
      label: escapeInvisible(key.name),
      hint: [
        formatKeyId(key),
        key.tenantName === null ? labels.wholeOrganization : escapeInvisible(key.tenantName),
        ...(key.hasEnded ? [labels.views.ended] : []),
      ].join(' · '),
      run: () =>
        void navigate({ to: '/keys', search: { key: key.id, ...(key.hasEnded ? { view: 'ended' as const } : {}) } }),
    }));
}

function useOperationEntries(list: OperationList | undefined): readonly PaletteEntry[] {
  const navigate = useNavigate();
  const { mode } = useSearch({ strict: false });
  return (list?.operations ?? [])
    .filter(({ isAllowed }) => isAllowed)
    .map(({ name, path, summary }) => ({
      id: `operation-${name}`,
      label: mode === 'mcp' ? name : `GET ${path}`,
      hint: `${mode === 'mcp' ? path : name} · ${summary}`,
      run: () => void navigate({ to: '/playground', search: { operation: name, ...(mode ? { mode } : {}) } }),
    }));
}

function useActionEntries(): readonly PaletteEntry[] {
  const { labels, language, setLanguage } = useLanguage();
  const { frame, palette, audit, keys, members } = labels;
  const { member } = useCurrentUser();
  const navigate = useNavigate();
  const signOut = useSignOut();
  const theme = useTheme();
  const adminEntries: readonly PaletteEntry[] = [
    {
      id: 'new-key',
      label: keys.create,
      ...shortcutKeys(member.id, 'n'),
      run: () => void navigate({ to: '/keys' }).then(() => runActionWhenReady('new')),
    },
    {
      id: 'verify',
      label: audit.verify,
      run: () => void navigate({ to: '/audit' }).then(() => runActionWhenReady('verify')),
    },
  ];
  return [
    ...(member.role === 'admin' ? adminEntries : []),
    ...(Object.keys(languages) as Language[])
      .filter((other) => other !== language)
      .map((other) => ({
        id: `language-${other}`,
        label: palette.entryLabel(frame.language, languages[other]),
        run: () => setLanguage(other),
      })),
    ...themes
      .filter((other) => other !== theme)
      .map((other) => ({
        id: `theme-${other}`,
        label: palette.entryLabel(frame.theme, frame.themes[other]),
        run: () => showTheme(other),
      })),
    { id: 'sessions', label: members.sessions, run: () => void navigate({ to: '/members', hash: 'sessions' }) },
    { id: 'help', label: frame.help, ...shortcutKeys(member.id, '?'), run: () => runActionWhenReady('help') },
    { id: 'sign-out', label: frame.signOut, run: signOut },
  ];
}
