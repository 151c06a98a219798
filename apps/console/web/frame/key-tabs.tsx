import { Link } from '@tanstack/react-router';
import { useLabels } from '../labels/language.tsx';
import { useCurrentUser } from './current-user.ts';

/** Navigation between the API keys and the playground, for administrators. */
export function KeyTabs() {
  const { screens, playground } = useLabels();
  const { member } = useCurrentUser();
  if (member.role !== 'admin') return null;
  return (
    <nav className="segments" aria-label={screens.keys}>
      <Link
        to="/keys"
        activeOptions={{ includeSearch: false }}
        className="button"
        activeProps={{ className: 'active' }}
      >
        {playground.keysTab}
      </Link>
      <Link
        to="/playground"
        activeOptions={{ includeSearch: false }}
        className="button"
        activeProps={{ className: 'active' }}
      >
        {screens.playground}
      </Link>
    </nav>
  );
}
