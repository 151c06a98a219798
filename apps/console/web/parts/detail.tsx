import { type ReactNode, useEffect, useLayoutEffect, useRef, useSyncExternalStore } from 'react';
import { useWords } from '../words/words.tsx';

interface Given {
  readonly label: string;
  readonly close: () => void;
  readonly children: ReactNode;
}

/** One of a list at its side, which stays. On a narrow page it lies over the list, and nothing beneath can be reached. */
export function Detail({ label, close, children }: Given) {
  const { states } = useWords();
  const panel = useRef<HTMLElement>(null);
  const isOver = useIsNarrow();
  const latest = useRef(close);
  useLayoutEffect(() => {
    latest.current = close;
  });
  useEffect(() => {
    const listen = (event: KeyboardEvent) => {
      if (event.key !== 'Escape' || event.defaultPrevented || document.querySelector('dialog[open], :popover-open'))
        return;
      latest.current();
    };
    window.addEventListener('keydown', listen);
    return () => window.removeEventListener('keydown', listen);
  }, []);
  // Before anything lies over it.
  const opener = useRef<Element | null>(null);
  useLayoutEffect(() => {
    opener.current = document.activeElement;
  }, []);
  useLayoutEffect(() => {
    const opened = panel.current;
    if (!isOver || opened === null) return;
    const lift = lieOver(opened);
    if (!opened.contains(document.activeElement)) opened.focus({ preventScroll: true });
    return lift;
  }, [isOver]);
  useLayoutEffect(() => {
    const opened = panel.current;
    const row = opened?.closest('.split')?.querySelector<HTMLElement>('tr[aria-current] button') ?? null;
    return () => {
      const { activeElement } = document;
      if (activeElement !== document.body && !opened?.contains(activeElement)) return;
      const from = opener.current;
      const isThere = from instanceof HTMLElement && from.isConnected && from.closest('#content') !== null;
      (isThere && !opened?.contains(from) ? from : row)?.focus({ preventScroll: true });
    };
  }, []);
  return (
    <section
      ref={panel}
      className="panel panel-side"
      aria-label={label}
      tabIndex={-1}
      {...(isOver ? { role: 'dialog', 'aria-modal': true } : {})}
    >
      <button type="button" className="panel-close" onClick={close}>
        {states.close}
      </button>
      {children}
    </section>
  );
}

/** Everything beside it and beside what holds it is out of reach, until it is lifted. */
function lieOver(opened: HTMLElement): () => void {
  const beneath: HTMLElement[] = [];
  for (let inner: HTMLElement = opened; inner.parentElement && inner !== document.body; inner = inner.parentElement)
    for (const beside of inner.parentElement.children)
      if (beside !== inner && beside instanceof HTMLElement && !beside.inert && beside.tagName !== 'DIALOG')
        beneath.push(beside);
  for (const one of beneath) one.inert = true;
  return () => {
    for (const one of beneath) one.inert = false;
  };
}

const narrow = matchMedia('(max-width: 1100px)');

const useIsNarrow = (): boolean =>
  useSyncExternalStore(
    (listener) => {
      narrow.addEventListener('change', listener);
      return () => narrow.removeEventListener('change', listener);
    },
    () => narrow.matches,
  );
