import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { type FormEvent, useLayoutEffect, useRef, useState } from 'react';
import { ask } from '../ask.ts';
import type { AskedOperation, Keys, Operations, PlaygroundRun } from '../asked.ts';
import { Asked } from '../parts/asked.tsx';
import { Copy } from '../parts/copy.tsx';
import { Failure } from '../parts/failure.tsx';
import { Tabs } from '../parts/tabs.tsx';
import type { PlaygroundSearch } from '../router.tsx';
import { Head, useMe } from '../shell.tsx';
import { useWords } from '../words/words.tsx';
import { useAddress } from './playground/address.ts';
import { Body, Outcome } from './playground/answer.tsx';
import { Download } from './playground/download.tsx';
import { Fields } from './playground/fields.tsx';
import { History } from './playground/history.tsx';
import { OperationPicker } from './playground/operation-picker.tsx';
import type { Wanted } from './playground/page.ts';
import { usePages } from './playground/pages.ts';
import { SnippetView } from './playground/snippet-view.tsx';

const tabNames = ['json', 'table', 'headers', 'snippet', 'history'] as const;
type TabName = (typeof tabNames)[number];

/** What would this request answer? */
export function Playground() {
  const { screens } = useWords();
  const operations = useQuery({
    queryKey: ['operations'],
    queryFn: ({ signal }) => ask<Operations>('/operations', signal),
    staleTime: Number.POSITIVE_INFINITY,
  });
  return (
    <>
      <Head title={screens.playground} />
      <Asked query={operations}>{(known) => <Play operations={known.operations} scopes={known.scopes.length} />}</Asked>
    </>
  );
}

function Play({ operations, scopes }: { operations: readonly AskedOperation[]; scopes: number }) {
  const { playground, states } = useWords();
  const { tenants, api, person } = useMe();
  const search = useSearch({ from: '/frame/playground' });
  const navigate = useNavigate({ from: '/playground' });
  const client = useQueryClient();
  const [wanted, setWanted] = useState<Wanted>(() => wantedOf(search, operations, tenants[0]?.id ?? ''));
  const look = (next: PlaygroundSearch) => void navigate({ search: (before) => ({ ...before, ...next }), replace: true });
  const choose = ({ name, exampleId }: AskedOperation) => {
    setWanted((before) => ({ ...before, operation: name, parameters: {}, id: exampleId ?? '' }));
    look({ operation: name, with: undefined } as unknown as PlaygroundSearch);
  };
  const narrow = (tenantId: string) => {
    setWanted((before) => ({ ...before, tenantId }));
    look({ tenant: tenantId });
  };
  useAddress(search, wanted, {
    tenant: (id) => tenants.some((tenant) => tenant.id === id) && narrow(id),
    operation: (name) => operations.filter((one) => one.name === name).map(choose),
  });
  const [tab, setTab] = useState<TabName>('json');
  const answer = usePages();
  const form = useRef<HTMLFormElement>(null);
  const shownAt = useRef<HTMLElement>(null);
  const operation = operations.find(({ name }) => name === wanted.operation) ?? operations[0];
  const keys = useQuery({
    queryKey: ['keys', 'active'],
    queryFn: ({ signal }) => ask<Keys>('/keys?view=active', signal),
    enabled: person.role === 'admin',
  });
  // As soon as the form can be seen.
  useLayoutEffect(() => {
    const listen = (event: KeyboardEvent) => {
      if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) form.current?.requestSubmit();
    };
    window.addEventListener('keydown', listen);
    return () => window.removeEventListener('keydown', listen);
  }, []);
  if (!operation) return null;

  const send = async (what = wanted) => {
    const given = { ...what, parameters: filled(what.parameters), id: operation.kind === 'get' ? what.id : '' };
    void navigate({ search: searchOf(given), replace: true });
    if (tab === 'history' || tab === 'snippet') setTab('json');
    await answer.send(given);
    // On a narrow page the answer stands below the form.
    if ((shownAt.current?.getBoundingClientRect().top ?? 0) > innerHeight / 2) shownAt.current?.scrollIntoView();
    void client.invalidateQueries({ queryKey: ['history'] });
  };
  const load = (run: PlaygroundRun) => {
    const { id = '', ...parameters } = run.parameters;
    setWanted({ ...wanted, operation: run.operation, tenantId: run.tenantId, mode: run.mode, id, parameters });
  };
  const shown = answer.page;
  const tenant = tenants.find(({ id }) => id === wanted.tenantId);
  const isAnswer = tab === 'json' || tab === 'table' || tab === 'headers';
  return (
    <div className="play">
      <form
        ref={form}
        className="panel"
        onSubmit={(event: FormEvent) => {
          event.preventDefault();
          void send();
        }}
      >
        <OperationPicker
          operations={operations}
          chosen={operation}
          mode={wanted.mode}
          choose={choose}
        />
        <fieldset className="row apart">
          <legend className="hidden">{playground.transport}</legend>
          <span className="segments">
            {(['rest', 'mcp'] as const).map((mode) => (
              <button
                key={mode}
                type="button"
                aria-pressed={mode === wanted.mode}
                onClick={() => setWanted({ ...wanted, mode })}
              >
                {playground[mode]}
              </button>
            ))}
          </span>
        </fieldset>
        {tenants.length > 1 && (
          <label className="field">
            <span>{playground.tenant}</span>
            <select value={wanted.tenantId} onChange={(event) => narrow(event.target.value)}>
              {tenants.map(({ id, name }) => (
                <option key={id} value={id}>
                  {name}
                </option>
              ))}
            </select>
          </label>
        )}
        <label className="field">
          <span>{playground.runWith}</span>
          <select value={wanted.scopesOf} onChange={(event) => setWanted({ ...wanted, scopesOf: event.target.value })}>
            <option value="me">{playground.me(scopes)}</option>
            {keys.data?.keys.map(({ id, name, scopes: own }) => (
              <option key={id} value={id}>
                {name} ({own.length})
              </option>
            ))}
          </select>
        </label>
        {operation.kind === 'get' && (
          <label className="field">
            <span>{playground.id}</span>
            <input
              className="mono"
              value={wanted.id}
              onChange={(event) => setWanted({ ...wanted, id: event.target.value })}
              autoComplete="off"
              spellCheck={false}
              required
            />
          </label>
        )}
        <Fields
          operation={operation}
          values={wanted.parameters}
          refused={shown?.read.details ?? []}
          change={(parameters) => setWanted({ ...wanted, parameters })}
        />
        <div className="send row">
          <button type="submit" className="primary" disabled={answer.isBusy || !operation.isAllowed}>
            {answer.isBusy ? playground.sending : playground.send} <kbd>Ctrl ⏎</kbd>
          </button>
          {answer.isBusy && (
            <button type="button" onClick={answer.cancel}>
              {states.cancel}
            </button>
          )}
          {!operation.isAllowed && <span className="hint">{playground.notAllowed(operation.scope ?? '')}</span>}
        </div>
      </form>
      <section ref={shownAt} className="stack" aria-label={playground.answer} aria-busy={answer.isBusy}>
        {answer.error !== null && <Failure error={answer.error} again={() => void send()} />}
        {shown && <Outcome key={shown.told.headers['x-request-id']} page={shown} mode={answer.asked?.mode ?? 'rest'} />}
        {shown?.told.status === 403 && wanted.scopesOf !== 'me' && (
          <div>
            <button
              type="button"
              onClick={() => {
                setWanted({ ...wanted, scopesOf: 'me' });
                void send({ ...wanted, scopesOf: 'me' });
              }}
            >
              {playground.withMine}
            </button>
          </div>
        )}
        {shown && <Paging answer={answer} />}
        <div className="row apart">
          <Tabs label={playground.answerViews} names={tabNames} words={playground.tabs} chosen={tab} choose={setTab} />
          <span className="row">
            {shown && <Download page={shown} name={answer.asked?.operation ?? ''} />}
            {shown && <Copy text={location.href} words={playground.copyLink} done={playground.linkCopied} />}
          </span>
        </div>
        <div id="panel" role="tabpanel" aria-label={playground.tabs[tab]}>
          {isAnswer && shown && (
            <Body key={`${answer.at} ${shown.told.headers['x-request-id']}`} page={shown} view={tab} />
          )}
          {isAnswer && !shown && <p className="note">{playground.before(tenant?.name ?? '')}</p>}
          {tab === 'snippet' && (
            <SnippetView
              key={wanted.mode}
              first={wanted.mode === 'mcp' ? 'mcp' : 'curl'}
              said={{
                baseUrl: api.baseUrl,
                mcpUrl: api.mcpUrl,
                tenantId: wanted.tenantId,
                path: operation.path.replace('{id}', encodeURIComponent(wanted.id)),
                isList: operation.kind === 'list',
                parameters: filled(wanted.parameters),
              }}
            />
          )}
          {tab === 'history' && <History load={load} />}
        </div>
      </section>
    </div>
  );
}

function Paging({ answer }: { answer: ReturnType<typeof usePages> }) {
  const { playground } = useWords();
  const { pages, at, followed, isBusy } = answer;
  const hasNext = Boolean(pages.at(-1)?.read.nextCursor);
  if (pages.length === 1 && !hasNext) return null;
  return (
    <div className="row">
      <span className="segments">
        {pages.map((page, index) => (
          <button
            key={page.told.headers['x-request-id'] ?? index}
            type="button"
            aria-label={playground.page(index + 1)}
            aria-pressed={index === at}
            onClick={() => answer.show(index)}
          >
            {index + 1}
          </button>
        ))}
      </span>
      {hasNext && (
        <>
          <button type="button" disabled={isBusy} onClick={() => void answer.next()}>
            {playground.next}
          </button>
          <button type="button" disabled={isBusy} onClick={() => void answer.toTheEnd()}>
            {playground.toTheEnd}
          </button>
        </>
      )}
      {followed && (
        <span role="status">
          {playground.followed(followed.pages, followed.rows, followed.twice)}.{' '}
          {!followed.isWhole && playground.stopped}
        </span>
      )}
    </div>
  );
}

const filled = (parameters: Wanted['parameters']): Record<string, string> =>
  Object.fromEntries(Object.entries(parameters).filter(([, value]) => value.trim() !== ''));

/** A link says what was asked; what it says that is not so here is left out. */
function wantedOf(search: PlaygroundSearch, operations: readonly AskedOperation[], firstTenantId: string): Wanted {
  const operation =
    operations.find(({ name }) => name === search.operation) ??
    operations.find(({ name, isAllowed }) => isAllowed && name === 'list_logs') ??
    operations.find(({ isAllowed, scope }) => isAllowed && scope !== null);
  const { id = '', ...parameters } = parametersOf(search.with);
  return {
    operation: operation?.name ?? '',
    tenantId: search.tenant ?? firstTenantId,
    mode: search.mode ?? 'rest',
    scopesOf: search.as ?? 'me',
    id: id || (operation?.exampleId ?? ''),
    parameters,
  };
}

function parametersOf(text: string | undefined): Record<string, string> {
  try {
    const read = JSON.parse(text ?? '{}') as Record<string, unknown>;
    return Object.fromEntries(Object.entries(read).map(([name, value]) => [name, String(value)]));
  } catch {
    return {};
  }
}

const searchOf = ({ operation, tenantId, mode, scopesOf, id, parameters }: Wanted): PlaygroundSearch => {
  const asked = { ...(id === '' ? {} : { id }), ...parameters };
  return {
    operation,
    tenant: tenantId,
    ...(mode === 'mcp' ? { mode } : {}),
    ...(scopesOf === 'me' ? {} : { as: scopesOf }),
    ...(Object.keys(asked).length === 0 ? {} : { with: JSON.stringify(asked) }),
  };
};
