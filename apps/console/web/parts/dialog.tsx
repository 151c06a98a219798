import { type ReactNode, useId, useLayoutEffect, useRef } from 'react';

interface Props {
  readonly title: string;
  readonly close: () => void;
  /** Whether Esc leaves it open: while a response with a secret is expected or shown. A click outside never closes it. */
  readonly isPersistent?: boolean;
  readonly children: ReactNode;
}

/** A native modal dialog: the browser traps and restores the focus, and makes the page inert. */
export function Dialog({ title, close, isPersistent = false, children }: Props) {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  // Closed before it is removed, so that the browser restores the focus.
  useLayoutEffect(() => {
    const opened = dialog.current;
    opened?.showModal();
    return () => opened?.close();
  }, []);
  return (
    <dialog
      ref={dialog}
      aria-labelledby={id}
      // @NOTE a second Esc closes the dialog even if `cancel` is prevented; only the key event can be.
      onKeyDown={(event) => {
        if (event.key !== 'Escape') return;
        event.preventDefault();
        event.stopPropagation();
        if (!isPersistent) close();
      }}
      onCancel={(event) => {
        event.preventDefault();
        if (!isPersistent) close();
      }}
    >
      <h2 id={id}>{title}</h2>
      {children}
    </dialog>
  );
}
