import { type Language, languages, useLanguage } from '../labels/language.tsx';
import { showTheme, type Theme, themes, useTheme } from '../theme.ts';

/** Language and theme of the page; stored in this browser. */
export function Preferences() {
  const { language, setLanguage, labels } = useLanguage();
  const theme = useTheme();
  return (
    <div className="settings">
      <label className="field">
        <span>{labels.frame.language}</span>
        <select value={language} onChange={(event) => setLanguage(event.target.value as Language)}>
          {Object.entries(languages).map(([name, label]) => (
            <option key={name} value={name} lang={name}>
              {label}
            </option>
          ))}
        </select>
      </label>
      <label className="field">
        <span>{labels.frame.theme}</span>
        <select value={theme} onChange={(event) => showTheme(event.target.value as Theme)}>
          {themes.map((name) => (
            <option key={name} value={name}>
              {labels.frame.themes[name]}
            </option>
          ))}
        </select>
      </label>
    </div>
  );
}
