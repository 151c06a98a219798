import { Link } from '@tanstack/react-router';
import { useRef } from 'react';
import { useLabels } from '../labels/language.tsx';
import { Preferences } from '../parts/preferences.tsx';
import { useCurrentUser } from './current-user.ts';
import { runAction } from './keyboard/actions.ts';
import { useSignOut } from './sign-out.ts';

/** The signed-in member, with preferences, keyboard help, sessions and sign-out. */
export function UserMenu() {
  const { frame, roles, members } = useLabels();
  const { member } = useCurrentUser();
  const signOut = useSignOut();
  const menu = useRef<HTMLDivElement>(null);
  const close = () => menu.current?.hidePopover();
  return (
    <div className="rail-foot">
      <button type="button" className="switch-button" popoverTarget="user-menu">
        <span className="switch-label">
          <span>{member.name}</span>
          <span className="small muted">{roles[member.role]}</span>
        </span>
      </button>
      <div ref={menu} id="user-menu" popover="auto" className="float">
        <Preferences />
        <ul className="float-list">
          <li>
            <button
              type="button"
              onClick={() => {
                close();
                runAction('help');
              }}
            >
              {frame.help} <kbd>?</kbd>
            </button>
          </li>
          <li>
            <Link to="/members" hash="sessions" activeProps={{}} onClick={close}>
              {members.sessions}
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
