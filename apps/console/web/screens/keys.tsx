import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { lazy, Suspense, useRef, useState } from 'react';
import { ask } from '../ask.ts';
import type { Key, Keys as KeysAnswer, KeyView } from '../asked.ts';
import { Asked } from '../parts/asked.tsx';
import { KeyTabs } from '../parts/key-tabs.tsx';
import { Head, useAct, useSlash, useTenant } from '../shell.tsx';
import { number, useLanguage, useWords } from '../words/words.tsx';
import { KeyDetail } from './keys/key-detail.tsx';
import { KeyLifetime } from './keys/key-lifetime.tsx';
import { KeyTable } from './keys/key-table.tsx';
import { shownId, wantedOf } from './keys/key-use.ts';
import { NewKey } from './keys/new-key.tsx';

const everyMs = 5_000;
const views = ['active', 'expiring', 'unused', 'ended', 'playground'] as const satisfies readonly KeyView[];

/** Which keys can read what, and which of them can go? */
export function Keys() {
  const { screens, keys: words } = useWords();
  const search = useSearch({ from: '/frame/keys' });
  const navigate = useNavigate({ from: '/keys' });
  const view = views.find((name) => name === search.view) ?? 'active';
  const tenant = useTenant();
  const listed = useQuery({
    queryKey: ['keys', view, tenant?.id ?? ''],
    queryFn: ({ signal }) =>
      ask<KeysAnswer>(`/keys?${new URLSearchParams({ view, tenantId: tenant?.id ?? '' })}`, signal),
    refetchInterval: everyMs,
    placeholderData: (before) => before,
  });
  const [isMaking, setMaking] = useState(false);
  const filter = useRef<HTMLInputElement>(null);
  useSlash(() => filter.current);
  useAct('new', () => setMaking(true));
  const show = (key: string | undefined) =>
    void navigate({ search: (before) => ({ ...before, key }) as typeof before, replace: true });
  const sift = (text: string | undefined) =>
    void navigate({ search: (before) => ({ ...before, filter: text || undefined }) as typeof before, replace: true });
  return (
    <>
      <Head title={screens.keys}>
        <button type="button" className="primary" onClick={() => setMaking(true)}>
          {words.create}
        </button>
      </Head>
      <KeyTabs />
      <Asked query={listed}>
        {({ counts, keys }) => (
          <>
            <Views counts={counts} chosen={view} />
            <div className="row apart">
              <input
                ref={filter}
                type="search"
                className="filter"
                aria-label={words.filter}
                placeholder={`${words.filter}  /`}
                value={search.filter ?? ''}
                onChange={(event) => sift(wantedOf(event.target.value))}
              />
              <KeyLifetime />
            </div>
            <div className={search.key ? 'split split-open' : 'split'}>
              <Listed
                keys={keys}
                view={view}
                isAnyKey={counts.active + counts.ended > 0}
                filter={search.filter ?? ''}
                chosen={search.key}
                show={show}
                clear={() => sift(undefined)}
              />
              {search.key && <KeyDetail key={search.key} id={search.key} show={show} />}
            </div>
          </>
        )}
      </Asked>
      {isMaking && <NewKey replaces={null} close={() => setMaking(false)} made={show} />}
    </>
  );
}

function Views({ counts, chosen }: { counts: KeysAnswer['counts']; chosen: KeyView }) {
  const { words, language } = useLanguage();
  return (
    <nav className="tabs" aria-label={words.keys.viewsOf}>
      {views.map((name) => (
        <Link
          key={name}
          to="/keys"
          activeProps={{}}
          search={({ filter }) => ({ view: name, ...(filter === undefined ? {} : { filter }) })}
          aria-current={name === chosen ? 'page' : undefined}
        >
          {words.keys.views[name]} <span>{number(language, counts[name])}</span>
        </Link>
      ))}
    </nav>
  );
}

interface ListedGiven {
  readonly view: KeyView;
  /** Whether there are keys in other views. */
  readonly isAnyKey: boolean;
  readonly keys: readonly Key[];
  readonly filter: string;
  readonly chosen: string | undefined;
  readonly show: (id: string) => void;
  readonly clear: () => void;
}

const manyKeys = 200;
const ManyKeys = lazy(() => import('./keys/many-keys.tsx').then((loaded) => ({ default: loaded.ManyKeys })));

function Listed({ keys, view, isAnyKey, filter, chosen, show, clear }: ListedGiven) {
  const { keys: words } = useWords();
  const wanted = filter.trim().toLowerCase();
  const found = keys.filter((key) =>
    [key.name, shownId(key), key.id, key.tenantName ?? words.whole, ...key.scopes].some((text) =>
      text.toLowerCase().includes(wanted),
    ),
  );
  if (found.length > manyKeys)
    return (
      <Suspense>
        <ManyKeys keys={found} chosen={chosen} show={show} />
      </Suspense>
    );
  if (found.length > 0) return <KeyTable keys={found} chosen={chosen} show={show} />;
  if (keys.length > 0)
    return (
      <div className="empty">
        <p>{words.noMatch}</p>
        <button type="button" onClick={clear}>
          {words.clear}
        </button>
      </div>
    );
  if (view !== 'active' || isAnyKey) return <p className="empty">{words.noneIn[view]}</p>;
  return (
    <div className="empty">
      <p>{words.noneYet}</p>
      <p className="hint">
        {words.cli} <code>npx tenantscope keys create --name … --tenant … --scopes …</code>
      </p>
    </div>
  );
}
