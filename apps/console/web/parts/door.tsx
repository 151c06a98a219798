import { type ReactNode, useEffect } from 'react';
import { useWords } from '../words/words.tsx';
import { Speech } from './speech.tsx';

interface Given {
  readonly title: string;
  /** What this place is for, in a sentence. */
  readonly words?: string;
  readonly children: ReactNode;
}

/** The frame of what is there for everybody, at the places where the frame inside has the same. */
export function Door({ title, words, children }: Given) {
  const { product } = useWords();
  useEffect(() => {
    document.title = `${title} · ${product}`;
  }, [title, product]);
  return (
    <div className="door">
      <header className="brand">{product}</header>
      <main>
        <div className="stack-tight">
          <h1>{title}</h1>
          {words && <p className="door-words">{words}</p>}
        </div>
        {children}
      </main>
      <footer>
        <Speech />
      </footer>
    </div>
  );
}
