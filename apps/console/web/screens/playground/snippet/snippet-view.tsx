import { useState } from 'react';
import { useLabels } from '../../../labels/language.tsx';
import { CopyButton } from '../../../parts/copy-button.tsx';
import { type SnippetLanguage, type SnippetRequest, snippets } from './snippets.ts';

export function SnippetView({ request, first }: { request: SnippetRequest; first: SnippetLanguage }) {
  const { playground } = useLabels();
  const [language, setLanguage] = useState(first);
  const text = snippets[language](request);
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
        <CopyButton key={language} text={text} />
      </div>
      <p className="hint">{playground.snippetHint}</p>
      <pre className="lines">{text}</pre>
    </div>
  );
}
