import { useState } from 'react';
import { Copy } from '../../parts/copy.tsx';
import { useWords } from '../../words/words.tsx';
import { type Said, type SnippetLanguage, snippets } from './snippets.ts';

export function SnippetView({ said, first }: { said: Said; first: SnippetLanguage }) {
  const { playground } = useWords();
  const [language, setLanguage] = useState(first);
  const text = snippets[language](said);
  return (
    <div className="stack">
      <div className="row apart">
        <span className="segments">
          {(Object.keys(snippets) as SnippetLanguage[]).map((name) => (
            <button key={name} type="button" aria-pressed={name === language} onClick={() => setLanguage(name)}>
              {playground.languages[name]}
            </button>
          ))}
        </span>
        <Copy key={language} text={text} />
      </div>
      <p className="hint">{playground.snippetHint}</p>
      <pre className="lines">{text}</pre>
    </div>
  );
}
