import { useEffect, useState } from 'react';
import { useLabels } from '../labels/language.tsx';

interface Props {
  readonly text: string;
  readonly copied?: () => void;
  /** The label before and after copying; by default "Copy" and "Copied". */
  readonly label?: string;
  readonly doneLabel?: string;
}

/** So long the label reports that the text was copied; then a second copy is reported again. */
const reportedMs = 5_000;

/** Copies a text. Where the browser permits no access to the clipboard, the text is shown selected, to be copied by the keyboard. */
export function CopyButton({ text, copied = () => {}, label, doneLabel }: Props) {
  const { newKey } = useLabels();
  const [outcome, setOutcome] = useState<'copied' | 'failed' | null>(null);
  useEffect(() => {
    if (outcome !== 'copied') return;
    const timer = setTimeout(() => setOutcome(null), reportedMs);
    return () => clearTimeout(timer);
  }, [outcome]);
  const copy = async () => {
    try {
      // Without TLS and outside loopback there is no clipboard.
      await navigator.clipboard.writeText(text);
    } catch {
      return setOutcome('failed');
    }
    setOutcome('copied');
    copied();
  };
  return (
    <>
      <button type="button" onClick={() => void copy()}>
        <span aria-live="polite">{outcome === 'copied' ? (doneLabel ?? newKey.copied) : (label ?? newKey.copy)}</span>
      </button>
      {outcome === 'failed' && (
        <span className="field">
          <span className="wrong" role="alert">
            {newKey.copyFailed}
          </span>
          <textarea
            readOnly
            rows={2}
            className="mono"
            aria-label={label ?? newKey.copy}
            value={text}
            ref={focusField}
            onFocus={selectText}
          />
        </span>
      )}
    </>
  );
}

const focusField = (field: HTMLTextAreaElement | null) => field?.focus();
const selectText = ({ target }: { target: HTMLTextAreaElement }) => target.select();
