import type { AskedOperation, Key } from '../../asked.ts';
import { useWords } from '../../words/words.tsx';
import type { Page } from './page.ts';
import type { Wanted } from './wanted.ts';

interface Given {
  readonly page: Page;
  readonly asked: Wanted;
  readonly operation: AskedOperation;
  readonly keys: readonly Key[];
  readonly run: (wanted: Wanted & { readonly added?: string }) => void;
}

/** What can be done at once about an answer: a scope that the key lacks, or an answer too large to be read. */
export function Remedies({ page, asked, operation, keys, run }: Given) {
  const { playground } = useWords();
  const { scope } = operation;
  const key = keys.find(({ id }) => id === asked.scopesOf);
  const isRefused = page.read.code === 'INSUFFICIENT_SCOPE' && asked.scopesOf !== 'me';
  const sections = operation.parameters.find(({ name, kind }) => name === 'sections' && kind === 'choices')?.allowed;
  return (
    <>
      {isRefused && (
        <div className="row">
          {scope && !key?.scopes.includes(scope) && (
            <button type="button" onClick={() => run({ ...asked, added: scope })}>
              {playground.addScope(scope)}
            </button>
          )}
          <button type="button" onClick={() => run({ ...asked, scopesOf: 'me' })}>
            {playground.withMine}
          </button>
        </div>
      )}
      {page.document === null && sections && (
        <fieldset className="chips">
          <legend>{playground.oneSection}</legend>
          {sections.map((section) => (
            <button
              key={section}
              type="button"
              onClick={() => run({ ...asked, parameters: { ...asked.parameters, sections: section } })}
            >
              {section}
            </button>
          ))}
        </fieldset>
      )}
    </>
  );
}
