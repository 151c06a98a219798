import { Link } from '@tanstack/react-router';
import { type KeyboardEvent, useRef, useState } from 'react';
import { useWords } from '../words/words.tsx';
import { perform } from './acts.ts';
import { PersonMenu } from './person-menu.tsx';
import { screensOf } from './screens.ts';
import { SettledLine, useSettled } from './settled-line.tsx';
import { useMe } from './signed.ts';
import { TenantSwitch } from './tenant-switch.tsx';

/** Where one is and where one can go; on a narrow page behind a button. */
export function Rail() {
  const { frame, screens, product } = useWords();
  const { person } = useMe();
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
        <button type="button" className="seek" onClick={() => perform('palette')}>
          {frame.seek} <kbd>Ctrl K</kbd>
        </button>
        <nav aria-label={frame.menu}>
          {screensOf(person.role)
            .filter(({ isBelow }) => !isBelow)
            .map(({ to, name }) => (
              <Link key={to} to={to} activeOptions={{ includeSearch: false }} onClick={() => setOpen(false)}>
                {screens[name]}
                {name === 'feeds' && <Parked />}
              </Link>
            ))}
        </nav>
      </div>
      <SettledLine />
      <PersonMenu />
    </header>
  );
}

/** How many records wait to be looked at, from the same answer as the line below. */
function Parked() {
  const { frame } = useWords();
  const parked = useSettled().data?.parked ?? 0;
  if (parked === 0) return null;
  return (
    <span className="badge">
      <span aria-hidden="true">{frame.badge(parked)}</span>
      <span className="hidden">{frame.parked(parked)}</span>
    </span>
  );
}
