import { useQuery, useQueryClient } from '@tanstack/react-query';
import { type RefObject, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { ask } from '../ask.ts';
import type { AskedOperation, Keys, Operations } from '../asked.ts';
import { Asked } from '../parts/asked.tsx';
import { KeyTabs } from '../parts/key-tabs.tsx';
import { Head, useMe } from '../shell.tsx';
import { useWords } from '../words/words.tsx';
import { AnswerPane, type TabName } from './playground/answer-pane.tsx';
import { fieldId } from './playground/field.tsx';
import { useHistory } from './playground/history.tsx';
import { LeadsContext, type LeadTo } from './playground/leads.ts';
import { usePages } from './playground/pages.ts';
import { refusalsIn } from './playground/refusals.ts';
import { RunForm } from './playground/run-form.tsx';
import { useWanted } from './playground/use-wanted.ts';
import { filled, type Wanted, wantedBy } from './playground/wanted.ts';

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
      <KeyTabs />
      <Asked query={operations}>{(known) => <Play operations={known.operations} scopes={known.scopes.length} />}</Asked>
    </>
  );
}

function Play({ operations, scopes }: { operations: readonly AskedOperation[]; scopes: number }) {
  const { person } = useMe();
  const client = useQueryClient();
  const { wanted, change, keepInAddress } = useWanted(operations);
  const [tab, setTab] = useState<TabName>('json');
  const answer = usePages();
  const history = useHistory();
  const form = useRef<HTMLFormElement>(null);
  const pane = useRef<HTMLElement>(null);
  const operation = operations.find(({ name }) => name === wanted.operation) ?? operations[0];
  const keys = useQuery({
    queryKey: ['keys', 'active'],
    queryFn: ({ signal }) => ask<Keys>('/keys?view=active', signal),
    enabled: person.role === 'admin',
  });
  useSendKeys(form);
  // What was sent for is drawn: what is wrong in the form comes into sight, or the answer, which stands below the form on a narrow page.
  useEffect(() => {
    if (answer.page === null) return;
    const wrong = form.current?.querySelector('[aria-invalid="true"]');
    if (wrong) wrong.scrollIntoView({ block: 'nearest' });
    else if ((pane.current?.getBoundingClientRect().top ?? 0) > innerHeight / 2) pane.current?.scrollIntoView();
  }, [answer.page]);
  if (!operation) return null;

  const operationOf = (name: string) => operations.find((one) => one.name === name) ?? operation;
  const send = async (what: Wanted & { readonly added?: string }) => {
    const given = { ...what, ...filled(what, operationOf(what.operation)) };
    keepInAddress(given);
    if (tab === 'history' || tab === 'snippet') setTab('json');
    await answer.send(given, operationOf(what.operation));
    void client.invalidateQueries({ queryKey: ['history'] });
  };
  const { asked } = answer;
  const follow = (to: LeadTo) => {
    const isRecord = 'operation' in to;
    if (isRecord) change({ ...wanted, operation: to.operation.name, id: to.id, parameters: {} });
    else if (asked) {
      const parameters = { ...asked.wanted.parameters, ...to.parameters };
      change({ ...wanted, operation: asked.operation.name, id: asked.wanted.id, parameters });
    }
    const field = fieldId(isRecord ? 'id' : (Object.keys(to.parameters).at(-1) ?? ''));
    // It is drawn with the next frame.
    requestAnimationFrame(() => form.current?.querySelector<HTMLElement>(`#${field}`)?.focus());
  };
  const isSame = asked?.operation === operation && asked.wanted.tenantId === wanted.tenantId;
  const last = history.data?.runs.find((run) => run.operation === operation.name && run.tenantId === wanted.tenantId);
  return (
    <LeadsContext value={asked && { operations, operation: asked.operation, follow }}>
      <div className="play">
        <RunForm
          ref={form}
          operations={operations}
          operation={operation}
          scopes={scopes}
          keys={keys.data?.keys ?? []}
          wanted={wanted}
          refused={refusalsIn(answer, operation, wanted)}
          lastRunAt={(isSame ? answer.page?.read.completeThrough : null) ?? last?.at ?? null}
          isBusy={answer.isBusy}
          change={change}
          send={() => void send(wanted)}
          cancel={answer.cancel}
        />
        <AnswerPane
          ref={pane}
          operation={operation}
          wanted={wanted}
          answer={answer}
          keys={keys.data?.keys ?? []}
          tab={tab}
          choose={setTab}
          fill={(parameters) => change({ ...wanted, parameters })}
          send={(what: Wanted & { readonly added?: string } = wanted) => {
            const { added: _, ...rest } = what;
            change(rest);
            void send(what);
          }}
          load={(run) => change(wantedBy(run, operationOf(run.operation), wanted))}
          rerun={(run) => {
            const again = wantedBy(run, operationOf(run.operation), wanted);
            change(again);
            void send(again);
          }}
        />
      </div>
    </LeadsContext>
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
