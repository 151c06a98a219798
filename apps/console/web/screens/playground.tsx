import { useQuery, useQueryClient } from '@tanstack/react-query';
import { type RefObject, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { listKeyNames } from '../../api/keys.ts';
import { type ListedOperation, listOperations } from '../../api/playground.ts';
import { call } from '../client/api-client.ts';
import { useCurrentUser } from '../frame/current-user.ts';
import { KeyTabs } from '../frame/key-tabs.tsx';
import { ScreenHeader } from '../frame/screen-header.tsx';
import { useLabels } from '../labels/language.tsx';
import { QueryResult } from '../parts/query/query-result.tsx';
import { IdLinksContext, type LinkTarget } from './playground/json/id-links.ts';
import { fieldId } from './playground/request/field.tsx';
import { createFieldErrors } from './playground/request/field-errors.ts';
import { type FormState, formFromRun, withoutEmptyFields } from './playground/request/form-state.ts';
import { RequestForm } from './playground/request/request-form.tsx';
import { useFormState } from './playground/request/use-form-state.ts';
import { ResponsePane, type TabName } from './playground/response/response-pane.tsx';
import { useRunHistory } from './playground/response/run-history.tsx';
import { usePages } from './playground/response/use-pages.ts';

/** Builds requests, runs them with a short-lived key, and shows the responses. */
export function Playground() {
  const { screens } = useLabels();
  const operations = useQuery({
    queryKey: ['operations'],
    queryFn: ({ signal }) => call(listOperations, {}, { signal }),
    staleTime: Number.POSITIVE_INFINITY,
  });
  return (
    <>
      <ScreenHeader title={screens.playground} />
      <KeyTabs />
      <QueryResult query={operations}>
        {(data) => <Play operations={data.operations} scopes={data.scopes.length} />}
      </QueryResult>
    </>
  );
}

function Play({ operations, scopes }: { operations: readonly ListedOperation[]; scopes: number }) {
  const { member } = useCurrentUser();
  const client = useQueryClient();
  const { formState, change, updateAddress } = useFormState(operations);
  const [tab, setTab] = useState<TabName>('json');
  const response = usePages();
  const history = useRunHistory();
  const form = useRef<HTMLFormElement>(null);
  const pane = useRef<HTMLElement>(null);
  const operation = operations.find(({ name }) => name === formState.operation) ?? operations[0];
  const keys = useQuery({
    queryKey: ['keys', 'names'],
    queryFn: ({ signal }) => call(listKeyNames, {}, { signal }),
    enabled: member.role === 'admin',
  });
  const activeKeys = keys.data?.keys.filter(({ hasEnded }) => !hasEnded) ?? [];
  useSendKeys(form);
  // What was sent for is drawn: what is wrong in the form comes into sight, or the answer, which stands below the form on a narrow page.
  useEffect(() => {
    if (response.page === null) return;
    const wrong = form.current?.querySelector('[aria-invalid="true"]');
    if (wrong) wrong.scrollIntoView({ block: 'nearest' });
    else if ((pane.current?.getBoundingClientRect().top ?? 0) > innerHeight / 2) pane.current?.scrollIntoView();
  }, [response.page]);
  if (!operation) return null;

  const operationOf = (name: string) => operations.find((one) => one.name === name) ?? operation;
  const send = async (what: FormState & { readonly added?: string }) => {
    const given = { ...what, ...withoutEmptyFields(what, operationOf(what.operation)) };
    updateAddress(given);
    if (tab === 'history' || tab === 'snippet') setTab('json');
    await response.send(given, operationOf(what.operation));
    void client.invalidateQueries({ queryKey: ['history'] });
  };
  const { sentRequest } = response;
  const openLink = (to: LinkTarget) => {
    const isRecord = 'operation' in to;
    if (isRecord) change({ ...formState, operation: to.operation.name, id: to.id, parameters: {} });
    else if (sentRequest) {
      const parameters = { ...sentRequest.formState.parameters, ...to.parameters };
      change({ ...formState, operation: sentRequest.operation.name, id: sentRequest.formState.id, parameters });
    }
    const field = fieldId(isRecord ? 'id' : (Object.keys(to.parameters).at(-1) ?? ''));
    // It is drawn with the next frame.
    requestAnimationFrame(() => form.current?.querySelector<HTMLElement>(`#${field}`)?.focus());
  };
  const isSame = sentRequest?.operation === operation && sentRequest.formState.tenantId === formState.tenantId;
  const last = history.data?.runs.find(
    (run) => run.operation === operation.name && run.tenantId === formState.tenantId,
  );
  return (
    <IdLinksContext value={sentRequest && { operations, operation: sentRequest.operation, openLink }}>
      <div className="play">
        <RequestForm
          ref={form}
          operations={operations}
          operation={operation}
          scopes={scopes}
          keys={activeKeys}
          formState={formState}
          refused={createFieldErrors(response, operation, formState)}
          lastRunAt={(isSame ? response.page?.parsed.completeThrough : null) ?? last?.at ?? null}
          isBusy={response.isBusy}
          change={change}
          send={() => void send(formState)}
          cancel={response.cancel}
        />
        <ResponsePane
          ref={pane}
          operation={operation}
          formState={formState}
          response={response}
          keys={activeKeys}
          tab={tab}
          choose={setTab}
          fill={(parameters) => change({ ...formState, parameters })}
          send={(what: FormState & { readonly added?: string } = formState) => {
            const { added: _, ...rest } = what;
            change(rest);
            void send(what);
          }}
          load={(run) => change(formFromRun(run, operationOf(run.operation), formState))}
          rerun={(run) => {
            const again = formFromRun(run, operationOf(run.operation), formState);
            change(again);
            void send(again);
          }}
        />
      </div>
    </IdLinksContext>
  );
}

/** Control and Enter send from wherever one is, as soon as the form can be seen. */
function useSendKeys(form: RefObject<HTMLFormElement | null>): void {
  useLayoutEffect(() => {
    const listen = (event: KeyboardEvent) => {
      const isSend = event.key === 'Enter' && (event.ctrlKey || event.metaKey);
      // What lies over the form has the keys to itself, and may be gone once it has acted on them.
      if (isSend && document.querySelector('dialog[open]') === null) form.current?.requestSubmit();
    };
    window.addEventListener('keydown', listen, true);
    return () => window.removeEventListener('keydown', listen, true);
  }, [form]);
}
