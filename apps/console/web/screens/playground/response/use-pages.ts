import { useRef, useState } from 'react';
import type { ListedOperation } from '../../../../api/playground.ts';
import type { FormState } from '../request/form-state.ts';
import { type ResponsePage, runRequest } from './response-page.ts';
import { countTotals, type Totals } from './totals.ts';

const followMax = 20;
/** Fetching all pages stops while some of the rate limit is left for manual requests. */
const budgetReserve = 50;

interface SentRequest {
  readonly formState: FormState & { readonly added?: string };
  readonly operation: ListedOperation;
}

/** Sends the form, and fetches the pages of its response. */
export function usePages() {
  const [pages, setPages] = useState<readonly ResponsePage[]>([]);
  const [at, setAt] = useState(0);
  const [error, setError] = useState<unknown>(null);
  const [isBusy, setBusy] = useState(false);
  const [totals, setTotals] = useState<Totals | null>(null);
  const [sentRequest, setSentRequest] = useState<SentRequest | null>(null);
  const running = useRef<AbortController>(null);

  const during = async (work: (signal: AbortSignal) => Promise<void>) => {
    running.current?.abort();
    const own = new AbortController();
    running.current = own;
    setBusy(true);
    setError(null);
    try {
      await work(own.signal);
    } catch (failure) {
      if (!own.signal.aborted) setError(failure);
    } finally {
      if (running.current === own) setBusy(false);
    }
  };
  const openLink = ({ formState, operation }: SentRequest, cursor: string, signal: AbortSignal) => {
    const { limit } = formState.parameters;
    // A cursor includes the query; only the page size may be given again.
    return runRequest({ ...formState, parameters: { cursor, ...(limit ? { limit } : {}) } }, operation, signal);
  };

  return {
    pages,
    page: pages[at] ?? null,
    at,
    show: setAt,
    error,
    isBusy,
    totals,
    sentRequest,
    cancel: () => running.current?.abort(),
    send: (formState: SentRequest['formState'], operation: ListedOperation) =>
      during(async (signal) => {
        const page = await runRequest(formState, operation, signal).catch((failure: unknown) => {
          // Pages of an earlier request are not shown for this one.
          if (!signal.aborted) setPages([]);
          throw failure;
        });
        setPages([page]);
        setAt(0);
        setSentRequest({ formState, operation });
        setTotals(null);
      }),
    next: () =>
      during(async (signal) => {
        const cursor = pages.at(-1)?.parsed.nextCursor;
        if (!sentRequest || !cursor) return;
        const page = await openLink(sentRequest, cursor, signal);
        setPages([...pages, page]);
        setAt(pages.length);
        setTotals(null);
      }),
    toTheEnd: () =>
      during(async (signal) => {
        if (!sentRequest) return;
        const all = [...pages];
        const most = (Math.floor(all.length / followMax) + 1) * followMax;
        while (all.length < most && budgetLeft(all.at(-1)) > budgetReserve) {
          const cursor = all.at(-1)?.parsed.nextCursor;
          if (!cursor) break;
          all.push(await openLink(sentRequest, cursor, signal));
          setPages([...all]);
          setAt(all.length - 1);
        }
        setTotals(countTotals(all, sentRequest.formState, sentRequest.operation));
      }),
  };
}

const budgetLeft = (page: ResponsePage | undefined): number =>
  Number(page?.meta.headers['x-ratelimit-remaining'] ?? Number.POSITIVE_INFINITY);
