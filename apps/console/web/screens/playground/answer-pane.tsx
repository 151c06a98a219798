import type { Ref } from 'react';
import type { AskedOperation, Key, PlaygroundRun } from '../../asked.ts';
import { Copy } from '../../parts/copy.tsx';
import { Failure } from '../../parts/failure.tsx';
import { Tabs } from '../../parts/tabs.tsx';
import { useMe } from '../../shell.tsx';
import { useWords } from '../../words/words.tsx';
import { About } from './about.tsx';
import { Body, Outcome } from './answer.tsx';
import { Download } from './download.tsx';
import { History } from './history.tsx';
import { useAddressOf } from './link.ts';
import type { usePages } from './pages.ts';
import { Paging } from './paging.tsx';
import { Remedies } from './remedies.tsx';
import { RequestLine } from './request-line.tsx';
import { SnippetView } from './snippet-view.tsx';
import { filled, requestOfForm, type Wanted } from './wanted.ts';

const tabNames = ['json', 'table', 'headers', 'snippet', 'history'] as const;
export type TabName = (typeof tabNames)[number];
/** What there is to see before anything was run. */
const firstTabs = ['snippet', 'history'] as const satisfies readonly TabName[];

interface Given {
  readonly ref: Ref<HTMLElement>;
  readonly operation: AskedOperation;
  readonly wanted: Wanted;
  readonly answer: ReturnType<typeof usePages>;
  readonly keys: readonly Key[];
  readonly tab: TabName;
  readonly choose: (tab: TabName) => void;
  readonly fill: (parameters: Readonly<Record<string, string>>) => void;
  readonly send: (wanted?: Wanted & { readonly added?: string }) => void;
  readonly load: (run: PlaygroundRun) => void;
  readonly rerun: (run: PlaygroundRun) => void;
}

/** What the run will be, and when it was: what it answered. */
export function AnswerPane(given: Given) {
  const { ref, operation, wanted, answer, keys, tab, choose, fill, send, load, rerun } = given;
  const { playground } = useWords();
  const { tenants, api } = useMe();
  const addressOf = useAddressOf();
  const { page, asked } = answer;
  const names = page ? tabNames : firstTabs;
  const view: TabName = page || tab === 'history' ? tab : 'snippet';
  const form = filled(wanted, operation);
  const next = requestOfForm(wanted, operation);
  const first = answer.pages[0]?.request;
  const isNew = page !== null && (next.path !== first?.path || next.body !== first.body);
  const tenant = tenants.find(({ id }) => id === wanted.tenantId);
  return (
    <section ref={ref} className="stack" aria-label={playground.answer} aria-busy={answer.isBusy}>
      {answer.error !== null && <Failure error={answer.error} again={() => send()} />}
      {(page === null || isNew) && (
        <RequestLine request={next} {...(page === null ? {} : { label: playground.nextRun })} />
      )}
      {(page === null || asked?.operation !== operation) && (
        <About operation={operation} mode={wanted.mode} fill={fill} />
      )}
      {page === null && <p className="note">{playground.before(tenant?.name ?? '')}</p>}
      {page && <Outcome key={page.told.headers['x-request-id']} page={page} />}
      {page && asked && (
        <Remedies page={page} asked={asked.wanted} operation={asked.operation} keys={keys} run={send} />
      )}
      {page && <Paging answer={answer} />}
      <div className="row apart">
        <Tabs label={playground.answerViews} names={names} words={playground.tabs} chosen={view} choose={choose} />
        <span className="row">
          {page && <Download page={page} name={asked?.operation.name ?? ''} />}
          <Copy
            key={JSON.stringify(form)}
            text={addressOf(form)}
            words={playground.copyLink}
            done={playground.linkCopied}
          />
        </span>
      </div>
      <div id="panel" role="tabpanel" aria-label={playground.tabs[view]}>
        {view === 'history' ? (
          <History load={load} rerun={rerun} />
        ) : view === 'snippet' ? (
          <SnippetView
            key={wanted.mode}
            first={wanted.mode === 'mcp' ? 'mcp' : 'curl'}
            said={{
              baseUrl: api.baseUrl,
              mcpUrl: api.mcpUrl,
              tenantId: wanted.tenantId,
              path: operation.path.replace('{id}', () => encodeURIComponent(form.id.toWellFormed())),
              isList: operation.kind === 'list',
              parameters: form.parameters,
            }}
          />
        ) : (
          page && <Body key={`${answer.at} ${page.told.headers['x-request-id']}`} page={page} view={view} />
        )}
      </div>
    </section>
  );
}
