import type { ListedOperation } from '../../../../api/playground.ts';
import { useLabels } from '../../../labels/language.tsx';

interface Props {
  readonly operation: ListedOperation;
  readonly mode: 'rest' | 'mcp';
  readonly fill: (parameters: Readonly<Record<string, string>>) => void;
}

/** The description of the operation: for people with REST, for agents with MCP. */
export function OperationHelp({ operation, mode, fill }: Props) {
  const { playground } = useLabels();
  const { summary, description, toolDescription, requiredScopes, examples } = operation;
  return (
    <div className="stack-tight">
      <h2 lang="en">{summary}</h2>
      <p lang="en">{mode === 'rest' ? description : toolDescription}</p>
      {playground.descriptionLanguage !== '' && <p className="hint">{playground.descriptionLanguage}</p>}
      {requiredScopes.length > 0 && (
        <p className="small muted">
          {playground.scope} <code>{requiredScopes.join(' ')}</code>
        </p>
      )}
      {examples.some(({ input }) => Object.keys(input).length > 0) && (
        <fieldset className="chips">
          <legend>{playground.examples}</legend>
          {examples.map(({ description: example, input }) => (
            <button key={example} type="button" lang="en" onClick={() => fill(input as Record<string, string>)}>
              {example}
            </button>
          ))}
        </fieldset>
      )}
    </div>
  );
}
