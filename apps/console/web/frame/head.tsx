import { type ReactNode, useEffect } from 'react';
import { useWords } from '../words/words.tsx';

/** The head of a screen: what it is and what can be done here. */
export function Head({ title, children }: { title: string; children?: ReactNode }) {
  const { product } = useWords();
  useEffect(() => {
    document.title = `${title} · ${product}`;
  }, [title, product]);
  return (
    <div className="head">
      <h1>{title}</h1>
      <div className="acts">{children}</div>
    </div>
  );
}
