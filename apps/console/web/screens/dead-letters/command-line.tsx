import { useLabels } from '../../labels/language.tsx';
import { CopyButton } from '../../parts/copy-button.tsx';

/** The CLI command for these dead letters: all ids are copied, the first two are shown. */
export function CommandLine({ command, ids }: { command: 'show' | 'replay' | 'discard'; ids: readonly string[] }) {
  const { deadLetters: strings } = useLabels();
  const line = `npx tenantscope dead-letters ${command}`;
  return (
    <div className="hint stack-tight">
      <span>{strings.cli}</span>
      <span className="row">
        <code>
          {line} {ids.slice(0, 2).join(' ')}
          {ids.length > 2 && ' …'}
        </code>
        <CopyButton text={`${line} ${ids.join(' ')}`} />
      </span>
    </div>
  );
}
