import { type ErrorComponentProps, Link } from '@tanstack/react-router';
import { useLabels } from '../labels/language.tsx';
import { ErrorMessage } from '../parts/query/error-message.tsx';

/** A screen that broke, or could not be loaded. */
export function ScreenError({ error, reset }: ErrorComponentProps) {
  return (
    <main className="alone">
      <ErrorMessage error={error} again={reset} />
    </main>
  );
}

/** An address without a screen. */
export function NotFound() {
  const { states, screens } = useLabels();
  return (
    <main className="alone">
      <h1>{states.notFound}</h1>
      <Link to="/feeds">{screens.feeds}</Link>
    </main>
  );
}
