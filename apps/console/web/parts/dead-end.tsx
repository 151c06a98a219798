import { type ErrorComponentProps, Link } from '@tanstack/react-router';
import { useWords } from '../words/words.tsx';
import { Failure } from './failure.tsx';

/** A screen that broke, or could not be loaded. */
export function Broken({ error, reset }: ErrorComponentProps) {
  return (
    <main className="alone">
      <Failure error={error} again={reset} />
    </main>
  );
}

/** An address without a screen. */
export function Missing() {
  const { states, screens } = useWords();
  return (
    <main className="alone">
      <h1>{states.missing}</h1>
      <Link to="/feeds">{screens.feeds}</Link>
    </main>
  );
}
