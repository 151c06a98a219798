import { type ReactNode, useId, useLayoutEffect, useRef } from 'react';

interface Given {
  readonly title: string;
  readonly close: () => void;
  /** Whether Esc leaves it open. A press outside never closes. */
  readonly isHeld?: boolean;
  readonly children: ReactNode;
}

/** The browser's own dialog: focus is kept and given back, the page behind is inert. */
export function Dialog({ title, close, isHeld = false, children }: Given) {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  // Closed while it is still on the page: then the browser gives the focus back to where it was.
  useLayoutEffect(() => {
    const opened = dialog.current;
    opened?.showModal();
    return () => opened?.close();
  }, []);
  return (
    <dialog
      ref={dialog}
      aria-labelledby={id}
      // @NOTE a second Esc closes whatever `cancel` says; only the key itself can be refused for good.
      onKeyDown={(event) => {
        if (event.key !== 'Escape') return;
        event.preventDefault();
        event.stopPropagation();
        if (!isHeld) close();
      }}
      onCancel={(event) => {
        event.preventDefault();
        if (!isHeld) close();
      }}
    >
      <h2 id={id}>{title}</h2>
      {children}
    </dialog>
  );
}
