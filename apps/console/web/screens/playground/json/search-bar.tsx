import { number } from '../../../labels/format.ts';
import { useLanguage } from '../../../labels/language.tsx';

interface Props {
  readonly needle: string;
  /** How many lines there are, and on how many of them it stands. */
  readonly lines: number;
  readonly found: number;
  readonly at: number;
  readonly search: (needle: string) => void;
  readonly go: (match: number) => void;
}

export function SearchBar({ needle, lines, found, at, search, go }: Props) {
  const { labels, language } = useLanguage();
  const { playground } = labels;
  return (
    <span className="row">
      <input
        type="search"
        className="find"
        aria-label={playground.find}
        placeholder={playground.find}
        value={needle}
        onChange={({ target }) => search(target.value)}
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
            ? playground.noMatch
            : playground.matches(number(language, at + 1), number(language, found))}
      </span>
    </span>
  );
}
