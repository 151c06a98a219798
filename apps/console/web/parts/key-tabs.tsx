import { Link } from '@tanstack/react-router';
import { useMe } from '../shell.tsx';
import { useWords } from '../words/words.tsx';

/** What administrators do with keys: keep them, and see what they would be answered. */
export function KeyTabs() {
  const { screens, playground } = useWords();
  const { person } = useMe();
  if (person.role !== 'admin') return null;
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
