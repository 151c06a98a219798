import { useState } from 'react';
import { type Language, languages, useLanguage } from '../words/words.tsx';

const themes = ['system', 'light', 'dark'] as const;
type Theme = (typeof themes)[number];

/** Language and light of the page; kept in this browser. */
export function Speech() {
  const { language, speak, words } = useLanguage();
  const [theme, setTheme] = useState((document.documentElement.dataset.theme ?? 'system') as Theme);
  const show = (next: Theme) => {
    document.documentElement.dataset.theme = next;
    localStorage.setItem('theme', next);
    setTheme(next);
  };
  return (
    <div className="settings">
      <select
        aria-label={words.frame.language}
        value={language}
        onChange={(event) => speak(event.target.value as Language)}
      >
        {Object.entries(languages).map(([name, spoken]) => (
          <option key={name} value={name} lang={name}>
            {spoken.language}
          </option>
        ))}
      </select>
      <select aria-label={words.frame.theme} value={theme} onChange={(event) => show(event.target.value as Theme)}>
        {themes.map((name) => (
          <option key={name} value={name}>
            {words.frame.themes[name]}
          </option>
        ))}
      </select>
    </div>
  );
}
