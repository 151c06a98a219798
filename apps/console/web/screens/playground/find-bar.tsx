import { number, useLanguage } from '../../words/words.tsx';

interface Given {
  readonly needle: string;
  /** How many lines there are, and on how many of them it stands. */
  readonly lines: number;
  readonly found: number;
  readonly at: number;
  readonly look: (needle: string) => void;
  readonly go: (match: number) => void;
}

export function FindBar({ needle, lines, found, at, look, go }: Given) {
  const { words, language } = useLanguage();
  const { playground } = words;
  return (
    <span className="row">
      <input
        type="search"
        className="find"
        aria-label={playground.find}
        placeholder={playground.find}
        value={needle}
        onChange={({ target }) => look(target.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Enter' || event.ctrlKey || found === 0) return;
          event.preventDefault();
          go((at + (event.shiftKey ? found - 1 : 1)) % found);
        }}
      />
      <span className="small muted" role="status">
        {needle === ''
          ? playground.lines(lines)
          : found === 0
            ? playground.none
            : playground.matches(number(language, at + 1), number(language, found))}
      </span>
    </span>
  );
}
