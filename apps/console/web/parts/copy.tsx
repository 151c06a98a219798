import { useState } from 'react';
import { useWords } from '../words/words.tsx';

export function Copy({ text, copied = () => {} }: { text: string; copied?: () => void }) {
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
      <span aria-live="polite">{isCopied ? newKey.copied : newKey.copy}</span>
    </button>
  );
}
