import { type ReactNode, useEffect, useRef } from 'react';

interface Given {
  readonly title: string;
  readonly close: () => void;
  /** Whether Esc and a press outside close it. */
  readonly isHeld?: boolean;
  readonly children: ReactNode;
}

/** The browser's own dialog: focus is kept and given back, the page behind is inert. */
export function Dialog({ title, close, isHeld = false, children }: Given) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    dialog.current?.showModal();
  }, []);
  return (
    <dialog
      ref={dialog}
      aria-labelledby="dialog-title"
      onCancel={(event) => {
        event.preventDefault();
        if (!isHeld) close();
      }}
    >
      <h2 id="dialog-title">{title}</h2>
      {children}
    </dialog>
  );
}
