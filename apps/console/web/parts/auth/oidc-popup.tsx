import { type ReactNode, useEffect, useRef } from 'react';
import { subscribe } from '../../client/session.ts';

interface Props {
  /** The query of the sign-in redirect. */
  readonly search: Readonly<Record<string, string>>;
  readonly done: () => void;
  readonly className?: string;
  readonly children: ReactNode;
}

const callbackPage = '/console/oidc-popup';
const size = 'popup,width=560,height=720';

/** Single sign-on in a popup, which leaves the screen as it is. Its callback page closes the popup. */
export function OidcPopup({ search, done, className = 'button', children }: Props) {
  const finish = useRef(done);
  finish.current = done;
  useEffect(() => subscribe((event) => event === 'signed in' && finish.current()), []);
  const address = `/console/auth/start?${new URLSearchParams({ ...search, to: callbackPage })}`;
  return (
    <a
      className={className}
      href={address}
      target="_blank"
      rel="noopener opener"
      onClick={(event) => {
        // If popups are blocked the link opens a tab.
        if (window.open(address, 'tenantscope-sign-in', size)) event.preventDefault();
      }}
    >
      {children}
    </a>
  );
}
