import { type ReactNode, useEffect, useRef } from 'react';
import { hear } from '../session.ts';

interface Given {
  /** At the identity provider, from where one comes back to the page that closes its window. */
  readonly search: Readonly<Record<string, string>>;
  readonly done: () => void;
  readonly className?: string;
  readonly children: ReactNode;
}

const comesBackTo = '/console/came-back';
const size = 'popup,width=560,height=720';

/** A round at the identity provider in a window of its own, beside a screen that stays as it is. */
export function Beside({ search, done, className = 'button', children }: Given) {
  const finish = useRef(done);
  finish.current = done;
  useEffect(() => hear((news) => news === 'signed in' && finish.current()), []);
  const address = `/console/auth/start?${new URLSearchParams({ ...search, to: comesBackTo })}`;
  return (
    <a
      className={className}
      href={address}
      target="_blank"
      rel="noopener opener"
      onClick={(event) => {
        // Where windows of this size are not allowed the link itself opens one.
        if (window.open(address, 'tenantscope-sign-in', size)) event.preventDefault();
      }}
    >
      {children}
    </a>
  );
}
