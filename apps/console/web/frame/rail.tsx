import { Link } from '@tanstack/react-router';
import { type KeyboardEvent, useRef, useState } from 'react';
import { useLabels } from '../labels/language.tsx';
import { useCurrentUser } from './current-user.ts';
import { runAction } from './keyboard/actions.ts';
import { screenLabel, screensForRole } from './screens.ts';
import { SettledStatus, useSettled } from './status/settled-status.tsx';
import { TenantSwitch } from './tenant-switch.tsx';
import { UserMenu } from './user-menu.tsx';

/** The navigation rail; on a narrow page it is opened by a button. */
export function Rail() {
  const { frame, screens, product } = useLabels();
  const { member } = useCurrentUser();
  const [isOpen, setOpen] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  const leave = (event: KeyboardEvent) => {
    if (event.key !== 'Escape' || !isOpen || document.querySelector(':popover-open')) return;
    event.stopPropagation();
    setOpen(false);
    button.current?.focus();
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: Esc anywhere in it closes the menu
    <header className="rail" data-open={isOpen} onKeyDown={leave}>
      <button ref={button} type="button" className="menu" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        {frame.menu}
      </button>
      <span className="brand">{product}</span>
      <div className="rail-nav">
        <TenantSwitch />
        <button type="button" className="seek" onClick={() => runAction('palette')}>
          {frame.goTo} <kbd>Ctrl K</kbd>
        </button>
        <nav aria-label={frame.menu}>
          {screensForRole(member.role)
            .filter(({ isBelow }) => !isBelow)
            .map(({ to, name }) => (
              <Link key={to} to={to} activeOptions={{ includeSearch: false }} onClick={() => setOpen(false)}>
                {screenLabel(screens, name, member.role)}
                {name === 'feeds' && <PendingDeadLetters />}
              </Link>
            ))}
        </nav>
      </div>
      <SettledStatus />
      <UserMenu />
    </header>
  );
}

/** The number of pending dead letters, from the same response as the settled status. */
function PendingDeadLetters() {
  const { frame } = useLabels();
  const pending = useSettled().data?.pending ?? 0;
  if (pending === 0) return null;
  return (
    <span className="badge">
      <span aria-hidden="true">{frame.badge(pending)}</span>
      <span className="hidden">{frame.deadLetterCount(pending)}</span>
    </span>
  );
}
