import { useRef, useState } from 'react';
import { type Page, type Read, run, type Wanted } from './page.ts';

const followMax = 20;
/** Following stops before it uses up what somebody may want to send next. */
const budgetReserve = 50;

export interface Followed {
  readonly pages: number;
  readonly rows: number;
  readonly twice: number;
  readonly isWhole: boolean;
}

/** What one form was answered: its pages, one after the other. */
export function usePages() {
  const [pages, setPages] = useState<readonly Page[]>([]);
  const [at, setAt] = useState(0);
  const [error, setError] = useState<unknown>(null);
  const [isBusy, setBusy] = useState(false);
  const [followed, setFollowed] = useState<Followed | null>(null);
  const [asked, setAsked] = useState<Wanted | null>(null);
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
  const after = (wanted: Wanted, cursor: string): Wanted => ({
    ...wanted,
    // A cursor carries what was asked; only the size of a page may be said again.
    parameters: { cursor, ...(wanted.parameters.limit ? { limit: wanted.parameters.limit } : {}) },
  });

  return {
    pages,
    page: pages[at] ?? null,
    at,
    show: setAt,
    error,
    isBusy,
    followed,
    asked,
    cancel: () => running.current?.abort(),
    send: (wanted: Wanted) =>
      during(async (signal) => {
        const page = await run(wanted, signal);
        setPages([page]);
        setAt(0);
        setAsked(wanted);
        setFollowed(null);
      }),
    next: () =>
      during(async (signal) => {
        const cursor = pages.at(-1)?.read.nextCursor;
        if (!asked || !cursor) return;
        const page = await run(after(asked, cursor), signal);
        setPages([...pages, page]);
        setAt(pages.length);
      }),
    toTheEnd: () =>
      during(async (signal) => {
        const all = [...pages];
        for (let cursor = all.at(-1)?.read.nextCursor; asked && cursor; cursor = all.at(-1)?.read.nextCursor) {
          if (all.length >= followMax || budgetLeft(all.at(-1)) <= budgetReserve) break;
          const page = await run(after(asked, cursor), signal);
          all.push(page);
          setPages([...all]);
          setAt(all.length - 1);
          if (page.told.status !== 200) break;
        }
        setFollowed(totalOf(all));
      }),
  };
}

const budgetLeft = (page: Page | undefined): number =>
  Number(page?.told.headers['x-ratelimit-remaining'] ?? Number.POSITIVE_INFINITY);

function totalOf(pages: readonly Page[]): Followed {
  const ids = pages.flatMap(({ read }) => read.rows ?? []).map((row) => row.id);
  const last: Read | undefined = pages.at(-1)?.read;
  return {
    pages: pages.length,
    rows: ids.length,
    twice: ids.length - new Set(ids).size,
    isWhole: last?.rows !== null && last?.nextCursor === null,
  };
}
