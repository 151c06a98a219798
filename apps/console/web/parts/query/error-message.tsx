import { ApiError, NetworkError } from '../../client/api-client.ts';
import { ReauthenticationCancelled } from '../../client/reauthentication.ts';
import { useLabels } from '../../labels/language.tsx';

/** An error where it occurred, with the server's message, and what the user can do. */
export function ErrorMessage({ error, again }: { error: unknown; again?: (() => void) | undefined }) {
  const { states, frame } = useLabels();
  const apiError = error instanceof ApiError ? error : null;
  if (error instanceof ReauthenticationCancelled)
    return (
      <div className="note row apart" role="status">
        <span>{states.notConfirmed}</span>
        {again && (
          <button type="button" onClick={again}>
            {frame.confirm}
          </button>
        )}
      </div>
    );
  return (
    <div className="failure" role="alert">
      <span>
        <strong>{apiError?.code === 'FORBIDDEN' ? states.notPermitted : states.failed}.</strong>{' '}
        {error instanceof NetworkError ? (
          [states.unreachable.console, ...(error.mayBeDone ? [states.outcomeUnknown] : [])].join(' ')
        ) : apiError ? (
          <span lang="en">{apiError.message}</span>
        ) : error instanceof Error ? (
          error.message
        ) : (
          String(error)
        )}
        {apiError?.requestId && (
          <span className="muted">
            {' '}
            {states.request} <code>{apiError.requestId}</code>
          </span>
        )}
      </span>
      {again && apiError?.code !== 'FORBIDDEN' && (
        <button type="button" onClick={again}>
          {states.retry}
        </button>
      )}
    </div>
  );
}
