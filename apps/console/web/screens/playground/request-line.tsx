import { Copy } from '../../parts/copy.tsx';
import { useMe } from '../../shell.tsx';
import { useWords } from '../../words/words.tsx';
import type { PlaygroundRequest } from './request.ts';

/** A request as it goes over the wire; `label` says which, where there are two. */
export function RequestLine({
  request: { method, path, body },
  label,
}: {
  request: PlaygroundRequest;
  label?: string;
}) {
  const { playground } = useWords();
  const { api } = useMe();
  const line = `${method} ${new URL(api.baseUrl).pathname}${path}`;
  return (
    <div className="stack-tight">
      <div className="request">
        <span>
          {label !== undefined && <span className="muted">{label} </span>}
          <code>{line}</code>
        </span>
        <Copy key={line} text={line} />
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
