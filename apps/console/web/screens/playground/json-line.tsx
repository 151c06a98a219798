import { useWords } from '../../words/words.tsx';
import type { Indexed } from './indexed.ts';
import { Lead } from './lead.tsx';
import type { LeadTo } from './leads.ts';
import { isNamed, isOpening } from './members.ts';
import { visible } from './visible.ts';

/** A tool's answer holds the whole document in one string: nobody reads that in a line. */
const lineMax = 2_000;
const depthMax = 200;

interface Given {
  readonly document: Indexed;
  readonly line: number;
  readonly top: number;
  readonly isFound: boolean;
  readonly isFolded: boolean;
  readonly isFirst: boolean;
  readonly lead: LeadTo | null;
  readonly follow: (lead: LeadTo) => void;
  readonly fold: (line: number) => void;
}

export function JsonLine({ document, line, top, isFound, isFolded, isFirst, lead, follow, fold }: Given) {
  const { playground } = useWords();
  return (
    <div className={isFound ? 'json-line json-found' : 'json-line'} style={{ transform: `translateY(${top}px)` }}>
      <span className="line-number">{line + 1}</span>
      {isOpening(document, line) ? (
        <button
          type="button"
          className="fold"
          data-stop
          tabIndex={isFirst ? 0 : -1}
          aria-expanded={!isFolded}
          aria-label={playground.foldLine(line + 1)}
          onClick={() => fold(line)}
        >
          {isFolded ? '▸' : '▾'}
        </button>
      ) : (
        <span className="fold-none" />
      )}
      <span>
        {'  '.repeat(Math.min(document.depths[line] ?? 0, depthMax))}
        {isNamed(document, line) && <span className="json-key">{visible(shownName(document, line))} </span>}
        <Value document={document} line={line} isFolded={isFolded} isFirst={isFirst} lead={lead} follow={follow} />
      </span>
    </div>
  );
}

const shownName = ({ text, starts, values }: Indexed, line: number): string =>
  text.slice(starts[line], values[line]).trimEnd();

function Value({
  document: { text, values, ends },
  line,
  isFolded,
  isFirst,
  lead,
  follow,
}: Pick<Given, 'document' | 'line' | 'isFolded' | 'isFirst' | 'lead' | 'follow'>) {
  const { playground } = useWords();
  const from = values[line] ?? 0;
  const end = ends[line] ?? from;
  const value = text.slice(from, Math.min(end, from + lineMax));
  const hidden = end - from - value.length;
  if (lead) {
    const comma = value.endsWith(',') ? ',' : '';
    return (
      <span className="json-string">
        "<Lead to={lead} text={value.slice(1, value.length - 1 - comma.length)} isFirst={isFirst} follow={follow} />"
        {comma}
      </span>
    );
  }
  return (
    <>
      <span className={kindOf(value)}>{visible(value)}</span>
      {hidden > 0 && <span className="muted">{playground.longer(hidden)}</span>}
      {isFolded && <span className="muted"> … {value === '[' ? ']' : '}'}</span>}
    </>
  );
}

function kindOf(value: string): string | undefined {
  if (value.startsWith('"')) return 'json-string';
  if (/^[[\]{}]/.test(value)) return undefined;
  return /^[-\d]/.test(value) ? 'json-number' : 'json-word';
}
