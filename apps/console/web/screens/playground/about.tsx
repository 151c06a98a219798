import type { AskedOperation } from '../../asked.ts';
import { useWords } from '../../words/words.tsx';

interface Given {
  readonly operation: AskedOperation;
  readonly mode: 'rest' | 'mcp';
  readonly fill: (parameters: Readonly<Record<string, string>>) => void;
}

/** What the operation is for, in the words of whoever will read it: a person, or an agent. */
export function About({ operation, mode, fill }: Given) {
  const { playground } = useWords();
  const { summary, description, guidance, scope, examples } = operation;
  return (
    <div className="stack-tight">
      <h2 lang="en">{summary}</h2>
      <p lang="en">{mode === 'rest' ? description : guidance}</p>
      {scope && (
        <p className="small muted">
          {playground.scope} <code>{scope}</code>
        </p>
      )}
      {examples.some(({ input }) => Object.keys(input).length > 0) && (
        <fieldset className="chips">
          <legend>{playground.examples}</legend>
          {examples.map(({ words, input }) => (
            <button key={words} type="button" lang="en" onClick={() => fill(input as Record<string, string>)}>
              {words}
            </button>
          ))}
        </fieldset>
      )}
    </div>
  );
}
