import { useRef, useState } from 'react';
import type { AskedOperation } from '../../asked.ts';
import { type Page, run } from './page.ts';
import { type Totals, totalsOf } from './totals.ts';
import type { Wanted } from './wanted.ts';

const followMax = 20;
/** Following stops before it uses up what somebody may want to send next. */
const budgetReserve = 50;

interface Asked {
  readonly wanted: Wanted & { readonly added?: string };
  readonly operation: AskedOperation;
}

/** What one form was answered: its pages, one after the other. */
export function usePages() {
  const [pages, setPages] = useState<readonly Page[]>([]);
  const [at, setAt] = useState(0);
  const [error, setError] = useState<unknown>(null);
  const [isBusy, setBusy] = useState(false);
  const [totals, setTotals] = useState<Totals | null>(null);
  const [asked, setAsked] = useState<Asked | null>(null);
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
  const follow = ({ wanted, operation }: Asked, cursor: string, signal: AbortSignal) => {
    const { limit } = wanted.parameters;
    // A cursor carries what was asked; only the size of a page may be said again.
    return run({ ...wanted, parameters: { cursor, ...(limit ? { limit } : {}) } }, operation, signal);
  };

  return {
    pages,
    page: pages[at] ?? null,
    at,
    show: setAt,
    error,
    isBusy,
    totals,
    asked,
    cancel: () => running.current?.abort(),
    send: (wanted: Asked['wanted'], operation: AskedOperation) =>
      during(async (signal) => {
        const page = await run(wanted, operation, signal).catch((failure: unknown) => {
          // What was answered earlier is no answer to this.
          if (!signal.aborted) setPages([]);
          throw failure;
        });
        setPages([page]);
        setAt(0);
        setAsked({ wanted, operation });
        setTotals(null);
      }),
    next: () =>
      during(async (signal) => {
        const cursor = pages.at(-1)?.read.nextCursor;
        if (!asked || !cursor) return;
        const page = await follow(asked, cursor, signal);
        setPages([...pages, page]);
        setAt(pages.length);
        setTotals(null);
      }),
    toTheEnd: () =>
      during(async (signal) => {
        if (!asked) return;
        const all = [...pages];
        const most = (Math.floor(all.length / followMax) + 1) * followMax;
        while (all.length < most && budgetLeft(all.at(-1)) > budgetReserve) {
          const cursor = all.at(-1)?.read.nextCursor;
          if (!cursor) break;
          all.push(await follow(asked, cursor, signal));
          setPages([...all]);
          setAt(all.length - 1);
        }
        setTotals(totalsOf(all, asked.wanted, asked.operation));
      }),
  };
}

const budgetLeft = (page: Page | undefined): number =>
  Number(page?.told.headers['x-ratelimit-remaining'] ?? Number.POSITIVE_INFINITY);
