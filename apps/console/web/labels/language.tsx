import { createContext, type ReactNode, useContext, useEffect, useMemo, useState } from 'react';
import type { Labels } from './en.ts';
import { loadError } from './load-error.ts';

/** Each language by its own name. */
export const languages = { en: 'English', pl: 'Polski' } as const;
export type Language = keyof typeof languages;

// A page loads its own language, and another one only when it is selected.
const loadLabels: Readonly<Record<Language, () => Promise<Labels>>> = {
  en: () => import('./en.ts').then(({ en }) => en),
  pl: () => import('./pl.ts').then(({ pl }) => pl as Labels),
};

interface LanguageState {
  readonly language: Language;
  readonly labels: Labels;
}

const LanguageContext = createContext<(LanguageState & { readonly setLanguage: (language: Language) => void }) | null>(
  null,
);
const storageKey = 'language';

function preferredLanguage(): Language {
  const stored = localStorage.getItem(storageKey);
  if (stored === 'en' || stored === 'pl') return stored;
  return navigator.language.startsWith('pl') ? 'pl' : 'en';
}

/** The labels of the languages that are loaded already. */
export const loadedLabels = new Map<Language, Labels>();

async function loadLanguage(language: Language): Promise<LanguageState> {
  const labels = await loadLabels[language]();
  loadedLabels.set(language, labels);
  return { language, labels };
}
const first = loadLanguage(preferredLanguage());

export function Language({ children }: { children: ReactNode }) {
  const [state, setState] = useState<LanguageState | null>(null);
  const [hasFailed, setFailed] = useState(false);
  useEffect(() => void first.then(setState, () => setFailed(true)), []);
  const value = useMemo(() => {
    if (state === null) return null;
    document.documentElement.lang = state.language;
    // If the labels cannot be loaded, the page stays in its language.
    const setLanguage = (next: Language) =>
      void loadLanguage(next).then(
        (loaded) => {
          localStorage.setItem(storageKey, next);
          setState(loaded);
        },
        () => {},
      );
    return { ...state, setLanguage };
  }, [state]);
  if (hasFailed) return <LoadError />;
  return value && <LanguageContext value={value}>{children}</LanguageContext>;
}

/** Without labels the page has this text alone; browsers load a failed script again only with the page. */
function LoadError() {
  return (
    <main className="alone">
      <h1>{loadError.title}</h1>
      <p lang="en">{loadError.en.text}</p>
      <p lang="pl">{loadError.pl.text}</p>
      <button type="button" onClick={() => location.reload()}>
        <span lang="en">{loadError.en.reload}</span> · <span lang="pl">{loadError.pl.reload}</span>
      </button>
    </main>
  );
}

export function useLabels(): Labels {
  return useLanguage().labels;
}

export function useLanguage() {
  const value = useContext(LanguageContext);
  if (!value) throw new TypeError('useLanguage requires <Language> above it');
  return value;
}
