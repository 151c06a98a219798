import { Copy } from '../../parts/copy.tsx';
import { useWords } from '../../words/words.tsx';

/** The same from the command line: all ids are copied, the first are shown. */
export function CommandLine({ act, ids }: { act: 'show' | 'replay' | 'discard'; ids: readonly string[] }) {
  const { letters: said } = useWords();
  const command = `npx tenantscope dead-letters ${act}`;
  return (
    <div className="hint stack-tight">
      <span>{said.cli}</span>
      <span className="row">
        <code>
          {command} {ids.slice(0, 2).join(' ')}
          {ids.length > 2 && ' …'}
        </code>
        <Copy text={`${command} ${ids.join(' ')}`} />
      </span>
    </div>
  );
}
