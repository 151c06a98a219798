import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react';
import { ask } from '../ask.ts';
import type { AskedOperation, Keys, Operations, PlaygroundRun } from '../asked.ts';
import { Asked } from '../parts/asked.tsx';
import { KeyTabs } from '../parts/key-tabs.tsx';
import { Head, useMe } from '../shell.tsx';
import { useWords } from '../words/words.tsx';
import { useNamedOperation } from './playground/address.ts';
import { AnswerPane, type TabName } from './playground/answer-pane.tsx';
import { fieldId } from './playground/field.tsx';
import { useHistory } from './playground/history.tsx';
import { LeadsContext, type LeadTo } from './playground/leads.ts';
import { usePages } from './playground/pages.ts';
import { RunForm } from './playground/run-form.tsx';
import { filled, known, searchOf, type Wanted, wantedOf } from './playground/wanted.ts';

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
  const { tenants, person } = useMe();
  const search = useSearch({ from: '/frame/playground' });
  const navigate = useNavigate({ from: '/playground' });
  const client = useQueryClient();
  const tenantIds = tenants.map(({ id }) => id);
  const [form, setForm] = useState<Wanted>(() => wantedOf(search, operations));
  // Which tenant stands in the address, as on every screen; here it is always one.
  const wanted = { ...form, tenantId: tenantIds.find((id) => id === search.tenant) ?? tenantIds[0] ?? '' };
  const setWanted = (next: Wanted) => {
    setForm(next);
    const { operation: name, tenantId: tenant } = next;
    if (tenant !== wanted.tenantId) void navigate({ search: (before) => ({ ...before, tenant }), replace: true });
    if (name !== wanted.operation)
      void navigate({ search: ({ with: _, ...before }) => ({ ...before, operation: name }), replace: true });
  };
  useNamedOperation(search.operation, wanted.operation, (name) => {
    const named = operations.find((one) => one.name === name);
    if (named) setWanted({ ...wanted, operation: name, parameters: {}, id: named.exampleId ?? '' });
  });
  const [tab, setTab] = useState<TabName>('json');
  const answer = usePages();
  const history = useHistory();
  const formElement = useRef<HTMLFormElement>(null);
  const pane = useRef<HTMLElement>(null);
  const operation = operations.find(({ name }) => name === wanted.operation) ?? operations[0];
  const keys = useQuery({
    queryKey: ['keys', 'active'],
    queryFn: ({ signal }) => ask<Keys>('/keys?view=active', signal),
    enabled: person.role === 'admin',
  });
  // As soon as the form can be seen.
  useLayoutEffect(() => {
    const listen = (event: KeyboardEvent) => {
      const isSend = event.key === 'Enter' && (event.ctrlKey || event.metaKey);
      // What lies over the form has the keys to itself, and may be gone once it has acted on them.
      if (isSend && document.querySelector('dialog[open]') === null) formElement.current?.requestSubmit();
    };
    window.addEventListener('keydown', listen, true);
    return () => window.removeEventListener('keydown', listen, true);
  }, []);
  const asked = answer.asked;
  const leads = useMemo(() => {
    const focus = (name: string) =>
      // The field is drawn with the next frame.
      requestAnimationFrame(() => formElement.current?.querySelector<HTMLElement>(`#${fieldId(name)}`)?.focus());
    const follow = (to: LeadTo) => {
      if ('operation' in to) {
        setForm((before) => ({ ...before, operation: to.operation.name, id: to.id, parameters: {} }));
        focus('id');
      } else if (asked) {
        const parameters = { ...asked.wanted.parameters, ...to.parameters };
        setForm((before) => ({ ...before, operation: asked.operation.name, parameters }));
        focus(Object.keys(to.parameters).at(-1) ?? '');
      }
    };
    return asked && { operations, operation: asked.operation, follow };
  }, [asked, operations]);
  // What was sent for is drawn: what is wrong in the form comes into sight, or the answer, which stands below the form on a narrow page.
  useEffect(() => {
    if (answer.page === null) return;
    const wrong = formElement.current?.querySelector('[aria-invalid="true"]');
    if (wrong) wrong.scrollIntoView({ block: 'nearest' });
    else if ((pane.current?.getBoundingClientRect().top ?? 0) > innerHeight / 2) pane.current?.scrollIntoView();
  }, [answer.page]);
  if (!operation) return null;

  const send = async (what: Wanted & { readonly added?: string } = wanted) => {
    const isHere = operations.find(({ name }) => name === what.operation) ?? operation;
    const given = { ...what, ...filled(what, isHere) };
    void navigate({ search: searchOf(given), replace: true });
    if (tab === 'history' || tab === 'snippet') setTab('json');
    await answer.send(given, isHere);
    void client.invalidateQueries({ queryKey: ['history'] });
  };
  const wantedBy = ({
    operation: name,
    tenantId,
    mode,
    parameters: { id = '', ...parameters },
  }: PlaygroundRun): Wanted => ({
    ...wanted,
    operation: name,
    tenantId,
    mode,
    id,
    parameters: known(
      parameters,
      operations.find((one) => one.name === name),
    ),
  });
  /** The server's words, for as long as the field says what they are about. */
  const refused = (name: string): string | null => {
    if (!asked || asked.operation !== operation) return null;
    const before = name === 'id' ? asked.wanted.id : (asked.wanted.parameters[name] ?? '');
    const now = name === 'id' ? wanted.id : (wanted.parameters[name] ?? '');
    const { details = [], code = null, message = null } = answer.page?.read ?? {};
    const isCursor =
      code === 'INVALID_CURSOR' && operation.parameters.some((one) => one.name === name && one.kind === 'cursor');
    const reason = details.find(({ parameter }) => parameter === name)?.reason ?? (isCursor ? message : null);
    return before.trim() === now.trim() ? reason : null;
  };
  const isSame = asked?.operation === operation && asked.wanted.tenantId === wanted.tenantId;
  const last = history.data?.runs.find((run) => run.operation === operation.name && run.tenantId === wanted.tenantId);
  return (
    <LeadsContext value={leads}>
      <div className="play">
        <RunForm
          ref={formElement}
          operations={operations}
          operation={operation}
          scopes={scopes}
          keys={keys.data?.keys ?? []}
          wanted={wanted}
          refused={refused}
          lastRunAt={(isSame ? answer.page?.read.completeThrough : null) ?? last?.at ?? null}
          isBusy={answer.isBusy}
          change={setWanted}
          send={() => void send()}
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
          fill={(parameters) => setWanted({ ...wanted, parameters })}
          send={(what: Wanted & { readonly added?: string } = wanted) => {
            const { added: _, ...rest } = what;
            setWanted(rest);
            void send(what);
          }}
          load={(run) => setWanted(wantedBy(run))}
          rerun={(run) => {
            setWanted(wantedBy(run));
            void send(wantedBy(run));
          }}
        />
      </div>
    </LeadsContext>
  );
}
