import type { PlaygroundRequest } from '../../../../api/playground-request.ts';
import { useCurrentUser } from '../../../frame/current-user.ts';
import { useLabels } from '../../../labels/language.tsx';
import { CopyButton } from '../../../parts/copy-button.tsx';

/** A request as it goes over the wire; `label` says which, where there are two. */
export function RequestLine({
  request: { method, path, body },
  label,
}: {
  request: PlaygroundRequest;
  label?: string;
}) {
  const { playground } = useLabels();
  const { api } = useCurrentUser();
  const line = `${method} ${new URL(api.baseUrl).pathname}${path}`;
  return (
    <div className="stack-tight">
      <div className="request">
        <span>
          {label !== undefined && <span className="muted">{label} </span>}
          <code>{line}</code>
        </span>
        <CopyButton key={line} text={line} />
      </div>
      {body !== null && (
        <details>
          <summary>{playground.body}</summary>
          <pre className="lines">{JSON.stringify(JSON.parse(body), null, 2)}</pre>
        </details>
      )}
    </div>
  );
}
