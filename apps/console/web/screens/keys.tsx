import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useRef, useState } from 'react';
import { type Key, type KeyList as KeysAnswer, type KeyView, listKeys } from '../../api/keys.ts';
import { call } from '../client/api-client.ts';
import { useTenant } from '../frame/current-user.ts';
import { KeyTabs } from '../frame/key-tabs.tsx';
import { useAction } from '../frame/keyboard/actions.ts';
import { ScreenHeader } from '../frame/screen-header.tsx';
import { useFindShortcut } from '../frame/shell.tsx';
import { number } from '../labels/format.ts';
import { useLabels, useLanguage } from '../labels/language.tsx';
import { PageButtons } from '../parts/page-buttons.tsx';
import { QueryResult } from '../parts/query/query-result.tsx';
import { MaxKeyLifetime } from './keys/key-lifetime.tsx';
import { KeyTable } from './keys/key-table.tsx';
import { redactSecrets } from './keys/key-usage.ts';
import { KeyDetail, usePreloadKeyDetail } from './keys/lazy-key-detail.tsx';
import { NewKey, usePreloadNewKey } from './keys/lazy-new-key.tsx';

const everyMs = 5_000;
const filterMax = 200;
const views = ['active', 'expiring', 'unused', 'ended', 'playground'] as const satisfies readonly KeyView[];

/** API keys: their access, use and expiry. */
export function Keys() {
  const { screens, keys: labels } = useLabels();
  const search = useSearch({ from: '/frame/keys' });
  const navigate = useNavigate({ from: '/keys' });
  const view = views.find((name) => name === search.view) ?? 'active';
  const tenant = useTenant();
  const query = {
    view,
    tenantId: tenant?.id,
    filter: search.filter,
    organizationLabel: labels.wholeOrganization,
    cursor: search.cursor,
  };
  const listed = useQuery({
    queryKey: ['keys', query],
    queryFn: ({ signal }) => call(listKeys, query, { signal }),
    refetchInterval: everyMs,
    placeholderData: (before) => before,
  });
  const [isMaking, setMaking] = useState(false);
  const filter = useRef<HTMLInputElement>(null);
  useFindShortcut(() => filter.current);
  useAction('new', () => setMaking(true));
  usePreloadNewKey();
  usePreloadKeyDetail();
  const show = (key: string | undefined) =>
    void navigate({ search: (before) => ({ ...before, key }) as typeof before, replace: true });
  const openPage = (cursor: string | undefined) =>
    void navigate({ search: (before) => ({ ...before, cursor }) as typeof before, replace: true });
  const sift = (text: string | undefined) =>
    void navigate({
      search: ({ cursor: _, ...before }) => ({ ...before, filter: text || undefined }) as typeof before,
      replace: true,
    });
  return (
    <>
      <ScreenHeader title={screens.keys}>
        <button type="button" className="primary" onClick={() => setMaking(true)}>
          {labels.create}
        </button>
      </ScreenHeader>
      <KeyTabs />
      <QueryResult query={listed}>
        {({ counts, keys, nextCursor }) => (
          <>
            <Views counts={counts} chosen={view} />
            <div className="row apart">
              <input
                ref={filter}
                type="search"
                className="filter"
                aria-label={labels.filter}
                maxLength={filterMax}
                placeholder={`${labels.filter}  /`}
                value={search.filter ?? ''}
                onChange={(event) => sift(redactSecrets(event.target.value))}
              />
              <MaxKeyLifetime />
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
            <PageButtons cursor={search.cursor} nextCursor={nextCursor} openPage={openPage} />
          </>
        )}
      </QueryResult>
      {isMaking && <NewKey replaces={null} close={() => setMaking(false)} onCreated={show} />}
    </>
  );
}

function Views({ counts, chosen }: { counts: KeysAnswer['counts']; chosen: KeyView }) {
  const { labels, language } = useLanguage();
  return (
    <nav className="tabs" aria-label={labels.keys.viewsLabel}>
      {views.map((name) => (
        <Link
          key={name}
          to="/keys"
          activeProps={{}}
          search={({ filter }) => ({ view: name, ...(filter === undefined ? {} : { filter }) })}
          aria-current={name === chosen ? 'page' : undefined}
        >
          {labels.keys.views[name]} <span>{number(language, counts[name])}</span>
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

function Listed({ keys, view, isAnyKey, filter, chosen, show, clear }: ListedGiven) {
  const { keys: labels } = useLabels();
  if (keys.length > 0) return <KeyTable keys={keys} chosen={chosen} show={show} />;
  if (filter.trim() !== '')
    return (
      <div className="empty">
        <p>{labels.noMatch}</p>
        <button type="button" onClick={clear}>
          {labels.clear}
        </button>
      </div>
    );
  if (view !== 'active' || isAnyKey) return <p className="empty">{labels.emptyView[view]}</p>;
  return (
    <div className="empty">
      <p>{labels.empty}</p>
      <p className="hint">
        {labels.cli} <code>npx tenantscope key create --name … --tenant … --scopes …</code>
      </p>
    </div>
  );
}
