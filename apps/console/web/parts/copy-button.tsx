import { useState } from 'react';
import { useLabels } from '../labels/language.tsx';

interface Props {
  readonly text: string;
  readonly copied?: () => void;
  /** The label before and after copying; by default "Copy" and "Copied". */
  readonly label?: string;
  readonly doneLabel?: string;
}

export function CopyButton({ text, copied = () => {}, label, doneLabel }: Props) {
  const { newKey } = useLabels();
  const [isCopied, setCopied] = useState(false);
  return (
    <button
      type="button"
      onClick={async () => {
        await navigator.clipboard.writeText(text);
        setCopied(true);
        copied();
      }}
    >
      <span aria-live="polite">{isCopied ? (doneLabel ?? newKey.copied) : (label ?? newKey.copy)}</span>
    </button>
  );
}
