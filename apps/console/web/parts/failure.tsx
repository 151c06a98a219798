import { Refused } from '../ask.ts';
import { useWords } from '../words/words.tsx';

/** What failed, where it failed, in the server's own words. */
export function Failure({ error, again }: { error: unknown; again?: () => void }) {
  const { states } = useWords();
  const requestId = error instanceof Refused ? error.requestId : null;
  return (
    <div className="failure" role="alert">
      <strong>{states.error}.</strong> {error instanceof Error ? error.message : String(error)}
      {requestId && (
        <span className="muted">
          {' '}
          {states.request} <code>{requestId}</code>
        </span>
      )}
      {again && (
        <button type="button" onClick={again}>
          {states.again}
        </button>
      )}
    </div>
  );
}
