import { Link } from '@tanstack/react-router';
import { useRef } from 'react';
import { Speech } from '../parts/speech.tsx';
import { useWords } from '../words/words.tsx';
import { perform } from './acts.ts';
import { useSignOut } from './sign-out.ts';
import { useMe } from './signed.ts';

/** Who one is here, and what is one's own: how the page speaks and looks, its keys, the sessions, the way out. */
export function PersonMenu() {
  const { frame, roles, people } = useWords();
  const { person } = useMe();
  const signOut = useSignOut();
  const menu = useRef<HTMLDivElement>(null);
  const close = () => menu.current?.hidePopover();
  return (
    <div className="rail-foot">
      <button type="button" className="switch-button" popoverTarget="person">
        <span className="switch-words">
          <span>{person.name}</span>
          <span className="small muted">{roles[person.role]}</span>
        </span>
      </button>
      <div ref={menu} id="person" popover="auto" className="float">
        <Speech />
        <ul className="float-list">
          <li>
            <button
              type="button"
              onClick={() => {
                close();
                perform('help');
              }}
            >
              {frame.help} <kbd>?</kbd>
            </button>
          </li>
          <li>
            <Link to="/people" hash="sessions" activeProps={{}} onClick={close}>
              {people.sessions}
            </Link>
          </li>
          <li>
            <button type="button" onClick={signOut}>
              {frame.signOut}
            </button>
          </li>
        </ul>
      </div>
    </div>
  );
}
