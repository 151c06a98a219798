import { useState } from 'react';
import { useWords } from '../words/words.tsx';

interface Given {
  readonly text: string;
  readonly copied?: () => void;
  /** What the button says before and after, where «Copy» says too little. */
  readonly words?: string;
  readonly done?: string;
}

export function Copy({ text, copied = () => {}, words, done }: Given) {
  const { newKey } = useWords();
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
      <span aria-live="polite">{isCopied ? (done ?? newKey.copied) : (words ?? newKey.copy)}</span>
    </button>
  );
}
