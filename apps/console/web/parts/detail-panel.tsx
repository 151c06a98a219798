import { type ReactNode, useEffect, useLayoutEffect, useRef, useSyncExternalStore } from 'react';
import { useLabels } from '../labels/language.tsx';

interface Props {
  readonly label: string;
  readonly close: () => void;
  readonly children: ReactNode;
}

/** The details of a list item, next to the list. On a narrow page it is a modal dialog over the list. */
export function DetailPanel({ label, close, children }: Props) {
  const { states } = useLabels();
  const panel = useRef<HTMLElement>(null);
  const isModal = useIsNarrow();
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
  // Read before the background becomes inert.
  const opener = useRef<Element | null>(null);
  useLayoutEffect(() => {
    opener.current = document.activeElement;
  }, []);
  useLayoutEffect(() => {
    const opened = panel.current;
    if (!isModal || opened === null) return;
    const restore = makeBackgroundInert(opened);
    if (!opened.contains(document.activeElement)) opened.focus({ preventScroll: true });
    return restore;
  }, [isModal]);
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
      {...(isModal ? { role: 'dialog', 'aria-modal': true } : {})}
    >
      <button type="button" className="panel-close" onClick={close}>
        {states.close}
      </button>
      {children}
    </section>
  );
}

/** Makes everything outside the element inert; returns the function that restores it. */
function makeBackgroundInert(opened: HTMLElement): () => void {
  const background: HTMLElement[] = [];
  for (let inner: HTMLElement = opened; inner.parentElement && inner !== document.body; inner = inner.parentElement)
    for (const sibling of inner.parentElement.children)
      if (sibling !== inner && sibling instanceof HTMLElement && !sibling.inert && sibling.tagName !== 'DIALOG')
        background.push(sibling);
  for (const one of background) one.inert = true;
  return () => {
    for (const one of background) one.inert = false;
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
