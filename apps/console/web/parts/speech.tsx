import { showTheme, type Theme, themes, useTheme } from '../theme.ts';
import { type Language, languages, useLanguage } from '../words/words.tsx';

/** Language and light of the page; kept in this browser. */
export function Speech() {
  const { language, speak, words } = useLanguage();
  const theme = useTheme();
  return (
    <div className="settings">
      <label className="field">
        <span>{words.frame.language}</span>
        <select value={language} onChange={(event) => speak(event.target.value as Language)}>
          {Object.entries(languages).map(([name, spoken]) => (
            <option key={name} value={name} lang={name}>
              {spoken}
            </option>
          ))}
        </select>
      </label>
      <label className="field">
        <span>{words.frame.theme}</span>
        <select value={theme} onChange={(event) => showTheme(event.target.value as Theme)}>
          {themes.map((name) => (
            <option key={name} value={name}>
              {words.frame.themes[name]}
            </option>
          ))}
        </select>
      </label>
    </div>
  );
}
