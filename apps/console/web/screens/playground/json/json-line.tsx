import { escapeInvisible } from '../../../../api/escape-invisible.ts';
import { useLabels } from '../../../labels/language.tsx';
import { IdLink } from './id-link.tsx';
import type { LinkTarget } from './id-links.ts';
import type { JsonIndex } from './json-index.ts';
import { isNamed, isOpening } from './json-members.ts';

/** A tool result has the whole document in one string, which is too long for a line. */
const lineMax = 2_000;
const depthMax = 200;

interface Props {
  readonly document: JsonIndex;
  readonly line: number;
  readonly top: number;
  readonly isFound: boolean;
  readonly isFolded: boolean;
  readonly isFirst: boolean;
  readonly link: LinkTarget | null;
  readonly openLink: (link: LinkTarget) => void;
  readonly fold: (line: number) => void;
}

export function JsonLine({ document, line, top, isFound, isFolded, isFirst, link, openLink, fold }: Props) {
  const { playground } = useLabels();
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
        {isNamed(document, line) && <span className="json-key">{escapeInvisible(shownName(document, line))} </span>}
        <Value document={document} line={line} isFolded={isFolded} isFirst={isFirst} link={link} openLink={openLink} />
      </span>
    </div>
  );
}

const shownName = ({ text, starts, values }: JsonIndex, line: number): string =>
  text.slice(starts[line], values[line]).trimEnd();

function Value({
  document: { text, values, ends },
  line,
  isFolded,
  isFirst,
  link,
  openLink,
}: Pick<Props, 'document' | 'line' | 'isFolded' | 'isFirst' | 'link' | 'openLink'>) {
  const { playground } = useLabels();
  const from = values[line] ?? 0;
  const end = ends[line] ?? from;
  const value = text.slice(from, Math.min(end, from + lineMax));
  const hidden = end - from - value.length;
  if (link) {
    const comma = value.endsWith(',') ? ',' : '';
    return (
      <span className="json-string">
        "
        <IdLink
          to={link}
          text={value.slice(1, value.length - 1 - comma.length)}
          isFirst={isFirst}
          openLink={openLink}
        />
        "{comma}
      </span>
    );
  }
  return (
    <>
      <span className={kindOf(value)}>{escapeInvisible(value)}</span>
      {hidden > 0 && <span className="muted">{playground.moreCharacters(hidden)}</span>}
      {isFolded && <span className="muted"> … {value === '[' ? ']' : '}'}</span>}
    </>
  );
}

function kindOf(value: string): string | undefined {
  if (value.startsWith('"')) return 'json-string';
  if (/^[[\]{}]/.test(value)) return undefined;
  return /^[-\d]/.test(value) ? 'json-number' : 'json-word';
}
