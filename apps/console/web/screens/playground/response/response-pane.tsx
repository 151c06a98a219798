import type { Ref } from 'react';
import type { KeyName } from '../../../../api/keys.ts';
import type { ListedOperation, PlaygroundRun } from '../../../../api/playground.ts';
import { useCurrentUser } from '../../../frame/current-user.ts';
import { useLabels } from '../../../labels/language.tsx';
import { CopyButton } from '../../../parts/copy-button.tsx';
import { ErrorMessage } from '../../../parts/query/error-message.tsx';
import { Tabs } from '../../../parts/tabs.tsx';
import { type FormState, requestFromForm, withoutEmptyFields } from '../request/form-state.ts';
import { OperationHelp } from '../request/operation-help.tsx';
import { RequestLine } from '../request/request-line.tsx';
import { useShareLink } from '../request/share-link.ts';
import { SnippetView } from '../snippet/snippet-view.tsx';
import { DownloadLink } from './download-link.tsx';
import { Paging } from './paging.tsx';
import { ResponseBody, ResponseSummary } from './response-summary.tsx';
import { RunHistory } from './run-history.tsx';
import { SuggestedRetries } from './suggested-retries.tsx';
import type { usePages } from './use-pages.ts';

const tabNames = ['json', 'table', 'headers', 'snippet', 'history'] as const;
export type TabName = (typeof tabNames)[number];
/** What there is to see before anything was run. */
const firstTabs = ['snippet', 'history'] as const satisfies readonly TabName[];

interface Props {
  readonly ref: Ref<HTMLElement>;
  readonly operation: ListedOperation;
  readonly formState: FormState;
  readonly response: ReturnType<typeof usePages>;
  readonly keys: readonly KeyName[];
  readonly tab: TabName;
  readonly choose: (tab: TabName) => void;
  readonly fill: (parameters: Readonly<Record<string, string>>) => void;
  readonly send: (formState?: FormState & { readonly added?: string }) => void;
  readonly load: (run: PlaygroundRun) => void;
  readonly rerun: (run: PlaygroundRun) => void;
}

/** The next request, and the response to the last one. */
export function ResponsePane(given: Props) {
  const { ref, operation, formState, response, keys, tab, choose, fill, send, load, rerun } = given;
  const { playground } = useLabels();
  const { tenants, api } = useCurrentUser();
  const addressOf = useShareLink();
  const { page, sentRequest } = response;
  const names = page ? tabNames : firstTabs;
  const view: TabName = page || tab === 'history' ? tab : 'snippet';
  const form = withoutEmptyFields(formState, operation);
  const next = requestFromForm(formState, operation);
  const first = response.pages[0]?.request;
  const isNew = page !== null && (next.path !== first?.path || next.body !== first.body);
  const tenant = tenants.find(({ id }) => id === formState.tenantId);
  return (
    <section ref={ref} className="stack" aria-label={playground.response} aria-busy={response.isBusy}>
      {response.error !== null && <ErrorMessage error={response.error} again={() => send()} />}
      {(page === null || isNew) && (
        <RequestLine request={next} {...(page === null ? {} : { label: playground.nextRun })} />
      )}
      {(page === null || sentRequest?.operation !== operation) && (
        <OperationHelp operation={operation} mode={formState.mode} fill={fill} />
      )}
      {page === null && <p className="note">{playground.intro(tenant?.name ?? '')}</p>}
      {page && <ResponseSummary key={page.meta.headers['x-request-id']} page={page} />}
      {page && sentRequest && (
        <SuggestedRetries
          page={page}
          sentRequest={sentRequest.formState}
          operation={sentRequest.operation}
          keys={keys}
          run={send}
        />
      )}
      {page && <Paging response={response} />}
      <div className="row apart">
        <Tabs label={playground.responseViews} names={names} labels={playground.tabs} chosen={view} choose={choose} />
        <span className="row">
          {page && <DownloadLink page={page} name={sentRequest?.operation.name ?? ''} />}
          <CopyButton
            key={JSON.stringify(form)}
            text={addressOf(form)}
            label={playground.copyLink}
            doneLabel={playground.linkCopied}
          />
        </span>
      </div>
      <div id="panel" role="tabpanel" aria-label={playground.tabs[view]}>
        {view === 'history' ? (
          <RunHistory load={load} rerun={rerun} />
        ) : view === 'snippet' ? (
          <SnippetView
            key={formState.mode}
            first={formState.mode === 'mcp' ? 'mcp' : 'curl'}
            request={{
              baseUrl: api.baseUrl,
              mcpUrl: api.mcpUrl,
              tenantId: formState.tenantId,
              path: operation.path.replace('{id}', () => encodeURIComponent(form.id.toWellFormed())),
              isList: operation.kind === 'list',
              parameters: form.parameters,
            }}
          />
        ) : (
          page && <ResponseBody key={`${response.at} ${page.meta.headers['x-request-id']}`} page={page} view={view} />
        )}
      </div>
    </section>
  );
}
